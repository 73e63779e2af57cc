import { type ChangeCounts, ENTRY_LEFT_OUT_MAX } from "../../protocol/changes.ts";
import type { ChangesEntry, NoticeEntry } from "../../protocol/entry.ts";
import type { FactBody } from "../../protocol/facts.ts";
import { EntryId } from "../../protocol/ids.ts";
import type { StopReason } from "../../protocol/stop-reason.ts";
import type { SessionContext, WorkdirEvent } from "./session-context.ts";

type Observed<Type extends WorkdirEvent["type"]> = Extract<WorkdirEvent, { type: Type }>;

/** The line at the end of a turn. The next turn may have begun: then the line stands before its message. */
export function observeChanges(context: SessionContext, { turnId, changes }: Observed<"turn-changes">): FactBody[] {
  const { before, after, files, total, added, removed, isLate, isShared, leftOut } = changes;
  const entry: ChangesEntry = {
    type: "changes",
    entryId: EntryId.parse(context.newId()),
    turnId,
    content: changesWords({ files: total, added, removed }),
    before,
    after,
    total,
    added,
    removed,
    files: [...files],
    ...(isLate && { late: true }),
    ...(isShared && { shared: true }),
    ...(leftOut.length > 0 && { leftOut: leftOut.slice(0, ENTRY_LEFT_OUT_MAX) }),
    timestamp: context.now,
  };
  const next = context.state.open.find((one) => one.type === "user" && one.turnId !== turnId);
  return [{ type: "session:update", entry, ...(next && { before: next.entryId }) }];
}

export function changesWords({ files, added, removed }: ChangeCounts): string {
  if (files === 0) return "No file in the checkpoints changed";
  return `${files} ${files === 1 ? "file" : "files"} changed, +${added} −${removed}`;
}

const NOTES_MAX = 20;

export function observeRestored(
  context: SessionContext,
  { to, restored, content, note, person }: Observed<"files-restored">,
): FactBody[] {
  const { safety, undoId, paths } = restored;
  const entry: NoticeEntry = {
    type: "notice",
    entryId: EntryId.parse(context.newId()),
    severity: "info",
    content,
    timestamp: context.now,
    restore: { to, safety, undoId, files: paths.length },
    ...(person && { person }),
  };
  return [{ type: "session:update", entry }, ...addNote(context, note)];
}

/** The restore's own notice may be settled already: this one records that it was undone. */
export function observeUndone(
  context: SessionContext,
  { undoId, content, person }: Observed<"restore-undone">,
): FactBody[] {
  const entry: NoticeEntry = {
    type: "notice",
    entryId: EntryId.parse(context.newId()),
    severity: "info",
    content,
    timestamp: context.now,
    undone: undoId,
    ...(person && { person }),
  };
  return [{ type: "session:update", entry }];
}

export function observeActed(context: SessionContext, { content, person }: Observed<"person-acted">): FactBody[] {
  const entry: NoticeEntry = {
    type: "notice",
    entryId: EntryId.parse(context.newId()),
    severity: "info",
    content,
    timestamp: context.now,
    person,
  };
  return [{ type: "session:update", entry }];
}

export function observeNotDiscarded(context: SessionContext, { content }: Observed<"discard-failed">): FactBody[] {
  const entry: NoticeEntry = {
    type: "notice",
    entryId: EntryId.parse(context.newId()),
    severity: "warning",
    content,
    timestamp: context.now,
  };
  return [{ type: "session:update", entry }];
}

/** Notes about files of the previous place do not apply to the new one. */
export function observeMoved(
  context: SessionContext,
  { worktree, content, primer }: Observed<"session-moved">,
): FactBody[] {
  const entry: NoticeEntry = {
    type: "notice",
    entryId: EntryId.parse(context.newId()),
    severity: "info",
    content,
    timestamp: context.now,
  };
  return [
    { type: "session:worktree", worktree },
    { type: "session:update", entry },
    { type: "session:agent-notes", notes: [] },
    { type: "session:primer", primer },
  ];
}

/** An existing note is not repeated: the user may decide about one file place by place. */
export function addNote({ state: { agentNotes, toldNotes } }: SessionContext, note: string): FactBody[] {
  if (agentNotes.includes(note)) return [];
  return [{ type: "session:agent-notes", notes: [...agentNotes, note].slice(-NOTES_MAX), told: [...toldNotes] }];
}

/**
 * The turn has ended. Notes count as delivered once the agent sent something in it: a server that was killed, an agent
 * that did not start and a withdrawn message deliver nothing. Delivering a note twice does no harm.
 */
export function settleNotes(context: SessionContext, stopReason: StopReason): FactBody[] {
  if (context.state.toldNotes.length === 0) return [];
  return [{ type: "session:agent-notes", notes: notesAfter(context, stopReason) }];
}

export function notesAfter({ state }: SessionContext, stopReason: StopReason): string[] {
  const { agentNotes, toldNotes, open, turn } = state;
  const isHeard = open.some(({ type, turnId }) => turnId === turn.turnId && type !== "user" && type !== "notice");
  const isUntold = !isHeard && (stopReason === "interrupted" || stopReason === "error" || stopReason === "cancelled");
  return isUntold ? [...new Set([...toldNotes, ...agentNotes])].slice(-NOTES_MAX) : [...agentNotes];
}

export function sameCounts(a: ChangeCounts | null, b: ChangeCounts | null): boolean {
  return a?.files === b?.files && a?.added === b?.added && a?.removed === b?.removed;
}
