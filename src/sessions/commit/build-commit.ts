import type { Lookups } from "../../lib/lookups.ts";
import type { Commit, Said, SessionLog } from "../../ports/session-log.ts";
import { type Entry, externalIdOf, type UserEntry } from "../../protocol/entry.ts";
import type { Fact } from "../../protocol/facts.ts";
import type { EntryId, SessionId } from "../../protocol/ids.ts";
import { isTurnActive, type SessionState } from "../../protocol/session-schema.ts";
import type { WholeOutput } from "../../protocol/shorten-entry.ts";
import { type CommandResult, receiptOf } from "../command-result.ts";
import type { SessionContext } from "../rules/session-context.ts";

/** The text of a longer turn enters the search index in small steps, so that its end is not delayed. */
const SEARCHED_AT_ONCE_ENTRIES_MAX = 2_000;

interface Made {
  readonly facts: readonly Fact[];
  /** Includes the facts. */
  readonly state: SessionState;
  readonly outputs: readonly WholeOutput[];
  readonly done: CommandResult | null;
  readonly now: string;
  /** Someone is viewing the session. */
  readonly isShown: boolean;
  /** The agent replays old messages, so there is no new activity. */
  readonly isFromMemory: boolean;
}

/** Computes what to store for new facts, and the remaining working state. */
export function buildCommit({ facts, state, outputs, done, now, isShown, isFromMemory }: Made) {
  const { settled, working } = settle(state);
  const hasSettled = settled.length > 0 || !isTurnActive(working.turn);
  const commit: Omit<Commit, "binding" | "continuation"> = {
    ...{ facts, state, settled, outputs },
    snapshot: hasSettled ? working : null,
    revised: lateEntries(facts),
    lastActiveAt: done?.isSend || (!isFromMemory && facts.some(isActivity)) ? now : null,
    attention: attentionOf(facts, done?.isSend === true || isShown),
    receipt: done && receiptOf(done, now),
    isSearchedLater: settled.length > SEARCHED_AT_ONCE_ENTRIES_MAX,
  };
  return { commit, settled, working };
}

/** What the user should notice: an ended turn, in any way, and one that waits for them. */
function attentionOf(facts: readonly Fact[], isSeen: boolean): Commit["attention"] {
  const news = facts.findLast(
    (fact) => fact.type === "session:turn" && (fact.turn.state === "idle" || fact.turn.state === "waiting"),
  );
  return news ? { seq: news.seq, isSeen } : null;
}

/** Entries of ended turns move from the working state to the entry table; a session's cost is its open turn. */
export function settle(state: SessionState): { settled: readonly Entry[]; working: SessionState } {
  if (isTurnActive(state.turn)) return { settled: state.settled, working: { ...state, settled: [] } };
  return { settled: [...state.settled, ...state.open], working: { ...state, settled: [], open: [] } };
}

/** Sending and receiving is activity; opening, renaming and archiving are not. */
function isActivity(fact: Fact): boolean {
  return fact.type === "session:update" || fact.type === "session:chunk" || fact.type === "session:turn";
}

/** Entries that have left the working state, in their latest form: unstored changes count before stored ones. */
export class SettledEntries {
  readonly #sessionId: SessionId;
  readonly #log: SessionLog;
  readonly #lookups: Lookups;
  #last: Entry | null;

  /** `last`: the last settled entry that is part of the conversation. */
  constructor(sessionId: SessionId, log: SessionLog, lookups: Lookups, last: Entry | null) {
    this.#sessionId = sessionId;
    this.#log = log;
    this.#lookups = lookups;
    this.#last = last;
  }

  static async open(sessionId: SessionId, log: SessionLog, lookups: Lookups): Promise<SettledEntries> {
    // At most one notice about a turn's end follows the last entry of the conversation.
    const newest = await log.page(sessionId, null, 2);
    return new SettledEntries(sessionId, log, lookups, newest?.entries.findLast(isConversation) ?? null);
  }

  /** For deciding and observing during a burst: its own facts are in `state` and `staged`, not in the log. */
  seenFrom(state: SessionState, staged: readonly Fact[]) {
    const revised = (entry: Entry | null) =>
      entry && (lateEntries(staged).findLast(({ entryId }) => entryId === entry.entryId) ?? entry);
    const last = this.#last;
    const [id, log, lookups] = [this.#sessionId, this.#log, this.#lookups];
    return {
      settledEntry: (entryId: EntryId) =>
        state.settled.findLast((entry) => entry.entryId === entryId) ??
        revised(lookups.find<Entry | null>(`entry ${entryId}`, null, () => log.settledEntry(id, entryId))),
      get lastSettled() {
        return state.settled.findLast(isConversation) ?? revised(last);
      },
      lastUserEntry: () =>
        state.settled.findLast(isPrompt) ??
        lookups.find<UserEntry | null>("last user entry", null, () => log.lastUserEntry(id)),
      settledByAgentId: (agentId) =>
        state.settled.findLast((entry) => externalIdOf(entry) === agentId) ??
        revised(lookups.find<Entry | null>(`agent ${agentId}`, null, () => log.settledByAgentId(id, agentId))),
      said: () => lookups.find<readonly Said[]>("said", [], () => log.said(id)),
    } satisfies Partial<SessionContext> & Record<string, unknown>;
  }

  /** These entries have settled, and those facts revised others, on disk. */
  committed(settled: readonly Entry[], facts: readonly Fact[]): void {
    this.#lookups.clear();
    const last = settled.findLast(isConversation) ?? this.#last;
    this.#last = lateEntries(facts).findLast(({ entryId }) => entryId === last?.entryId) ?? last;
  }
}

/** A user message that started a turn: the one to send again if that failed. */
function isPrompt(entry: Entry): entry is UserEntry {
  return entry.type === "user" && entry.parentToolCallId === undefined && !entry.steered;
}

/** Our notices about the end of a turn are not part of the conversation: late updates belong to the entry before them. */
function isConversation(entry: Entry): boolean {
  return entry.type !== "notice" || entry.turnEnd === undefined;
}

/** Entries of ended turns that the facts revise. */
function lateEntries(facts: readonly Fact[]): readonly Entry[] {
  return facts.flatMap((fact) => (fact.type === "session:update" && fact.late ? [fact.entry] : []));
}
