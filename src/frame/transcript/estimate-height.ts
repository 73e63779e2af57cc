import type { Entry } from "../../protocol/entry.ts";
import type { Gap, Row } from "./rows.ts";

const LINE_PX = 22;
const TOOL_LINE_PX = 28;
const CHARS_PER_LINE = 90;
/** Guesses need not grow with a text: past this the real height is measured soon enough. */
const LINES_MAX = 400;
const GAP_PX: Readonly<Record<Gap, number>> = { first: 0, tight: 0, entry: 16, turn: 32 };

/** How tall a row will probably be; a wrong guess only moves the scroll bar's thumb. */
export function estimateHeight(row: Row): number {
  return GAP_PX[row.gap] + (row.kind === "entry" ? entryHeight(row.entry) : TOOL_LINE_PX);
}

function entryHeight(entry: Entry): number {
  switch (entry.type) {
    case "user":
      return textHeight(entry.content) + 40;
    case "assistant":
      return textHeight(entry.content) + (entry.parts?.length ?? 0) * 200;
    case "thinking":
    case "tool-call":
      return TOOL_LINE_PX;
    case "plan":
      return TOOL_LINE_PX + entry.items.length * 24;
    case "notice":
      return textHeight(entry.content) + 18;
    default:
      return entry satisfies never;
  }
}

function textHeight(text: string): number {
  const lines = Math.ceil(text.length / CHARS_PER_LINE) + Math.min(text.split("\n", LINES_MAX).length, LINES_MAX) / 2;
  return Math.max(1, Math.min(LINES_MAX, Math.ceil(lines))) * LINE_PX;
}
