import type { EntryId } from "../../protocol/ids.ts";
import { createElement } from "../../ui/create-element.ts";
import { alignSections, SECTION_ROWS } from "./align-sections.ts";
import { estimateHeightPx, type NodePool } from "./node-pool.ts";
import { EDITOR } from "./parts/message-editor.ts";
import { placeChildren } from "./place-children.ts";
import { type EntryRow, NO_ROWS, type TranscriptRows } from "./rows.ts";

/** Filling changes heights, which may bring another section into view; this many rounds are enough for any screen. */
const FILL_ROUNDS_MAX = 6;
/** Sections further away than this many screens release their nodes. */
const KEEP_SCREENS = 4;
/** How deep to search for the element under the top edge: section, article, text, its part, block, list item. */
const ANCHOR_DEPTH_MAX = 6;
const BLOCK_TAGS: ReadonlySet<string> = new Set(["DIV", "ARTICLE", "UL", "OL", "BLOCKQUOTE"]);

/** The entries as sections, of which only those near the view have nodes. */
export class EntrySections {
  readonly #chapters = new SectionChapters();
  readonly #pool: NodePool;
  #rows: TranscriptRows = NO_ROWS;
  #sections: Section[] = [];

  constructor(pool: NodePool) {
    this.#pool = pool;
  }

  get element(): HTMLElement {
    return this.#chapters.element;
  }

  /** While the settled rows are the same, only the open ones are compared. */
  update(previous: TranscriptRows, rows: TranscriptRows): void {
    this.#rows = rows;
    if (rows.settled === previous.settled && isContinued(previous.open, rows.open)) this.#grow(previous);
    else this.#align(previous);
  }

  /** Renders the newest rows for printing; older sections are marked as left out. Returns the number of rendered rows. */
  fillForPaper(rowsMax: number): number {
    const oldest = this.rowCount - rowsMax;
    const kept = this.#sections.filter(({ from }) => from >= oldest);
    for (const section of this.#sections) section.element.toggleAttribute("data-left-out", section.from < oldest);
    for (const section of kept) if (!section.isFilled) this.#fill(section);
    return kept.reduce((rows, { length }) => rows + length, 0);
  }

  get rowCount(): number {
    return this.#rows.settled.length + this.#rows.open.length;
  }

  /** Renders everything within `marginPx` of the view; `afterFill` restores the scroll position. */
  fillNear(viewOf: () => DOMRect, marginPx: number, afterFill: () => void): void {
    for (let round = 0; round < FILL_ROUNDS_MAX; round += 1) {
      const view = viewOf();
      const within = { top: view.top - marginPx, bottom: view.bottom + marginPx };
      const missing = indexesWithin(this.#sections.length, (index) => this.#spanOf(index), within)
        .flatMap((index) => this.#sections[index] ?? [])
        .filter((section) => !section.isFilled);
      if (missing.length === 0) return;
      for (const section of missing) this.#fill(section);
      afterFill();
    }
  }

  /** Renders the row of an entry, or of the sub-agent step that contains it; null if there is none. */
  show(entryId: EntryId): HTMLElement | null {
    const { settled, open } = this.#rows;
    const isWanted = ({ entry, children }: EntryRow): boolean => entry.entryId === entryId || children.some(isWanted);
    const inOpen = open.findIndex(isWanted);
    const index = inOpen === -1 ? settled.findIndex(isWanted) : settled.length + inOpen;
    const section = this.#sections.find(({ from, to }) => index >= from && index < to);
    const row = this.#rowAt(index);
    if (!section || !row) return null;
    if (!section.isFilled) this.#fill(section);
    return this.#pool.show(row);
  }

  /** Clears sections that are far away, unless they contain the focus, a selection or a message that is being edited. */
  clearFar(view: DOMRect): void {
    const selection = document.getSelection();
    if (selection && !selection.isCollapsed) return;
    const keep = view.height * KEEP_SCREENS;
    for (const section of this.#sections) {
      if (!section.isFilled || section.element.contains(document.activeElement)) continue;
      if (section.element.querySelector(EDITOR) !== null) continue;
      const { top, bottom, height } = section.span();
      if (bottom > view.top - keep && top < view.bottom + keep) continue;
      for (let index = section.from; index < section.to; index += 1) this.#release(index);
      section.clear(height);
    }
  }

  /** The elements under a horizontal line on screen, outermost first. */
  elementsAt(top: number): Element[] {
    const section = this.#sections[firstReaching(this.#sections.length, (index) => this.#spanOf(index), top)];
    const found: Element[] = section ? [section.element] : [];
    for (let depth = 0; depth < ANCHOR_DEPTH_MAX; depth += 1) {
      const parent = found.at(-1);
      if (!parent || !BLOCK_TAGS.has(parent.tagName)) break;
      const child = [...parent.children].find((element) => element.getBoundingClientRect().bottom > top);
      if (!child) break;
      found.push(child);
    }
    return found;
  }

  #grow(previous: TranscriptRows): void {
    const { settled, open } = this.#rows;
    for (const [index, row] of open.entries()) {
      const before = previous.open[index];
      if (before === undefined) this.#append(settled.length + index);
      else if (before !== row) this.#pool.refresh(row);
    }
  }

  #align(previous: TranscriptRows): void {
    const keys = [...this.#rows.settled, ...this.#rows.open].map(({ key }) => key);
    const known = this.#sections.map((section) => keysOf(previous, section));
    const before = this.#sections;
    this.#sections = alignSections(known, keys).map(({ reuse, from, to }) => {
      const section = (reuse === null ? undefined : before[reuse]) ?? new Section();
      const isSame = section.length === to - from;
      section.from = from;
      section.to = to;
      if (section.isFilled) this.#fill(section);
      else if (!isSame) section.clear(this.#estimate(section));
      return section;
    });
    // Rows above a section that is left out for printing are older still.
    const leftOut = this.#sections.findLastIndex(({ element }) => element.hasAttribute("data-left-out"));
    for (const { element } of this.#sections.slice(0, Math.max(0, leftOut)))
      element.toggleAttribute("data-left-out", true);
    this.#chapters.place(this.#sections);
  }

  #append(index: number): void {
    const last = this.#sections.at(-1);
    if (!last || last.length >= SECTION_ROWS) {
      const section = new Section();
      section.from = index;
      section.to = index + 1;
      this.#sections.push(section);
      this.#chapters.place(this.#sections);
      // Right after a rendered one it is in view or nearly so: it starts rendered, to avoid a flash.
      if (last?.isFilled ?? true) this.#fill(section);
      else section.clear(this.#estimate(section));
      return;
    }
    last.to = index + 1;
    const row = this.#rowAt(index);
    if (!last.isFilled) last.clear(this.#estimate(last));
    else if (row) last.element.append(this.#pool.show(row));
  }

  #fill(section: Section): void {
    this.#pool.place(section.element, this.#rowsOf(section));
    section.markFilled();
  }

  #release(index: number): void {
    const row = this.#rowAt(index);
    if (row) this.#pool.release(row.key);
  }

  #estimate(section: Section): number {
    return this.#rowsOf(section).reduce((height, row) => height + estimateHeightPx(row), 0);
  }

  #rowsOf({ from, to }: Section): EntryRow[] {
    return Array.from({ length: to - from }, (_, offset) => this.#rowAt(from + offset)).filter(
      (row) => row !== undefined,
    );
  }

  #rowAt(index: number): EntryRow | undefined {
    return rowAt(this.#rows, index);
  }

  #spanOf(index: number): Span {
    return this.#sections[index]?.span() ?? { top: 0, bottom: 0 };
  }
}

function keysOf(rows: TranscriptRows, { from, to }: Section): string[] {
  return Array.from({ length: to - from }, (_, offset) => rowAt(rows, from + offset)?.key ?? "");
}

function rowAt({ settled, open }: TranscriptRows, index: number): EntryRow | undefined {
  return index < settled.length ? settled[index] : open[index - settled.length];
}

function isContinued(before: readonly EntryRow[], after: readonly EntryRow[]): boolean {
  return before.every((row, index) => after[index]?.key === row.key);
}

/** Top and bottom of an element on screen, in pixels. */
interface Span {
  readonly top: number;
  readonly bottom: number;
}

/** The first of `count` stacked items that reaches below `top`, by binary search. */
function firstReaching(count: number, spanOf: (index: number) => Span, top: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spanOf(middle).bottom > top) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Which of `count` stacked items touch the span, oldest first. */
function indexesWithin(count: number, spanOf: (index: number) => Span, within: Span): number[] {
  const indexes: number[] = [];
  for (let index = firstReaching(count, spanOf, within.top); index < count; index += 1) {
    if (spanOf(index).top >= within.bottom) break;
    indexes.push(index);
  }
  return indexes;
}

let lastId = 0;

/** A run of rows that is either rendered or an empty box of the same height. */
class Section {
  readonly id = `section-${++lastId}`;
  readonly element = createElement("div", "section");
  /** Its rows among all entry rows. */
  from = 0;
  to = 0;
  #isFilled = false;

  get length(): number {
    return this.to - this.from;
  }

  get isFilled(): boolean {
    return this.#isFilled;
  }

  /** Its rows are rendered from now on; its height follows them. */
  markFilled(): void {
    this.#isFilled = true;
    this.element.style.height = "";
  }

  /** Removes its rows and keeps their height. */
  clear(heightPx: number): void {
    this.#isFilled = false;
    this.element.replaceChildren();
    this.element.style.height = `${heightPx}px`;
  }

  span(): DOMRect {
    return this.element.getBoundingClientRect();
  }
}

/** Sections per chapter: growing text at the end then lays out a few dozen boxes, however long the session. */
const CHAPTER_SECTIONS = 32;

interface Chapter {
  readonly element: HTMLElement;
  readonly ids: readonly string[];
}

/** The sections in the DOM, grouped so that older ones are never laid out again. */
class SectionChapters {
  readonly element = createElement("div", "sections");
  #chapters: readonly Chapter[] = [];

  place(sections: readonly Section[]): void {
    const ids = sections.map(({ id }) => id);
    const before = this.#chapters;
    const known = before.map((chapter) => chapter.ids);
    this.#chapters = alignSections(known, ids, CHAPTER_SECTIONS).map(({ reuse, from, to }) => {
      const element = (reuse === null ? undefined : before[reuse]?.element) ?? createElement("div", "chapter");
      placeChildren(
        element,
        sections.slice(from, to).map((section) => section.element),
      );
      return { element, ids: ids.slice(from, to) };
    });
    placeChildren(
      this.element,
      this.#chapters.map(({ element }) => element),
    );
  }
}
