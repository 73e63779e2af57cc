import type { Delegation, DelegationStore } from "../../ports/delegation-store.ts";
import type { Spent } from "../../protocol/children.ts";
import type { Budget, Delegator } from "../../protocol/delegation.ts";
import { REFUSE, type Refusal } from "../../protocol/errors.ts";
import { SessionId } from "../../protocol/ids.ts";

interface DelegationsDeps {
  readonly store: DelegationStore;
  readonly limits: TreeLimits;
  /** Children go on when their parent is ended. */
  readonly keepChildren: boolean;
}

/** Leave to go on; given back once the store counts what it was given for. */
type Admission<Granted = object> = Disposable & Granted;

const BUDGET_WORDS: readonly { readonly name: keyof Budget & keyof Spent; readonly unit: string }[] = [
  { name: "turns", unit: "turns" },
  { name: "tokens", unit: "tokens" },
  { name: "cost", unit: "cost" },
  { name: "workMs", unit: "ms of work" },
];

/** The limits of trees of agents: who may start one more agent, and one more turn. */
export class Delegations {
  readonly #deps: DelegationsDeps;
  /** Children on their way, and turns on their way: not in the store yet, but not free to give any more. */
  readonly #children = new Places<Delegator>();
  readonly #turns = new Places<Delegator>();

  constructor(deps: DelegationsDeps) {
    this.#deps = deps;
  }

  /** One more child for a session, or for a program outside. */
  admitChild(by: Delegator, budget: Budget): Refusal | Admission<{ readonly delegation: Delegation }> {
    const { store, limits } = this.#deps;
    const parentId = sessionIn(by);
    const parent = parentId === null ? null : store.get(parentId);
    const depth = (parent?.depth ?? 0) + 1;
    if (depth > limits.depthMax)
      return REFUSE.treeLimit("levels of agents", limits.depthMax, "Do the work in this session instead.");
    const count = store.liveChildCount(by) + this.#children.taken(by);
    if (count >= limits.childrenMax) {
      const whose = parentId === null ? "agents of one program" : "agents of one session";
      return REFUSE.treeLimit(whose, limits.childrenMax, "End one with kill_agent first.");
    }
    const over = this.#overBudget(by);
    if (over) return over;
    const delegation = { parentId, rootId: this.#rootOf(by, parent), depth, budget };
    return Object.assign(this.#children.take(by), { delegation });
  }

  /** One more turn in the tree of an agent, or of whoever asks for a new one. */
  admitTurn(asked: Delegator): Refusal | Admission {
    const { store, limits } = this.#deps;
    const session = sessionIn(asked);
    const root = this.#rootOf(asked, session === null ? null : store.get(session));
    if (store.running(root).length + this.#turns.taken(root) >= limits.runningMax)
      return REFUSE.treeLimit(
        "agents running at once",
        limits.runningMax,
        "Wait for one with wait_for_agents, or stop one with cancel_agent.",
      );
    return this.#overBudget(asked) ?? this.#turns.take(root);
  }

  /** What a message to an agent at work is measured by: it waits its turn, but it will be spent. */
  refuseSpending(childId: SessionId): Refusal | null {
    return this.#overBudget(childId);
  }

  /** The top of an agent's tree; undefined for a session that was started by hand. */
  rootOf(childId: SessionId): Delegator | undefined {
    return this.#deps.store.get(childId)?.rootId;
  }

  /** The agents of a tree whose turn has not ended. */
  runningIn(rootId: Delegator): readonly SessionId[] {
    return this.#deps.store.running(rootId);
  }

  /**
   * Which running turns have to stop, and in how many ms the next budget of time is spent if all go on. Tokens, money and time
   * are spent as a turn goes; `workedMs` is what each has worked, which is not on record yet. A turn that was admitted is counted
   * already and goes on. A budget that is spent stops everyone below it.
   */
  judgeRunning(workedMs: ReadonlyMap<SessionId, number>): {
    readonly over: ReadonlyMap<SessionId, Refusal>;
    readonly leftMs: number | null;
  } {
    const shared = new Map<SessionId, { readonly budget: Budget; readonly spenders: SessionId[] }>();
    for (const spender of workedMs.keys()) {
      for (const { id, budget } of this.#budgetsOver(spender)) {
        const known = shared.get(id);
        if (known) known.spenders.push(spender);
        else shared.set(id, { budget, spenders: [spender] });
      }
    }
    const over = new Map<SessionId, Refusal>();
    let leftMs: number | null = null;
    for (const [id, { budget, spenders }] of shared) {
      const runningMs = spenders.reduce((sum, spender) => sum + (workedMs.get(spender) ?? 0), 0);
      const refusal = this.#exceeded(id, budget, runningMs);
      if (refusal) for (const spender of spenders) over.set(spender, refusal);
      else if (budget.workMs !== undefined) {
        const ms = (budget.workMs - this.#deps.store.spentBy(id).workMs - runningMs) / spenders.length;
        leftMs = leftMs === null ? ms : Math.min(leftMs, ms);
      }
    }
    return { over, leftMs };
  }

  /** What an agent and all below it have spent, and what is left of the tightest budget above it. */
  standing(childId: SessionId): { readonly spent: Spent; readonly left?: Budget } {
    const left: Budget = {};
    for (const { id, budget } of this.#budgetsOver(childId)) {
      const spent = this.#deps.store.spentBy(id);
      for (const { name } of BUDGET_WORDS) {
        const limit = budget[name];
        if (limit !== undefined) left[name] = Math.min(left[name] ?? limit, Math.max(0, limit - spent[name]));
      }
    }
    const spent = this.#deps.store.spentBy(childId);
    return { spent, ...(Object.keys(left).length > 0 && { left }) };
  }

  /** Oldest first. */
  childrenOf(delegator: Delegator): readonly SessionId[] {
    return this.#deps.store.children(delegator);
  }

  /** Agents of programs outside that have not ended. */
  ofPrograms(): readonly SessionId[] {
    return this.#deps.store.liveOfPrograms();
  }

  /** Who asked for it; undefined for a session that was started by hand. */
  delegatorOf(sessionId: SessionId): Delegator | undefined {
    const delegation = this.#deps.store.get(sessionId);
    return delegation ? (delegation.parentId ?? delegation.rootId) : undefined;
  }

  /** Null for an agent of a program, undefined for a session that was started by hand. */
  parentOf(sessionId: SessionId): SessionId | null | undefined {
    return this.#deps.store.get(sessionId)?.parentId;
  }

  /** What a session and the agents below it have used, and may use; a session started by hand has the user's budget. */
  spending(sessionId: SessionId): { readonly spent: Spent; readonly budget: Budget } {
    const { store, limits } = this.#deps;
    return { spent: store.spentBy(sessionId), budget: store.get(sessionId)?.budget ?? limits.budget };
  }

  /** What ends when the session does. */
  endingWith(sessionId: SessionId): readonly SessionId[] {
    return this.#deps.keepChildren ? [] : this.#deps.store.children(sessionId);
  }

  /** What should have ended with its parent, had the server not stopped between the two. */
  forgotten(): readonly SessionId[] {
    return this.#deps.keepChildren ? [] : this.#deps.store.orphans();
  }

  /** Sessions that are to be woken some day. */
  waiting(): readonly SessionId[] {
    return this.#deps.store.waiting();
  }

  #rootOf(asked: Delegator, delegation: Delegation | null): Delegator {
    return delegation ? delegation.rootId : asked;
  }

  #overBudget(from: Delegator): Refusal | null {
    for (const { id, budget } of this.#budgetsOver(from)) {
      const over = this.#exceeded(id, budget, null);
      if (over) return over;
    }
    return null;
  }

  /** The budgets of every agent on the way up, and at the top the user's own for the whole tree. */
  #budgetsOver(from: Delegator): readonly { readonly id: SessionId; readonly budget: Budget }[] {
    const { store, limits } = this.#deps;
    const found: { id: SessionId; budget: Budget }[] = [];
    let top = sessionIn(from);
    for (let id = top; id !== null; ) {
      const delegation = store.get(id);
      if (delegation) found.push({ id, budget: delegation.budget });
      top = id;
      id = delegation?.parentId ?? null;
    }
    return top === null ? found : [...found, { id: top, budget: limits.budget }];
  }

  #exceeded(sessionId: SessionId, budget: Budget, runningWorkMs: number | null): Refusal | null {
    if (BUDGET_WORDS.every(({ name }) => budget[name] === undefined)) return null;
    const spent = this.#deps.store.spentBy(sessionId);
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

/** Counts what was promised and is not yet on record, by whom it was promised to. */
class Places<Owner> {
  readonly #taken = new Map<Owner, number>();

  taken(owner: Owner): number {
    return this.#taken.get(owner) ?? 0;
  }

  take(owner: Owner): Disposable {
    this.#add(owner, 1);
    let given = true;
    return {
      [Symbol.dispose]: () => {
        if (given) this.#add(owner, -1);
        given = false;
      },
    };
  }

  #add(owner: Owner, change: number): void {
    const count = this.taken(owner) + change;
    if (count === 0) this.#taken.delete(owner);
    else this.#taken.set(owner, count);
  }
}

/** What holds for a tree of agents, unless the user's settings say otherwise. */
export interface TreeLimits {
  /** How many levels of agents a session may have below it. */
  readonly depthMax: number;
  /** Children of one session that are neither killed nor archived. */
  readonly childrenMax: number;
  /** Turns that run at the same time in one tree. */
  readonly runningMax: number;
  /** What one tree may spend in all. */
  readonly budget: Budget;
}

export const TREE_LIMITS: TreeLimits = { depthMax: 3, childrenMax: 10, runningMax: 5, budget: {} };
