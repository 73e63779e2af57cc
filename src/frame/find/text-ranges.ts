import { TEXT_BREAK } from "./find-pattern.ts";

/** What stands in an entry and is none of its text: heads, clocks, buttons, numbers, and the entries inside it. */
const APART =
  "article, .visually-hidden, .block-head, .entry-meta, .entry-actions, .end, .note, .segments, [hidden], .terminal-more, " +
  ".show-more, .fold, .tool-raw, .whole-output, .sub-agent > .line, .tag, .stat-add, .stat-del";
const BLOCKS = "p, h1, h2, h3, h4, h5, h6, pre, td, th, li, button, div, summary, a.part-link, article";

interface Piece {
  readonly node: Text;
  readonly start: number;
}

/** Where a pattern matches in an entry as it stands in the page, in order. */
export function matchRanges(article: Element, pattern: RegExp): Range[] {
  const { text, pieces } = readText(article);
  return [...text.matchAll(pattern)].flatMap((match) => rangeOf(pieces, match.index, match.index + match[0].length));
}

function readText(article: Element): { readonly text: string; readonly pieces: readonly Piece[] } {
  const walker = document.createTreeWalker(article, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
    node instanceof Element && node.matches(APART) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  const pieces: Piece[] = [];
  const texts: string[] = [];
  let length = 0;
  let block: Element | null = null;
  while (walker.nextNode() !== null) {
    const node = walker.currentNode;
    if (!(node instanceof Text) || node.data === "") continue;
    const own = node.parentElement?.closest(BLOCKS) ?? article;
    const lead = block === null || own === block ? "" : TEXT_BREAK;
    block = own;
    pieces.push({ node, start: length + lead.length });
    texts.push(lead, node.data);
    length += lead.length + node.data.length;
  }
  return { text: texts.join(""), pieces };
}

function rangeOf(pieces: readonly Piece[], from: number, to: number): Range[] {
  const first = pieces.findLast(({ start }) => start <= from);
  const last = pieces.findLast(({ start }) => start < to);
  if (!first || !last) return [];
  const range = document.createRange();
  range.setStart(first.node, from - first.start);
  range.setEnd(last.node, to - last.start);
  return [range];
}
