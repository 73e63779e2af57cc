import type { Delegation, DelegationStore } from "../../ports/delegation-store.ts";
import type { Spent } from "../../protocol/children.ts";
import type { Budget, Delegator } from "../../protocol/delegation.ts";
import { REFUSE, type Refusal } from "../../protocol/errors.ts";
import { SessionId } from "../../protocol/ids.ts";

interface DelegationsDeps {
  readonly store: DelegationStore;
  readonly limits: TreeLimits;
  /** Children continue when their parent is ended. */
  readonly keepChildren: boolean;
}

const BUDGET_WORDS: readonly { readonly name: keyof Budget & keyof Spent; readonly unit: string }[] = [
  { name: "turns", unit: "turns" },
  { name: "tokens", unit: "tokens" },
  { name: "cost", unit: "cost" },
  { name: "workMs", unit: "ms of work" },
];

/** The limits of agent trees: who may start another agent, and another turn. */
export class Delegations {
  readonly #deps: DelegationsDeps;
  /** Reserved children and turns: not in the store yet, but counted. */
  readonly #children = new Places();
  readonly #turns = new Places();

  constructor(deps: DelegationsDeps) {
    this.#deps = deps;
  }

  /** Another child for a session, or for a program outside. */
  async admitChild(
    by: Delegator,
    budget: Budget,
    childId: SessionId,
  ): Promise<Refusal | (Place & { readonly delegation: Delegation })> {
    const { store, limits } = this.#deps;
    const parentId = sessionIn(by);
    const parent = parentId === null ? null : await store.get(parentId);
    const depth = (parent?.depth ?? 0) + 1;
    if (depth > limits.depthMax)
      return REFUSE.treeLimit("levels of agents", limits.depthMax, "Do the work in this session instead.");
    const place = await this.#children.takeBelow(limits.childrenMax, by, childId, () => store.liveChildren(by));
    if (!place) {
      const whose = parentId === null ? "agents of one program" : "agents of one session";
      return REFUSE.treeLimit(whose, limits.childrenMax, "End one with kill_agent first.");
    }
    const delegation = { parentId, rootId: this.#rootOf(by, parent), depth, budget };
    return (await this.#refuseAdmitted(place, by)) ?? Object.assign(place, { delegation });
  }

  /** One more turn in the tree of an agent, or of whoever asks for a new one: then `child` is set once it is made. */
  async admitTurn(asked: Delegator, child: SessionId | null): Promise<Refusal | Place> {
    const { store, limits } = this.#deps;
    const session = sessionIn(asked);
    const root = this.#rootOf(asked, session === null ? null : await store.get(session));
    const place = await this.#turns.takeBelow(limits.runningMax, root, child, () => store.running(root));
    if (!place)
      return REFUSE.treeLimit(
        "agents running at once",
        limits.runningMax,
        "Wait for one with wait_for_agents, or stop one with cancel_agent.",
      );
    return (await this.#refuseAdmitted(place, asked)) ?? place;
  }

  /** The budget check for a message to a busy agent: it is queued, but it will be spent. */
  refuseSpending(childId: SessionId): Promise<Refusal | null> {
    return this.#overBudget(childId);
  }

  /** The root of an agent's tree; undefined for a session started by the user. */
  async rootOf(childId: SessionId): Promise<Delegator | undefined> {
    return (await this.#deps.store.get(childId))?.rootId;
  }

  /** The agents of a tree with a running turn. */
  runningIn(rootId: Delegator): Promise<readonly SessionId[]> {
    return this.#deps.store.running(rootId);
  }

  /**
   * Which running turns have to stop, and in how many ms the next time budget is spent if all continue. Tokens, money
   * and time are spent during a turn; `workedMs` is the time that each has worked but that is not stored yet. An
   * admitted turn is already counted and continues. A spent budget stops everything below it.
   */
  async judgeRunning(workedMs: ReadonlyMap<SessionId, number>): Promise<{
    readonly over: ReadonlyMap<SessionId, Refusal>;
    readonly leftMs: number | null;
  }> {
    const shared = new Map<SessionId, { readonly budget: Budget; readonly spenders: SessionId[] }>();
    for (const spender of workedMs.keys()) {
      for (const { id, budget } of await this.#budgetsOver(spender)) {
        const known = shared.get(id);
        if (known) known.spenders.push(spender);
        else shared.set(id, { budget, spenders: [spender] });
      }
    }
    const over = new Map<SessionId, Refusal>();
    let leftMs: number | null = null;
    for (const [id, { budget, spenders }] of shared) {
      const runningMs = spenders.reduce((sum, spender) => sum + (workedMs.get(spender) ?? 0), 0);
      const refusal = await this.#exceeded(id, budget, runningMs);
      if (refusal) for (const spender of spenders) over.set(spender, refusal);
      else if (budget.workMs !== undefined) {
        const { workMs } = await this.#deps.store.spentBy(id);
        const ms = (budget.workMs - workMs - runningMs) / spenders.length;
        leftMs = leftMs === null ? ms : Math.min(leftMs, ms);
      }
    }
    return { over, leftMs };
  }

  /** The usage of an agent and everything below it, and the rest of the tightest budget above it. */
  async standing(childId: SessionId): Promise<{ readonly spent: Spent; readonly left?: Budget }> {
    const left: Budget = {};
    for (const { id, budget } of await this.#budgetsOver(childId)) {
      const spent = await this.#deps.store.spentBy(id);
      for (const { name } of BUDGET_WORDS) {
        const limit = budget[name];
        if (limit !== undefined) left[name] = Math.min(left[name] ?? limit, Math.max(0, limit - spent[name]));
      }
    }
    const spent = await this.#deps.store.spentBy(childId);
    return { spent, ...(Object.keys(left).length > 0 && { left }) };
  }

  /** Oldest first. */
  childrenOf(delegator: Delegator): Promise<readonly SessionId[]> {
    return this.#deps.store.children(delegator);
  }

  /** Agents of programs outside that have not ended. */
  ofPrograms(): Promise<readonly SessionId[]> {
    return this.#deps.store.liveOfPrograms();
  }

  /** Who started it; undefined for a session started by the user. */
  async delegatorOf(sessionId: SessionId): Promise<Delegator | undefined> {
    const delegation = await this.#deps.store.get(sessionId);
    return delegation ? (delegation.parentId ?? delegation.rootId) : undefined;
  }

  /** Null for an agent of a program, undefined for a session started by the user. */
  async parentOf(sessionId: SessionId): Promise<SessionId | null | undefined> {
    return (await this.#deps.store.get(sessionId))?.parentId;
  }

  /** The usage and budget of a session and the agents below it; a session started by the user has the user's budget. */
  async spending(sessionId: SessionId): Promise<{ readonly spent: Spent; readonly budget: Budget }> {
    const { store, limits } = this.#deps;
    const [spent, delegation] = await Promise.all([store.spentBy(sessionId), store.get(sessionId)]);
    return { spent, budget: delegation?.budget ?? limits.budget };
  }

  /** What ends when the session does. */
  async endingWith(sessionId: SessionId): Promise<readonly SessionId[]> {
    return this.#deps.keepChildren ? [] : this.#deps.store.children(sessionId);
  }

  /** Sessions that should have ended with their parent if the server had not stopped in between. */
  async forgotten(): Promise<readonly SessionId[]> {
    return this.#deps.keepChildren ? [] : this.#deps.store.orphans();
  }

  /** Sessions with pending waits. */
  waiting(): Promise<readonly SessionId[]> {
    return this.#deps.store.waiting();
  }

  #rootOf(asked: Delegator, delegation: Delegation | null): Delegator {
    return delegation ? delegation.rootId : asked;
  }

  /** A spent budget refuses the turn after its slot was reserved, and the slot is released. */
  async #refuseAdmitted(place: Disposable, from: Delegator): Promise<Refusal | null> {
    try {
      const refusal = await this.#overBudget(from);
      if (refusal) place[Symbol.dispose]();
      return refusal;
    } catch (error) {
      place[Symbol.dispose]();
      throw error;
    }
  }

  async #overBudget(from: Delegator): Promise<Refusal | null> {
    for (const { id, budget } of await this.#budgetsOver(from)) {
      const over = await this.#exceeded(id, budget, null);
      if (over) return over;
    }
    return null;
  }

  /** The budgets of every ancestor, and at the top the user's own for the whole tree. */
  async #budgetsOver(from: Delegator): Promise<readonly { readonly id: SessionId; readonly budget: Budget }[]> {
    const { store, limits } = this.#deps;
    const found: { id: SessionId; budget: Budget }[] = [];
    let top = sessionIn(from);
    for (let id = top; id !== null; ) {
      const delegation = await store.get(id);
      if (delegation) found.push({ id, budget: delegation.budget });
      top = id;
      id = delegation?.parentId ?? null;
    }
    return top === null ? found : [...found, { id: top, budget: limits.budget }];
  }

  async #exceeded(sessionId: SessionId, budget: Budget, runningWorkMs: number | null): Promise<Refusal | null> {
    if (BUDGET_WORDS.every(({ name }) => budget[name] === undefined)) return null;
    const spent = await this.#deps.store.spentBy(sessionId);
    const isRunning = runningWorkMs !== null;
    for (const { name, unit } of BUDGET_WORDS) {
      const limit = budget[name];
      if (limit === undefined || (isRunning && name === "turns")) continue;
      const used = spent[name] + (isRunning && name === "workMs" ? runningWorkMs : 0);
      if (used >= limit) return REFUSE.overBudget(used, limit, unit);
    }
    return null;
  }
}

function sessionIn(delegator: Delegator): SessionId | null {
  return SessionId.safeParse(delegator).data ?? null;
}

export function isRefusal(answer: Refusal | Disposable): answer is Refusal {
  return "code" in answer;
}

/** A reserved slot for an agent, held until the store counts it. */
interface Place extends Disposable {
  /** Null until the agent has an id. From then on slot and record count as one. */
  child: SessionId | null;
}

/** Reserved slots that may not be stored yet, by parent. */
class Places {
  readonly #taken = new Map<Delegator, Set<Place>>();
  #releases = 0;

  /** Null when `max` are reserved or stored. Nothing else is reserved between counting and reserving. */
  async takeBelow(
    max: number,
    owner: Delegator,
    child: SessionId | null,
    onRecord: () => Promise<readonly SessionId[]>,
  ): Promise<Place | null> {
    for (;;) {
      const releases = this.#releases;
      const recorded = await onRecord();
      // Slots released meanwhile may be stored by now, and missing here: ask again.
      if (releases !== this.#releases) continue;
      const place: Place = { child, [Symbol.dispose]: () => this.#release(owner, place) };
      const places = new Set(this.#taken.get(owner)).add(place);
      const counted = new Set([...recorded, ...[...places].map((one) => one.child ?? one)]);
      if (counted.size > max) return null;
      this.#taken.set(owner, places);
      return place;
    }
  }

  #release(owner: Delegator, place: Place): void {
    const places = this.#taken.get(owner);
    if (!places?.delete(place)) return;
    this.#releases += 1;
    if (places.size === 0) this.#taken.delete(owner);
  }
}

/** The limits of a tree of agents, unless the user's settings override them. */
export interface TreeLimits {
  /** How many levels of agents a session may have below it. */
  readonly depthMax: number;
  /** Children of one session that are neither killed nor archived. */
  readonly childrenMax: number;
  /** Turns that run at the same time in one tree. */
  readonly runningMax: number;
  /** The budget of one tree. */
  readonly budget: Budget;
}

export const TREE_LIMITS: TreeLimits = { depthMax: 3, childrenMax: 10, runningMax: 5, budget: {} };
