import type { PastLine } from "../process/process-host.ts";
import { type JournalRecord, KIND } from "./journal-record.ts";

/**
 * What a journal has to tell a server that comes anew: the last note first, then what is not covered by it. A note
 * covers the agent's lines up to the one it names, and everything the server had said before it.
 */
export function pastOf(records: readonly JournalRecord[]): readonly PastLine[] {
  const at = records.findLastIndex(({ kind }) => kind === KIND.note);
  const note = records[at] ? noteOf(records[at]) : null;
  const covered = note?.offset ?? 0;
  const lines = records.flatMap(({ kind, offset, text }, index): PastLine[] => {
    if (kind === KIND.in && offset > covered) return [{ direction: "in", offset, text }];
    return kind === KIND.out && index > at ? [{ direction: "out", offset, text }] : [];
  });
  return note ? [note, ...lines] : lines;
}

/** The journal keeps what a note covers in its first line. */
function noteOf({ text }: JournalRecord): PastLine {
  const end = text.indexOf("\n");
  return { direction: "note", offset: Number(text.slice(0, end)), text: text.slice(end + 1) };
}
