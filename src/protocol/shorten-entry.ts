import type { Entry, Part } from "./entry.ts";
import type { EntryId } from "./ids.ts";
import { shortenParts } from "./shorten-parts.ts";
import { SHOWN_CHARS_MAX, shorten } from "./shown-text.ts";

/** A text too long for its entry, on its way to the store. */
export interface WholeOutput {
  readonly entryId: EntryId;
  /** The part it stands for, as JSON; null for the tool call's own output. */
  readonly part: number | null;
  /** Where in the whole this piece begins; a piece that begins at 0 replaces what was there. */
  readonly start: number;
  readonly text: string;
}

/** An entry as it travels, and what had to be taken out of it. The same entry when nothing had to be. */
export function shortenEntry(entry: Entry): { readonly entry: Entry; readonly outputs: readonly WholeOutput[] } {
  if (entry.type === "assistant") return withParts(entry, entry.parts, []);
  if (entry.type !== "tool-call") return { entry, outputs: [] };
  const { entryId, result, truncated, parts } = entry;
  if (result === undefined || truncated || result.length <= SHOWN_CHARS_MAX) return withParts(entry, parts, []);
  const { text, truncated: ends } = shorten(result);
  return withParts({ ...entry, result: text, truncated: ends }, parts, [
    { entryId, part: null, start: 0, text: result },
  ]);
}

function withParts(entry: Entry, parts: readonly Part[] | undefined, outputs: readonly WholeOutput[]) {
  if (parts === undefined) return { entry, outputs };
  const short = shortenParts(parts);
  if (short.cut.length === 0) return { entry, outputs };
  const { entryId } = entry;
  const wholes = short.cut.map((part) => ({ entryId, part, start: 0, text: JSON.stringify(parts[part]) }));
  return { entry: { ...entry, parts: short.parts }, outputs: [...outputs, ...wholes] };
}
