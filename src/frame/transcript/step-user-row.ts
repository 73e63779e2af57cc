import type { EntryRow, TranscriptRows } from "./rows.ts";

interface UserStep {
  /** The entry the reader is at; null before the first. */
  readonly from: string | null;
  /** That entry is a message of the user's that was stepped to: the one before is another. */
  readonly isOn: boolean;
  readonly steps: 1 | -1;
}

/** The user's next message after an entry, or the last at or before it; null when there is none. */
export function stepUserRow({ settled, open }: TranscriptRows, { from, isOn, steps }: UserStep): EntryRow | null {
  const rows = [...settled, ...open];
  const at = rows.findIndex(({ entry }) => entry.entryId === from);
  const isUser = ({ entry }: EntryRow) => entry.type === "user";
  if (steps === 1) return rows.slice(at + 1).find(isUser) ?? null;
  return rows.slice(0, Math.max(0, isOn ? at : at + 1)).findLast(isUser) ?? null;
}
