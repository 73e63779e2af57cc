import type { SessionLog } from "../ports/session-log.ts";
import { agentIdOf, type Entry } from "../protocol/entry.ts";
import type { Fact } from "../protocol/facts.ts";
import type { SessionId } from "../protocol/ids.ts";
import type { SessionState } from "../protocol/session-state.ts";
import type { Scene } from "./scene.ts";

/** Entries that have left the working state, as they stand now: what is not stored yet counts before what is. */
export class SettledEntries {
  readonly #sessionId: SessionId;
  readonly #log: SessionLog;
  #last: Entry | null;

  constructor(sessionId: SessionId, log: SessionLog) {
    this.#sessionId = sessionId;
    this.#log = log;
    this.#last = log.page(sessionId, null, 1)?.entries.at(-1) ?? null;
  }

  /** For deciding and observing in the middle of a burst: its own facts are in `state` and `staged`, not in the log. */
  seenFrom(state: SessionState, staged: readonly Fact[]) {
    const revised = (entry: Entry | null) =>
      entry && (lateEntries(staged).findLast(({ entryId }) => entryId === entry.entryId) ?? entry);
    const last = this.#last;
    return {
      get lastSettled() {
        return state.settled.at(-1) ?? revised(last);
      },
      lastUserEntry: () =>
        state.settled.findLast((entry) => entry.type === "user") ?? this.#log.lastUserEntry(this.#sessionId),
      settledByAgentId: (agentId) =>
        state.settled.findLast((entry) => agentIdOf(entry) === agentId) ??
        revised(this.#log.settledByAgentId(this.#sessionId, agentId)),
    } satisfies Partial<Scene>;
  }

  /** These have settled, and the facts revised those, on disk. */
  committed(settled: readonly Entry[], facts: readonly Fact[]): void {
    const last = settled.at(-1) ?? this.#last;
    this.#last = lateEntries(facts).findLast(({ entryId }) => entryId === last?.entryId) ?? last;
  }
}

/** Entries of ended turns that the facts revise. */
export function lateEntries(facts: readonly Fact[]): readonly Entry[] {
  return facts.flatMap((fact) => (fact.type === "session:update" && fact.late ? [fact.entry] : []));
}
