import type { EntryId } from "../../protocol/ids.ts";
import type { TranscriptRows } from "../transcript/rows.ts";
import type { TranscriptView } from "../transcript/transcript-view.ts";
import { FindBar } from "./find-bar.ts";
import { FindMarks } from "./find-marks.ts";
import { FindModel } from "./find-model.ts";

/** Reading entries for this long leaves time for the rest of a frame. */
const WORK_MS = 6;
/** The field covers this much of the text. */
const BAR_PX = 52;
/** What may hide a match inside an open entry: earlier lines of an output, unchanged lines of a diff. */
const HIDING = ".terminal-more:not([hidden]), .fold button";

export interface FindOptions {
  readonly transcript: TranscriptView;
  readonly rows: () => TranscriptRows;
  readonly hasMore: () => boolean;
  readonly askForOlder: () => void;
  /** Where the session works: its paths are shown from there on. */
  readonly directory: () => string;
}

/** Find in a session: the model finds, the transcript brings into view, the marks show. Fetched when first asked for. */
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

  /** Gives the keyboard back to where it was. */
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

  /** What was not fetched yet is found too: all of it comes, page by page, while the field is open. */
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

/** "3 of 17", and what is still being looked at. */
export function findWords(model: FindModel, isFetchingOlder: boolean): string {
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
