import type { MarkedToken, Token } from "marked";

type Slot = readonly Token[];
type SourceOf = (slot: Slot) => string;

const ENDS_BLANK = /\n[ \t]*\n[ \t]*$/;

/** The leaf that the next characters will most likely extend, or null when the last block takes no inline text. */
export function growingSlot(source: string, tokens: readonly Token[], sourceOf: SourceOf): Slot | null {
  return ENDS_BLANK.test(source) ? null : lastSlot(tokens, source.endsWith("\n"), sourceOf);
}

function lastSlot(tokens: readonly Token[], isLineEnd: boolean, sourceOf: SourceOf): Slot | null {
  const last = tokens.findLast((token): token is MarkedToken => token.type !== "space" && token.type !== "checkbox");
  switch (last?.type) {
    case "paragraph":
      return last.tokens;
    case "text":
      return last.tokens ?? null;
    case "heading":
      return isLineEnd ? null : last.tokens;
    case "blockquote":
      return lastSlot(last.tokens, isLineEnd, sourceOf);
    case "list":
      return lastSlot(last.items.at(-1)?.tokens ?? [], isLineEnd, sourceOf);
    case "table": {
      if (isLineEnd) return null;
      const cells = last.rows.at(-1) ?? last.header;
      return cells.findLast((cell) => sourceOf(cell.tokens) !== "")?.tokens ?? null; // short rows are padded with empty cells
    }
    default:
      return null;
  }
}
