import { TEXT_BREAK } from "./find-pattern.ts";

const ALL = "find-match";
const CURRENT = "find-current";
/** Matches this far outside the view are marked too, so that a small scroll shows no unmarked text. */
const MARGIN_PX = 200;

/** Marks matches in the page without touching it: the text, and a selection in it, stay as they are. */
export class FindMarks {
  readonly #log: HTMLElement;

  constructor(log: HTMLElement) {
    this.#log = log;
  }

  /** The very match in an entry's article; the last there is when the page shows fewer than the entry has. */
  rangeIn(article: Element, pattern: RegExp, ordinal: number): Range | null {
    const ranges = matchRanges(article, pattern);
    return ranges[Math.min(ordinal, ranges.length - 1)] ?? null;
  }

  countIn(article: Element, pattern: RegExp): number {
    return matchRanges(article, pattern).length;
  }

  /** Marks what is in view; `current` is found again by its entry, for its text may have been drawn anew. */
  show(pattern: RegExp | null, current: { readonly entryId: string; readonly ordinal: number } | null): void {
    if (!("highlights" in CSS)) return;
    const all = pattern === null ? [] : this.#articlesInView().flatMap((article) => matchRanges(article, pattern));
    CSS.highlights.set(ALL, new Highlight(...all));
    const article = current && this.#log.querySelector(`article[data-entry-id="${CSS.escape(current.entryId)}"]`);
    const range = article && pattern && current ? this.rangeIn(article, pattern, current.ordinal) : null;
    const mark = range ? new Highlight(range) : new Highlight();
    mark.priority = 1;
    CSS.highlights.set(CURRENT, mark);
  }

  clear(): void {
    if (!("highlights" in CSS)) return;
    CSS.highlights.delete(ALL);
    CSS.highlights.delete(CURRENT);
  }

  #articlesInView(): Element[] {
    const view = this.#log.getBoundingClientRect();
    return [...this.#log.querySelectorAll("article")].filter((article) => {
      const { top, bottom } = article.getBoundingClientRect();
      return bottom > view.top - MARGIN_PX && top < view.bottom + MARGIN_PX;
    });
  }
}

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
function matchRanges(article: Element, pattern: RegExp): Range[] {
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
