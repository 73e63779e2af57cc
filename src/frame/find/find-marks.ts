import { matchRanges } from "./text-ranges.ts";

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
