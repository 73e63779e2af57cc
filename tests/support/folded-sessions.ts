import { foldMessage } from "../../src/protocol/fold-message.ts";
import type { FactMessage, ServerMessage } from "../../src/protocol/server-messages.ts";
import type { SessionResumed } from "../../src/protocol/session-messages.ts";
import { EMPTY_SESSION, type SessionState } from "../../src/protocol/session-schema.ts";

/** The sessions a test client follows, folded as the page folds them, with an eye on what a follower may rely on. */
export class FoldedSessions {
  readonly #states: Map<string, SessionState>;
  readonly #followed = new Set<string>();
  /** The last seq that reached a follower, or that it said it has. */
  readonly #delivered = new Map<string, number>();
  /** Entries that were said to be whole, by session. */
  readonly #whole = new Map<string, Set<string>>();
  /** What `session:resumed` promised, until the missed facts have been folded. */
  readonly #promised = new Map<string, SessionResumed>();
  readonly #report: (violation: string) => void;

  constructor(states: ReadonlyMap<string, SessionState> | undefined, report: (violation: string) => void) {
    this.#states = new Map(states);
    this.#report = report;
  }

  /** All that is known, for a client that comes back. */
  get states(): ReadonlyMap<string, SessionState> {
    return this.#states;
  }

  state(sessionId: string): SessionState {
    return this.#states.get(sessionId) ?? EMPTY_SESSION;
  }

  /** The client said that it stops following. */
  leave(sessionId: string): void {
    this.#followed.delete(sessionId);
  }

  /** `after` is the cursor that the client opened the session with, on the answer to that. */
  fold(message: ServerMessage, isAnswer: boolean, after: number | undefined): void {
    switch (message.type) {
      case "session:history":
        this.#followed.add(message.sessionId);
        this.#delivered.set(message.sessionId, message.seq);
        this.#whole.delete(message.sessionId);
        this.#set(message.sessionId, foldMessage(this.state(message.sessionId), message));
        return;
      case "session:resumed":
        this.#followed.add(message.sessionId);
        this.#delivered.set(message.sessionId, after ?? message.seq);
        this.#promised.set(message.sessionId, message);
        this.#keepPromise(message.sessionId);
        return;
      case "session:page":
        this.#set(message.sessionId, foldMessage(this.state(message.sessionId), message));
        return;
      default:
        if ("seq" in message && "sessionId" in message && this.#followed.has(message.sessionId))
          this.#foldFact(message, isAnswer);
    }
  }

  #foldFact(fact: FactMessage, isAnswer: boolean): void {
    const state = this.state(fact.sessionId);
    const delivered = this.#delivered.get(fact.sessionId) ?? 0;
    // An answer may repeat an old outcome; anything else that is not new was sent twice or out of order.
    if (fact.seq <= delivered && !isAnswer)
      this.#report(`${fact.type} ${fact.seq} came after ${delivered} of ${fact.sessionId}`);
    this.#delivered.set(fact.sessionId, Math.max(fact.seq, delivered));
    if (fact.seq > state.seq) this.#checkText(fact, state);
    this.#set(fact.sessionId, foldMessage(state, fact));
    this.#keepPromise(fact.sessionId);
  }

  #checkText(fact: FactMessage, state: SessionState): void {
    const whole = this.#whole.get(fact.sessionId) ?? new Set();
    this.#whole.set(fact.sessionId, whole);
    if (fact.type === "session:complete" || fact.type === "session:cancelled") {
      whole.add(fact.entryId);
      return;
    }
    if (fact.type !== "session:chunk") return;
    const isKnown = [...state.open, ...state.settled].some(({ entryId }) => entryId === fact.entryId);
    if (!isKnown) this.#report(`a chunk for ${fact.entryId}, which was never announced`);
    if (whole.has(fact.entryId)) this.#report(`a chunk for ${fact.entryId} after it was said to be whole`);
  }

  /** Once all that was missed is folded, the state must be what the server said it was. */
  #keepPromise(sessionId: string): void {
    const promised = this.#promised.get(sessionId);
    const state = this.state(sessionId);
    if (!promised || state.seq < promised.seq) return;
    this.#promised.delete(sessionId);
    const { turn, pending, visits, queue, queuePaused, config, title, titleSource, archived } = promised;
    const told = { turn, pending, visits, queue, queuePaused, config, title, titleSource, archived };
    const folded = Object.fromEntries(Object.entries(state).filter(([name]) => Object.hasOwn(told, name)));
    if (state.seq === promised.seq && !Bun.deepEquals(folded, told))
      this.#report(`after session:resumed ${Bun.inspect(told)} the facts made ${Bun.inspect(folded)}`);
  }

  #set(sessionId: string, state: SessionState): void {
    this.#states.set(sessionId, state);
  }
}
