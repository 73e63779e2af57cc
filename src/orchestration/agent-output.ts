import type { Entry } from "../protocol/entry.ts";

const TEXT_CHARS_MAX = 60_000;
const ENTRY_CHARS_MAX = 8_000;

/** An entry in few words: what it is, what it says, and for a tool call how it went. */
export type SpokenEntry = {
  readonly entryId: string;
  readonly type: Entry["type"];
  readonly text: string;
  readonly status?: string;
};

/** What the agent said last, in full where that is not too long. */
export function lastMessage(entries: readonly Entry[]): string {
  return shorten(entries.findLast(({ type }) => type === "assistant")?.content ?? "", TEXT_CHARS_MAX);
}

export function spoken(entry: Entry): SpokenEntry {
  const { entryId, type } = entry;
  if (entry.type !== "tool-call") return { entryId, type, text: shorten(entry.content, ENTRY_CHARS_MAX) };
  // Of a call that still runs, or waits for permission, what it is about to do is all there is.
  const input = entry.status === "running" && entry.input !== undefined ? JSON.stringify(entry.input) : "";
  const said = [entry.name, input, entry.result ?? entry.content, entry.error].filter(Boolean).join("\n");
  return { entryId, type, text: shorten(said, ENTRY_CHARS_MAX), status: entry.status };
}

/** The end counts most: that is where results stand. */
export function shorten(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  return `… (${text.length - charsMax} characters left out)\n${text.slice(-charsMax)}`;
}
