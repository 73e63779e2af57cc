import type { SessionLog } from "../../ports/session-log.ts";
import type { Entry } from "../../protocol/entry.ts";
import type { CommandId, EntryId, SessionId, TurnId } from "../../protocol/ids.ts";
import { PAGE_ENTRIES_MAX } from "../../protocol/limits.ts";
import type { RunState } from "../../protocol/schedules.ts";
import type { TurnError } from "../../protocol/session-parts.ts";
import { isTurnActive } from "../../protocol/session-schema.ts";
import type { StopReason } from "../../protocol/stop-reason.ts";
import { turnEndWords } from "../../protocol/turn-end-words.ts";

interface RunOutcome {
  readonly state: RunState;
  readonly detail: string | null;
  /** It waits for the end of a usage limit: its session may continue it. */
  readonly mayContinue?: boolean;
}

/** How far back the message of a run is looked for. */
const PAGES_MAX = 10;

/**
 * How the turn of a stored message ended; null while it waits or runs. Read from the store alone, where a message is in
 * the queue or in the conversation at any time.
 */
export async function runOutcome(
  log: Pick<SessionLog, "load" | "page">,
  sessionId: SessionId,
  commandId: CommandId,
): Promise<RunOutcome | null> {
  const session = await log.load(sessionId);
  if (!session) return { state: "failed", detail: "The session was deleted." };
  const { turn, queue, open, pause } = session.state;
  if (queue.some((item) => item.commandId === commandId)) return null;
  const entries = await entriesSince(log, sessionId, commandId, open);
  if (entries === null) return { state: "cancelled", detail: "Its message was removed from the queue." };
  const turns = turnsOf(entries);
  const turnId = turns.isOver ? turns.ids.at(-1) : turn.turnId;
  if (turn.turnId === turnId) {
    if (isTurnActive(turn)) return null;
    const isLimited = pause !== null || turn.error?.code === "AGENT_LIMIT";
    return { ...outcomeOf(turn.stopReason, turn.error, isLimited), mayContinue: pause !== null };
  }
  // Another turn has followed it.
  return outcomeOf(endOf(entries, turnId), undefined, limitEnded(entries, turnId));
}

/**
 * The turns that answer the message. After a usage limit its session continues by itself, without a message or with a
 * generated one; the next message of another author begins something new, and it `isOver`.
 */
function turnsOf(entries: readonly Entry[]): { readonly ids: TurnId[]; readonly isOver: boolean } {
  const ids: TurnId[] = [];
  for (const entry of entries) {
    const { turnId } = entry;
    if (turnId === undefined || ids.includes(turnId)) continue;
    if (entry.type === "user" && entry !== entries[0] && entry.author !== "limit") return { ids, isOver: true };
    ids.push(turnId);
  }
  return { ids, isOver: false };
}

/** The message and what follows it, oldest first; null when there is no such message. */
async function entriesSince(
  log: Pick<SessionLog, "page">,
  sessionId: SessionId,
  commandId: CommandId,
  open: readonly Entry[],
): Promise<readonly Entry[] | null> {
  const isAsked = (entry: Entry) => entry.type === "user" && entry.commandId === commandId;
  let entries: readonly Entry[] = open;
  let before: EntryId | null = null;
  for (let pages = 0; ; pages += 1) {
    const at = entries.findIndex(isAsked);
    if (at !== -1) return entries.slice(at);
    if (pages === PAGES_MAX) return null;
    const page: readonly Entry[] = (await log.page(sessionId, before, PAGE_ENTRIES_MAX))?.entries ?? [];
    if (page[0] === undefined) return null;
    before = page[0].entryId;
    entries = [...page, ...entries];
  }
}

function endOf(entries: readonly Entry[], turnId: TurnId | undefined): StopReason {
  const end = entries.find((entry) => entry.type === "notice" && entry.turnEnd && entry.turnId === turnId);
  return end?.type === "notice" ? (end.turnEnd ?? "end_turn") : "end_turn";
}

/** The notice at the end of a turn is an error, unless a usage limit ended it. */
function limitEnded(entries: readonly Entry[], turnId: TurnId | undefined): boolean {
  const end = entries.find((entry) => entry.type === "notice" && entry.turnEnd && entry.turnId === turnId);
  return end?.type === "notice" && end.turnEnd === "error" && end.severity === "warning";
}

function outcomeOf(stopReason: StopReason | undefined, error: TurnError | undefined, isLimited: boolean): RunOutcome {
  const detail = error?.message ?? turnEndWords(stopReason)?.content ?? null;
  if (isLimited) return { state: "limited", detail };
  if (stopReason === "end_turn") return { state: "done", detail: null };
  if (stopReason === "cancelled" && error === undefined) return { state: "cancelled", detail };
  return { state: "failed", detail };
}
