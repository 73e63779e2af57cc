import { EntryId } from "../../protocol/ids.ts";
import { createElement } from "../../ui/create-element.ts";
import { createIcon } from "../../ui/icons/create-icon.ts";
import type { MarkdownView } from "../../ui/markdown/markdown-view.ts";
import { EntrySections } from "./entry-sections.ts";
import { NodePool } from "./node-pool.ts";
import type { RowContext } from "./row-node.ts";
import { type EntryRow, NO_ROWS, type TranscriptRows } from "./rows.ts";
import { ScrollAnchor } from "./scroll-anchor.ts";

/** A question this small, as a share of the view's height, stays in view above its answer. */
const SMALL_QUESTION = 0.3;
/** Closer than this to the top, older entries are loaded, so that reading upwards does not stop. */
const PAGE_NEAR_PX = 1_600;
/** Content just outside the view is rendered this long after a change at the earliest: not once per frame of a stream. */
const MARGIN_AFTER_MS = 50;
/** It waits for the page to be idle, but not longer than this. */
const MARGIN_IDLE_MS_MAX = 200;

interface TranscriptOptions {
  readonly createProse: () => MarkdownView;
  readonly now: () => number;
  readonly agentName: () => string;
  readonly directory: () => string;
  /** The reader is close to the oldest loaded entry. */
  readonly onNearTop: () => void;
  /** The reader wants to see the first message of the session, which may not be loaded. */
  readonly onFirstWanted: () => void;
}

/** The transcript on screen: keyed nodes patched in place, rendered near the view and empty boxes elsewhere. */
export class TranscriptView {
  readonly element = createElement("div", "transcript-area");
  readonly #log = createElement("div", "transcript");
  readonly #column = createElement("div", "column");
  readonly #earlier = createElement("div", "earlier", "Loading earlier messages");
  readonly #tail = createElement("div", "tail");
  readonly #empty = createElement("div", "empty-slot");
  readonly #jump = createElement("button", "jump", createIcon("down", "icon-sm"), "Jump to latest");
  readonly #options: TranscriptOptions;
  readonly #opened = new Map<string, boolean>();
  readonly #pool: NodePool;
  readonly #sections: EntrySections;
  readonly #anchor: ScrollAnchor;
  #rows: TranscriptRows = NO_ROWS;
  #hasMore = false;
  #marginAsked = false;
  /** The newest entry when the session was opened: it did not arrive while the reader was watching. */
  #openedWith: string | null = null;
  #wasHomePressed = false;
  /** From the print request to its end, during which some browsers continue. */
  #isPrinting = false;

  constructor(options: TranscriptOptions) {
    this.#options = options;
    this.#pool = new NodePool(this.#createContext());
    this.#sections = new EntrySections(this.#pool);
    this.#anchor = new ScrollAnchor({
      scroller: this.#log,
      content: this.#column,
      findAtTop: () => this.#sections.elementsAt(this.#log.getBoundingClientRect().top),
      onFollowing: (isFollowing) => {
        this.#jump.hidden = isFollowing;
      },
    });
    this.#build();
  }

  /** The scroll container. */
  get log(): HTMLElement {
    return this.#log;
  }

  /** The entry under the top edge of the view. */
  get topEntryId(): EntryId | null {
    return this.#entryAt(this.#log.getBoundingClientRect().top);
  }

  /** The element for the content of an empty session. */
  get emptySlot(): HTMLElement {
    return this.#empty;
  }

  /** Updates the DOM to the rows: called once per frame, and only while the frame is shown. */
  update(rows: TranscriptRows, hasMore: boolean): void {
    const previous = this.#rows;
    // Shown again without changes: an observer handles its size, and reading it would cause a layout.
    if (rows === previous && hasMore === this.#hasMore) return;
    if (previous === NO_ROWS) this.#openedWith = newestWords(rows, 1)[0]?.key ?? null;
    this.#rows = rows;
    this.#hasMore = hasMore;
    this.#sections.update(previous, rows);
    if (rows.tail !== previous.tail) this.#pool.place(this.#tail, rows.tail);
    if (rows.settled !== previous.settled || rows.tail !== previous.tail) this.#pool.releaseDetached();
    this.#earlier.hidden = !hasMore;
    this.#anchor.stopAt(this.#answerStart());
    this.#settle();
  }

  /** Scrolls to the oldest content and focuses it. */
  goToTop(): void {
    this.#anchor.goToTop();
    this.#settle();
    this.#anchor.goToTop();
    this.#log.focus({ preventScroll: true });
  }

  /** Scrolls to the newest content: after a send, and on request. */
  follow(): void {
    this.#anchor.follow();
    this.#settle();
  }

  /** Scrolls to an entry, wherever it is, and highlights it for a moment; focuses it if it may take the keyboard. */
  reveal(entryId: EntryId, mayTakeKeyboard: boolean): void {
    const row = this.#sections.show(entryId);
    if (row === null) return;
    this.#anchor.goTo(row);
    this.#settle();
    const article = openEntry(row, entryId);
    if (mayTakeKeyboard) focusEntry(article);
    article.dataset["found"] = "";
    setTimeout(() => delete article.dataset["found"], STANDS_OUT_MS);
    this.#anchor.goTo(article);
    this.#settle();
  }

  /** Runs a change that moves the whole text; the reader's position stays in place on screen. */
  keepPlace(change: () => void): void {
    change();
    this.#settle();
  }

  /**
   * Opens an entry and scrolls to a place in it, if it is not in view below the `coveredPx` that something else
   * covers. The focus stays unchanged.
   */
  showPlace(entryId: EntryId, placeIn: (article: HTMLElement) => Range | null, coveredPx: number): void {
    const row = this.#sections.show(entryId);
    if (row === null) return;
    const article = openEntry(row, entryId);
    const place = placeIn(article);
    if (this.#anchor.shows(place ?? article, coveredPx)) return;
    this.#anchor.goTo(article, place ?? article);
    this.#settle();
    // The content above was only estimated before.
    this.#anchor.goTo(article, placeIn(article) ?? article);
    this.#settle();
  }

  /** Near the top, scrolls all the way: nothing stays covered by the first `coveredPx`. */
  uncoverTop(coveredPx: number): void {
    if (this.#log.scrollTop < coveredPx) this.#anchor.goToTop();
  }

  /** Moves to the next or previous user message; past the last one, to the newest content. */
  stepUser(steps: 1 | -1): void {
    const focused = document.activeElement?.closest<HTMLElement>('article[data-entry-type="user"]');
    const isHere = focused != null && this.#log.contains(focused) && this.#anchor.shows(focused);
    const from = isHere ? (focused.dataset["entryId"] ?? null) : this.#entryAt(this.#anchor.revealLine);
    const row = stepUserRow(this.#rows, { from, isOn: isHere, steps });
    if (row === null && steps === 1) this.follow();
    else if (row === null) this.#anchor.goToTop();
    else {
      const shown = this.#sections.show(row.entry.entryId);
      if (shown === null) return;
      this.#anchor.goTo(shown);
      this.#settle();
      this.#anchor.goTo(shown);
      focusEntry(shown);
    }
    this.#settle();
  }

  /** Number of rows, rendered or not. */
  get rowCount(): number {
    return this.#sections.rowCount;
  }

  /**
   * Renders the newest rows and returns how many; those far from the view are released when the reader scrolls
   * afterwards.
   */
  showForPaper(rowsMax: number): number {
    this.#isPrinting = true;
    addEventListener(
      "afterprint",
      () => {
        this.#isPrinting = false;
      },
      { once: true },
    );
    const shown = this.#sections.fillForPaper(rowsMax);
    this.#settle();
    return shown;
  }

  tick(): void {
    this.#pool.tick(this.#options.now());
  }

  #build(): void {
    const log = this.#log;
    log.setAttribute("role", "log");
    log.setAttribute("aria-label", "Transcript");
    log.setAttribute("aria-live", "off");
    log.tabIndex = 0;
    this.#earlier.hidden = true;
    this.#jump.type = "button";
    this.#jump.hidden = true;
    this.#column.append(this.#earlier, this.#sections.element, this.#tail, this.#empty);
    log.append(this.#column);
    this.element.append(log, this.#jump);
    this.#listen();
  }

  #listen(): void {
    const log = this.#log;
    log.addEventListener("scroll", () => this.#noteScroll(), { passive: true });
    listenForScrollEnd(log, () => this.#anchor.noteScrollEnd());
    log.addEventListener("keydown", (event) => this.#pressKey(event));
    this.#jump.addEventListener("click", () => {
      this.follow();
      log.focus({ preventScroll: true });
    });
    // Images, fonts, a resized window or a taller composer: heights change without an update of ours.
    const observer = new ResizeObserver(() => {
      this.#anchor.restore();
      this.#askForMargin();
    });
    observer.observe(this.#column);
    observer.observe(log);
  }

  /** The ends are far away and their heights only estimated: moving there is one step, not an animation. */
  #pressKey(event: KeyboardEvent): void {
    const wasHomePressed = this.#wasHomePressed;
    this.#wasHomePressed = event.key === "Home";
    const isPlain = !(event.ctrlKey || event.metaKey || event.altKey || event.shiftKey);
    if (event.target !== this.#log || !isPlain || (event.key !== "Home" && event.key !== "End")) return;
    event.preventDefault();
    if (event.key === "End") this.#anchor.follow();
    else if (wasHomePressed && this.#hasMore) this.#options.onFirstWanted();
    else this.#anchor.goToTop();
    this.#settle();
  }

  #noteScroll(): void {
    this.#anchor.noteScroll();
    this.#fill(0);
    this.#askForMargin();
    if (!this.#isPrinting) this.#sections.clearFar(this.#log.getBoundingClientRect());
    this.#pageIfNear();
  }

  /** Content in view is rendered before the next paint; content just outside follows after it. */
  #settle(): void {
    this.#anchor.restore();
    this.#fill(0);
    this.#askForMargin();
    this.#pageIfNear();
  }

  #askForMargin(): void {
    if (this.#marginAsked || this.#sections.rowCount === 0) return;
    this.#marginAsked = true;
    const fill = () => {
      this.#marginAsked = false;
      this.#fill(this.#log.clientHeight);
      this.#pageIfNear();
    };
    setTimeout(() => whenIdle(fill, MARGIN_IDLE_MS_MAX), MARGIN_AFTER_MS);
  }

  #fill(marginPx: number): void {
    this.#sections.fillNear(
      () => this.#log.getBoundingClientRect(),
      marginPx,
      () => this.#anchor.restore(),
    );
  }

  /** Where the newest answer begins, or the short question right above it; null if the newest entry is not an answer. */
  #answerStart(): HTMLElement | null {
    const [answer, question] = newestWords(this.#rows, 2);
    if (answer?.entry.type !== "assistant" || answer.key === this.#openedWith) return null;
    const asked = question?.entry.type === "user" ? this.#pool.elementOf(question.key) : null;
    const isSmall = asked !== null && asked.offsetHeight < this.#log.clientHeight * SMALL_QUESTION;
    return isSmall ? asked : this.#pool.elementOf(answer.key);
  }

  #entryAt(line: number): EntryId | null {
    const article = this.#sections.elementsAt(line).find((element) => element.tagName === "ARTICLE");
    const id = article instanceof HTMLElement ? article.dataset["entryId"] : undefined;
    return id === undefined ? null : EntryId.parse(id);
  }

  #pageIfNear(): void {
    if (this.#hasMore && this.#anchor.above < PAGE_NEAR_PX) this.#options.onNearTop();
  }

  #createContext(): Omit<RowContext, "createNode"> {
    return {
      isOpened: (key) => this.#opened.get(key),
      toggle: (key, isOpen, header, change) => {
        this.#opened.set(key, isOpen);
        this.#anchor.changeAround(header, change);
        this.#fill(0);
      },
      isBeingRead: (element) => this.#anchor.isInside(element),
      createProse: this.#options.createProse,
      now: this.#options.now,
      agentName: this.#options.agentName,
      directory: this.#options.directory,
    };
  }
}

function whenIdle(call: () => void, msMax: number): void {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(call, { timeout: msMax });
  else call();
}

/** The newest entries, last first, without the line about changes, which comes after an answer. */
function newestWords({ settled, open }: TranscriptRows, count: number): readonly EntryRow[] {
  const newest = open.slice(-count - 1);
  const missing = count + 1 - newest.length;
  return [...(missing > 0 ? settled.slice(-missing) : []), ...newest]
    .filter(({ entry }) => entry.type !== "changes")
    .slice(-count)
    .reverse();
}

/** Without an event, this long without a scroll counts as its end. */
const SCROLL_PAUSE_MS = 150;

/** Detects that the reader has stopped scrolling, also in browsers without an event for it. */
function listenForScrollEnd(scroller: HTMLElement, onEnd: () => void): void {
  if ("onscrollend" in window) {
    scroller.addEventListener("scrollend", onEnd);
    return;
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  scroller.addEventListener(
    "scroll",
    () => {
      clearTimeout(timer);
      timer = setTimeout(onEnd, SCROLL_PAUSE_MS);
    },
    { passive: true },
  );
}

/** Long enough to be noticed, short enough not to disturb. */
const STANDS_OUT_MS = 2_500;
/** Sub-agents of sub-agents: searched no deeper than this. */
const NESTED_LEVELS_MAX = 8;

/** Expands what is collapsed around an entry and in it; the focus stays unchanged. */
function openEntry(row: HTMLElement, entryId: EntryId): HTMLElement {
  const article = unfold(row, entryId);
  article.querySelector<HTMLElement>('button[aria-expanded="false"]')?.click();
  return article;
}

function focusEntry(article: HTMLElement): void {
  article.tabIndex = -1;
  article.focus({ preventScroll: true });
}

/** The entry itself, or its row: the steps of a sub-agent are created when they are expanded. */
function unfold(row: HTMLElement, entryId: EntryId): HTMLElement {
  for (let level = 0; level < NESTED_LEVELS_MAX && row.dataset["entryId"] !== entryId; level += 1) {
    const inside = row.querySelector<HTMLElement>(`article[data-entry-id="${CSS.escape(entryId)}"]`);
    if (inside) return inside;
    for (const closed of row.querySelectorAll<HTMLElement>('.sub-agent > button[aria-expanded="false"]'))
      closed.click();
  }
  return row;
}

interface UserStep {
  /** The entry at the reader's position; null before the first. */
  readonly from: string | null;
  /** That entry is a user message that was stepped to: the previous one is another. */
  readonly isOn: boolean;
  readonly steps: 1 | -1;
}

/** The next user message after an entry, or the last at or before it; null if there is none. */
function stepUserRow({ settled, open }: TranscriptRows, { from, isOn, steps }: UserStep): EntryRow | null {
  const rows = [...settled, ...open];
  const at = rows.findIndex(({ entry }) => entry.entryId === from);
  const isUser = ({ entry }: EntryRow) => entry.type === "user";
  if (steps === 1) return rows.slice(at + 1).find(isUser) ?? null;
  return rows.slice(0, Math.max(0, isOn ? at : at + 1)).findLast(isUser) ?? null;
}
