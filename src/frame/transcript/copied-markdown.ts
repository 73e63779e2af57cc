import { copiedMarkdown } from "../../presentation/entry-text.ts";
import type { Entry } from "../../protocol/entry.ts";
import type { EntryId } from "../../protocol/ids.ts";
import type { EntryRow, TranscriptRows } from "./rows.ts";

/** The source of a message; null if there is none. */
export function entryMarkdown({ settled, open }: TranscriptRows, entryId: EntryId): string | null {
  return findEntry([...open, ...settled], entryId)?.content ?? null;
}

/** The turn of an entry, from the user's message to the next one: messages in full, steps as a list. */
export function turnMarkdown(
  { settled, open }: TranscriptRows,
  entryId: EntryId,
  { agentName, directory }: { readonly agentName: string; readonly directory: string },
): string | null {
  const rows = [...settled, ...open];
  const at = rows.findIndex(({ entry }) => entry.entryId === entryId);
  if (at === -1) return null;
  const start = rows.slice(0, at + 1).findLastIndex(({ entry }) => entry.type === "user");
  const length = rows.slice(at + 1).findIndex(({ entry }) => entry.type === "user");
  const turn = rows.slice(Math.max(0, start), length === -1 ? rows.length : at + 1 + length).map(({ entry }) => entry);
  const pieces: string[] = [];
  let speaker = "";
  for (const [index, entry] of turn.entries()) {
    const text = copiedMarkdown(entry, directory);
    if (text === null) continue;
    const next = entry.type === "user" ? "You" : agentName;
    if (next !== speaker) pieces.push(`**${next}**`);
    speaker = next;
    // Consecutive steps are one list.
    const before = turn[index - 1];
    if (entry.type === "tool-call" && before?.type === "tool-call") pieces.push(`${pieces.pop() ?? ""}\n${text}`);
    else pieces.push(text);
  }
  return `${pieces.join("\n\n")}\n`;
}

function findEntry(rows: readonly EntryRow[], entryId: EntryId): Entry | null {
  for (const { entry, children } of rows) {
    const found = entry.entryId === entryId ? entry : findEntry(children, entryId);
    if (found) return found;
  }
  return null;
}
