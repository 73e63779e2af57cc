import type { World } from "../../ports/world.ts";
import type { UsageLimit } from "../../protocol/conversations.ts";
import type { Fact } from "../../protocol/facts.ts";
import { type CliType, cliTypeOf, type SessionId } from "../../protocol/ids.ts";
import { isTurnActive, type SessionState } from "../../protocol/session-schema.ts";
import type { Answer } from "../answer.ts";
import type { LimitCommand } from "../rules/usage-limits.ts";

interface ResumerDeps {
  readonly world: World;
  readonly sessions: {
    execute(command: LimitCommand): Promise<Answer>;
    loaded(): readonly { readonly id: SessionId; readonly state: SessionState }[];
  };
  /** Sessions that are to continue by themselves, from an earlier run of the server. */
  readonly armed: () => Promise<readonly { readonly sessionId: SessionId; readonly resumesAt: string }[]>;
  readonly checkMs: number;
  readonly followMs: number;
  readonly onError: (error: unknown) => void;
}

/** After too many failed retries, no session retries on this account for this long. */
const GIVEN_UP_MS = 10 * 60_000;
/** After the first success, sessions of an account follow each other at this distance. */
export const LIMIT_FOLLOW_MS = 2_000;

/**
 * Continues sessions whose usage limit has ended. All sessions of an agent share its account: one of them is tried
 * first, the others wait for its outcome.
 */
export class LimitResumer {
  readonly #deps: ResumerDeps;
  /** When each session continues, in ms since 1970. */
  readonly #armed = new Map<SessionId, number>();
  /** The session of each account that is tried first. */
  readonly #first = new Map<CliType, SessionId>();
  /** Accounts that refused again: until when no retry is needed, in ms since 1970, and their message. */
  readonly #refused = new Map<CliType, { readonly until: number; readonly limit: UsageLimit }>();
  /** Accounts on which a session has continued since their last limit. */
  readonly #working = new Set<CliType>();
  readonly #follow = new Map<CliType, ReturnType<typeof setTimeout>>();
  #checks: ReturnType<typeof setInterval> | undefined;

  constructor(deps: ResumerDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    for (const { sessionId, resumesAt } of await this.#deps.armed())
      if (!this.#armed.has(sessionId)) this.#armed.set(sessionId, Date.parse(resumesAt));
    for (const { id, state } of this.#deps.sessions.loaded())
      if (isTurnActive(state.turn) && state.turn.resumed) this.#first.set(cliTypeOf(id), id);
    this.#checks = setInterval(() => this.look(), this.#deps.checkMs).unref();
    this.look();
  }

  stop(): void {
    clearInterval(this.#checks);
    for (const timer of this.#follow.values()) clearTimeout(timer);
  }

  /** Must be called with all stored facts, in order. */
  committed(sessionId: SessionId, facts: readonly Fact[]): void {
    for (const fact of facts) {
      if (fact.type === "session:pause") this.#paused(sessionId, fact);
      if (this.#first.get(cliTypeOf(sessionId)) === sessionId) this.#heardOfFirst(sessionId, fact);
    }
  }

  /** Continues what is due: of each account one session at a time. */
  look(): void {
    const now = this.#deps.world.now();
    const due = [...this.#armed].filter(([, at]) => at <= now).sort(([, one], [, other]) => one - other);
    for (const cliType of new Set(due.map(([id]) => cliTypeOf(id)))) {
      const [next] = due.find(([id]) => cliTypeOf(id) === cliType) ?? [];
      if (next === undefined || this.#follow.has(cliType)) continue;
      const refused = this.#refused.get(cliType);
      if (refused && now < refused.until) {
        this.#learnFrom(refused.limit, cliType).catch(this.#deps.onError);
        continue;
      }
      if (this.#working.has(cliType)) this.#followUp(cliType);
      else if (this.#first.has(cliType)) continue;
      else this.#first.set(cliType, next);
      this.#resume(next).catch(this.#deps.onError);
    }
  }

  async #resume(sessionId: SessionId): Promise<void> {
    const answer = await this.#deps.sessions.execute({ type: "session:limit-due", sessionId });
    if (answer.kind !== "refused") return;
    const cliType = cliTypeOf(sessionId);
    if (this.#first.get(cliType) === sessionId) this.#first.delete(cliType);
    // Anything else may pass, for example a disk that is full.
    const { code } = answer.refusal;
    if (code === "REQUEST_NOT_PENDING" || code === "SESSION_NOT_FOUND") this.#armed.delete(sessionId);
  }

  #paused(sessionId: SessionId, { pause }: Extract<Fact, { type: "session:pause" }>): void {
    if (pause?.resumesAt == null) this.#armed.delete(sessionId);
    else this.#armed.set(sessionId, Date.parse(pause.resumesAt));
    if (pause === null) return;
    const cliType = cliTypeOf(sessionId);
    this.#working.delete(cliType);
    if (this.#first.get(cliType) !== sessionId) return;
    this.#first.delete(cliType);
    const until = pause.resumesAt === null ? this.#deps.world.now() + GIVEN_UP_MS : Date.parse(pause.resumesAt);
    this.#refused.set(cliType, { until, limit: pause.limit });
    this.#learnFrom(pause.limit, cliType).catch(this.#deps.onError);
  }

  /** The others would be refused, too: they wait as long as the one that asked, and stop with it. */
  async #learnFrom(limit: UsageLimit, cliType: CliType): Promise<void> {
    const now = this.#deps.world.now();
    const due = [...this.#armed].filter(([id, at]) => cliTypeOf(id) === cliType && at <= now);
    for (const [sessionId] of due) await this.#deps.sessions.execute({ type: "session:limit-again", sessionId, limit });
  }

  /** A limit comes before any work: a tool call, a thought or an ordinary end shows that the account works. */
  #heardOfFirst(sessionId: SessionId, fact: Fact): void {
    const cliType = cliTypeOf(sessionId);
    const isWork =
      fact.type === "session:update" && ["tool-call", "plan", "thinking"].includes(fact.entry.type) && !fact.late;
    const end = fact.type === "session:turn" && fact.turn.state === "idle" ? fact.turn : null;
    if ((!isWork && !end) || end?.error?.limit) return;
    this.#first.delete(cliType);
    if (isWork || end?.stopReason === "end_turn") {
      this.#working.add(cliType);
      this.#refused.delete(cliType);
      this.#followUp(cliType);
    } else this.look();
  }

  #followUp(cliType: CliType): void {
    clearTimeout(this.#follow.get(cliType));
    const timer = setTimeout(() => {
      this.#follow.delete(cliType);
      this.look();
    }, this.#deps.followMs);
    this.#follow.set(cliType, timer.unref());
  }
}
