import type { Token } from "marked";

/** A list or indented code before a blank line goes on when the next line starts with one of these. */
const MAY_CONTINUE = /[ \t*+\-\d]/;
const BLANK_LINE = /\n[ \t]*\n/;
const ATX_HEADING = /^ {0,3}#/;

/**
 * How much of the source no further text can change, in characters: the cut lies before a block that starts after
 * a blank line, or right after a block that ends itself. Definitions, setext headings, tables and lazy lines reach
 * back to the last blank line and no further; an open fence or comment swallows the rest, so no block follows it.
 */
export function settledLength(source: string, tokens: readonly Token[]): number {
  let settled = 0;
  let offset = 0;
  let previous: Token | null = null;
  let previousIsSettled = false;
  for (const token of tokens) {
    if (!source.startsWith(token.raw, offset)) break; // marked rewrote the source, so offsets mean nothing from here on
    const isFirst = previous === null;
    const followsBlank =
      previous?.type === "space" && isAfterBlankLine(source, offset, previous) && isDecided(source, offset);
    const followsClosed: boolean = previousIsSettled && previous !== null && endsItself(previous);
    const isSettledStart: boolean = token.type !== "space" && (isFirst || followsBlank || followsClosed);
    if (isSettledStart) settled = offset;
    previousIsSettled = isSettledStart;
    previous = token;
    offset += token.raw.length;
  }
  return settled;
}

/** marked counts the blanks at the end of a list's last line as space too. */
function isAfterBlankLine(source: string, offset: number, space: Token): boolean {
  return BLANK_LINE.test(source.slice(Math.max(0, offset - space.raw.length - 1), offset));
}

/** Whether the line at the offset shows enough of itself to say that the block before it has ended. */
function isDecided(source: string, offset: number): boolean {
  return !MAY_CONTINUE.test(source.charAt(offset)) || source.includes("\n", offset);
}

function endsItself(token: Token): boolean {
  switch (token.type) {
    case "hr":
      return token.raw.endsWith("\n");
    case "heading":
      return ATX_HEADING.test(token.raw) && token.raw.endsWith("\n");
    case "code":
      return token["codeBlockStyle"] !== "indented" && token.raw.endsWith("\n");
    default:
      return false;
  }
}
