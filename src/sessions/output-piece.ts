import type { OutputPiece, OutputRange } from "../ports/session-log.ts";
import type { Entry } from "../protocol/entry.ts";

/** A piece of what an entry has inside itself; null when there is nothing of that kind in it. */
export function pieceOf(entry: Entry | null, { part, from, charsMax }: OutputRange): OutputPiece | null {
  const whole = entry && (part === null ? resultOf(entry) : partOf(entry, part));
  return whole === null ? null : { content: whole.slice(from, from + charsMax), totalChars: whole.length };
}

function resultOf(entry: Entry): string | null {
  return entry.type === "tool-call" ? (entry.result ?? null) : null;
}

function partOf(entry: Entry, index: number): string | null {
  const part = entry.type === "tool-call" || entry.type === "assistant" ? entry.parts?.[index] : undefined;
  return part === undefined ? null : JSON.stringify(part);
}
