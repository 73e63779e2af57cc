import type { EntryId } from "../../protocol/ids.ts";
import { createElement, setText } from "../../ui/create-element.ts";
import { createIcon } from "../../ui/icons/create-icon.ts";
import type { TranscriptRows } from "../transcript/rows.ts";
import type { TranscriptView } from "../transcript/transcript-view.ts";
import { FIND_QUERY_CHARS_MAX, FindModel, TEXT_BREAK } from "./find-model.ts";

/** Reading entries for this long leaves time for the rest of a frame. */
const WORK_MS = 6;
/** The field covers this much of the text. */
const BAR_PX = 52;
/** What may hide a match inside an open entry: earlier lines of an output, unchanged lines of a diff. */
const HIDING = ".terminal-more:not([hidden]), .fold button";

interface FindOptions {
  readonly transcript: TranscriptView;
  readonly rows: () => TranscriptRows;
  readonly hasMore: () => boolean;
  readonly askForOlder: () => void;
  /** The working directory: paths are shown relative to it. */
  readonly directory: () => string;
}

/** Find in a session: the model finds, the transcript scrolls, the marks highlight. Loaded on first use. */
export class FindInSession {
  readonly #options: FindOptions;
  readonly #model: FindModel;
  readonly #bar: FindBar;
  readonly #marks: FindMarks;
  #isOpen = false;
  #frame: number | null = null;
  #before: Element | null = null;

  constructor(options: FindOptions) {
    this.#options = options;
    this.#model = new FindModel(options.directory);
    this.#marks = new FindMarks(options.transcript.log);
    this.#bar = new FindBar({
      onQuery: () => this.#search(),
      onStep: (steps) => this.#step(steps),
      onClose: () => this.close(),
    });
    options.transcript.log.addEventListener("scroll", () => this.#request(), { passive: true });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    if (!this.#isOpen) {
      this.#before = document.activeElement;
      const { transcript } = this.#options;
      transcript.keepPlace(() => transcript.element.prepend(this.#bar.element));
      transcript.uncoverTop(BAR_PX);
      this.#isOpen = true;
    }
    const selected = document.getSelection()?.toString() ?? "";
    this.#bar.focus(selected.includes("\n") ? "" : selected);
    this.#search();
  }

  /** Returns the focus to where it was. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { log } = this.#options.transcript;
    this.#options.transcript.keepPlace(() => this.#bar.element.remove());
    this.#marks.clear();
    const before = this.#before instanceof HTMLElement && this.#before.isConnected ? this.#before : log;
    before.focus({ preventScroll: true });
  }

  /** The transcript has changed. */
  update(): void {
    if (!this.#isOpen) return;
    this.#model.setRows(this.#options.rows());
    this.#request();
  }

  #search(): void {
    this.#model.setQuery(this.#bar.query);
    this.update();
  }

  #request(): void {
    if (this.#isOpen) this.#frame ??= requestAnimationFrame(() => this.#work());
  }

  #work(): void {
    this.#frame = null;
    if (!this.#isOpen) return;
    const end = performance.now() + WORK_MS;
    this.#model.work(() => performance.now() > end);
    const isNew = this.#model.isDone && this.#model.current === null;
    if (isNew) this.#model.startAt(this.#options.transcript.topEntryId);
    if (isNew && this.#model.current) this.#reveal();
    if (this.#model.isDone) this.#marks.show(this.#model.pattern, this.#model.current);
    else this.#request();
    const isFetchingOlder = this.#fetchOlder();
    this.#bar.setCount(findWords(this.#model, isFetchingOlder), this.#hasNone(isFetchingOlder));
  }

  /** Older entries are searched, too: they are loaded page by page while the field is open. */
  #fetchOlder(): boolean {
    if (this.#model.pattern === null || !this.#options.hasMore()) return false;
    if (this.#model.isDone) this.#options.askForOlder();
    return true;
  }

  #hasNone(isFetchingOlder: boolean): boolean {
    const { pattern, isDone, total } = this.#model;
    return pattern !== null && isDone && total === 0 && !isFetchingOlder;
  }

  #step(steps: 1 | -1): void {
    if (!this.#model.isDone) return;
    this.#model.step(steps);
    this.#reveal();
    this.#request();
  }

  #reveal(): void {
    const { current, pattern } = this.#model;
    if (current === null || pattern === null) return;
    const find = (article: HTMLElement) => this.#rangeIn(article, pattern, current.entryId, current.ordinal);
    this.#options.transcript.showPlace(current.entryId, find, BAR_PX);
    this.#options.transcript.uncoverTop(BAR_PX);
  }

  #rangeIn(article: HTMLElement, pattern: RegExp, entryId: EntryId, ordinal: number): Range | null {
    const first = this.#marks.rangeIn(article, pattern, ordinal);
    const isAll = this.#marks.countIn(article, pattern) >= this.#model.countOf(entryId);
    if (isAll) return first;
    for (const button of article.querySelectorAll<HTMLElement>(HIDING)) button.click();
    return this.#marks.rangeIn(article, pattern, ordinal);
  }
}

/** "3 of 17", and what is still being searched. */
function findWords(model: FindModel, isFetchingOlder: boolean): string {
  if (model.pattern === null) return "";
  const { total, position } = model;
  const count =
    total === 0
      ? model.isDone && !isFetchingOlder
        ? "No results"
        : ""
      : `${position.toLocaleString("en")} of ${total.toLocaleString("en")}`;
  const more = isFetchingOlder ? "searching older…" : model.isDone ? "" : "searching…";
  return [count, more].filter((words) => words !== "").join(" · ");
}

interface FindBarOptions {
  readonly onQuery: (query: string) => void;
  readonly onStep: (steps: 1 | -1) => void;
  readonly onClose: () => void;
}

/** The find field, the number of matches, and the buttons. */
class FindBar {
  readonly element = createElement("div", "find-bar");
  readonly #input = createElement("input", "find-input");
  readonly #count = createElement("span", "find-count");
  readonly #options: FindBarOptions;

  constructor(options: FindBarOptions) {
    this.#options = options;
    this.element.setAttribute("role", "search");
    this.element.setAttribute("aria-label", "Find in session");
    this.#input.type = "text";
    this.#input.placeholder = "Find in session";
    this.#input.setAttribute("aria-label", "Find in session");
    this.#input.maxLength = FIND_QUERY_CHARS_MAX;
    this.#input.spellcheck = false;
    this.#input.autocomplete = "off";
    this.#count.setAttribute("role", "status");
    const previous = createButton("Previous match", "down", () => options.onStep(-1));
    previous.classList.add("find-previous");
    this.element.append(
      createIcon("search", "icon-sm"),
      this.#input,
      this.#count,
      previous,
      createButton("Next match", "down", () => options.onStep(1)),
      createButton("Close find", "close", options.onClose),
    );
    this.#input.addEventListener("input", () => options.onQuery(this.#input.value));
    this.element.addEventListener("keydown", (event) => this.#pressKey(event));
  }

  get query(): string {
    return this.#input.value;
  }

  /** Takes the focus; `query` replaces its text. */
  focus(query: string): void {
    if (query !== "") this.#input.value = query;
    this.#input.focus();
    this.#input.select();
  }

  setCount(words: string, hasNone: boolean): void {
    setText(this.#count, words);
    this.element.toggleAttribute("data-none", hasNone);
  }

  #pressKey(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "Escape") this.#options.onClose();
    else if (event.key === "Enter" && event.target === this.#input) this.#options.onStep(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
  }
}

function createButton(label: string, icon: "down" | "close", onClick: () => void): HTMLButtonElement {
  const button = createElement("button", "icon-button small", createIcon(icon, "icon-sm"));
  button.type = "button";
  button.title = label;
  button.setAttribute("aria-label", label);
  button.addEventListener("click", onClick);
  return button;
}

const ALL = "find-match";
const CURRENT = "find-current";
/** Matches this far outside the view are marked, too, so that a small scroll shows no unmarked text. */
const MARGIN_PX = 200;

/** Highlights matches without changing the DOM: the text, and a selection in it, stay unchanged. */
class FindMarks {
  readonly #log: HTMLElement;

  constructor(log: HTMLElement) {
    this.#log = log;
  }

  /** The given match in an entry's article; the last one if the page shows fewer than the entry has. */
  rangeIn(article: Element, pattern: RegExp, ordinal: number): Range | null {
    const ranges = matchRanges(article, pattern);
    return ranges[Math.min(ordinal, ranges.length - 1)] ?? null;
  }

  countIn(article: Element, pattern: RegExp): number {
    return matchRanges(article, pattern).length;
  }

  /** Highlights what is in view; `current` is located again by its entry, because its text may have been rendered again. */
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

/** Parts of an entry that are not its text: heads, clocks, buttons, numbers, and nested entries. */
const APART =
  "article, .visually-hidden, .block-head, .entry-meta, .entry-actions, .end, .note, .segments, [hidden], .terminal-more, " +
  ".show-more, .fold, .tool-raw, .whole-output, .sub-agent > .line, .tag, .stat-add, .stat-del, .turn-changes, .changes-told, " +
  ".changes-more, .status-letter, .stats";
const BLOCKS = "p, h1, h2, h3, h4, h5, h6, pre, td, th, li, button, div, summary, a.part-link, article";

interface Piece {
  readonly node: Text;
  readonly start: number;
}

/** The matches of a pattern in an entry's DOM, in order. */
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
