import type { SessionLog } from "../../ports/session-log.ts";
import { agentIdOf, type Entry, type UserEntry } from "../../protocol/entry.ts";
import type { Fact } from "../../protocol/facts.ts";
import type { EntryId, SessionId } from "../../protocol/ids.ts";
import type { SessionState } from "../../protocol/session-state.ts";
import type { Scene } from "../meaning/scene.ts";

/** Entries that have left the working state, as they stand now: what is not stored yet counts before what is. */
export class SettledEntries {
  readonly #sessionId: SessionId;
  readonly #log: SessionLog;
  #last: Entry | null;

  constructor(sessionId: SessionId, log: SessionLog) {
    this.#sessionId = sessionId;
    this.#log = log;
    // At most one word of ours about a turn's end stands after the last thing said in it.
    this.#last = log.page(sessionId, null, 2)?.entries.findLast(isSaid) ?? null;
  }

  /** For deciding and observing in the middle of a burst: its own facts are in `state` and `staged`, not in the log. */
  seenFrom(state: SessionState, staged: readonly Fact[]) {
    const revised = (entry: Entry | null) =>
      entry && (lateEntries(staged).findLast(({ entryId }) => entryId === entry.entryId) ?? entry);
    const last = this.#last;
    return {
      settledEntry: (entryId: EntryId) =>
        state.settled.findLast((entry) => entry.entryId === entryId) ??
        revised(this.#log.settledEntry(this.#sessionId, entryId)),
      get lastSettled() {
        return state.settled.findLast(isSaid) ?? revised(last);
      },
      lastUserEntry: () => state.settled.findLast(isPrompt) ?? this.#log.lastUserEntry(this.#sessionId),
      settledByAgentId: (agentId) =>
        state.settled.findLast((entry) => agentIdOf(entry) === agentId) ??
        revised(this.#log.settledByAgentId(this.#sessionId, agentId)),
    } satisfies Partial<Scene> & Record<string, unknown>;
  }

  /** These have settled, and the facts revised those, on disk. */
  committed(settled: readonly Entry[], facts: readonly Fact[]): void {
    const last = settled.findLast(isSaid) ?? this.#last;
    this.#last = lateEntries(facts).findLast(({ entryId }) => entryId === last?.entryId) ?? last;
  }
}

/** A message of the user's that began a turn of its own: the one to send again when that failed. */
function isPrompt(entry: Entry): entry is UserEntry {
  return entry.type === "user" && entry.parentToolCallId === undefined && !entry.steered;
}

/** Words of ours about how a turn ended are no part of the talk: what comes late belongs to what was said before them. */
function isSaid(entry: Entry): boolean {
  return entry.type !== "notice" || entry.turnEnd === undefined;
}

/** Entries of ended turns that the facts revise. */
export function lateEntries(facts: readonly Fact[]): readonly Entry[] {
  return facts.flatMap((fact) => (fact.type === "session:update" && fact.late ? [fact.entry] : []));
}
