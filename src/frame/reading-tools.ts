import { EntryId } from "../protocol/ids.ts";
import { PAGE_ENTRIES_MAX } from "../protocol/limits.ts";
import type { SessionWish } from "../ui/keys/shortcut-table.ts";
import { showCopied } from "../ui/markdown/block-button.ts";
import { copyText } from "../ui/markdown/copy-text.ts";
import { FindInSession } from "./find/find-in-session.ts";
import type { PortletStore } from "./portlet-store.ts";
import { zoomImage } from "./reading/image-zoom.ts";
import { openPathMenu } from "./reading/path-menu.ts";
import { PrintSession } from "./reading/print-session.ts";
import { entryMarkdown, turnMarkdown } from "./transcript/copied-markdown.ts";
import type { TranscriptRows } from "./transcript/rows.ts";
import type { TranscriptView } from "./transcript/transcript-view.ts";

interface ReadingToolsOptions {
  readonly transcript: TranscriptView;
  readonly store: PortletStore;
  readonly rows: () => TranscriptRows;
}

/** What a reader does with a transcript besides reading: find, step, copy, look closer. */
export class ReadingTools {
  readonly #options: ReadingToolsOptions;
  #find: FindInSession | null = null;
  #print: PrintSession | null = null;
  /** The reader is on the way to the first message, and older ones are still being loaded. */
  #seeksFirst = false;

  constructor(options: ReadingToolsOptions) {
    this.#options = options;
    const { element } = options.transcript;
    element.addEventListener("click", (event) => this.#click(event));
    element.addEventListener("keydown", (event) => this.#pressOnImage(event));
    for (const moved of ["wheel", "pointerdown", "touchstart"])
      element.addEventListener(
        moved,
        () => {
          this.#seeksFirst = false;
        },
        { passive: true },
      );
  }

  /** The transcript shows something new. */
  update(): void {
    this.#find?.update();
    this.#print?.update();
    if (this.#seeksFirst) this.#goToFirst();
  }

  /** Loads what is older, page by page, and goes to the top of it. */
  #goToFirst(): void {
    const { transcript, store } = this.#options;
    this.#seeksFirst = store.state.session.hasMore;
    if (this.#seeksFirst) store.askForOlder(PAGE_ENTRIES_MAX);
    transcript.goToTop();
  }

  /** Does what a key asks for; false when it is not about reading. */
  take(wish: SessionWish | null): boolean {
    switch (wish) {
      case "find":
        this.openFind();
        return true;
      case "previous-message":
      case "next-message":
        this.#options.transcript.stepUser(wish === "next-message" ? 1 : -1);
        return true;
      case "first-message":
        this.#goToFirst();
        return true;
      case "latest":
        this.#seeksFirst = false;
        this.#options.transcript.follow();
        return true;
      case "stop":
        // The first Escape closes what is open.
        if (!this.#find?.isOpen) return false;
        this.#find.close();
        return true;
      default:
        return false;
    }
  }

  openFind(): void {
    this.#find ??= new FindInSession({
      ...this.#olderEntries(),
      rows: this.#options.rows,
      directory: () => this.#options.store.state.directory,
    });
    this.#find.open();
  }

  /** Prints the session, what is not on the page yet included. */
  print(): void {
    this.#print ??= new PrintSession({
      ...this.#olderEntries(),
      head: () => {
        const { session, agentName } = this.#options.store.state;
        return { title: session.title, agentName };
      },
      print: () => window.print(),
    });
    this.#print.start();
  }

  /** Shows what can be done with the path of a file. */
  openPath(path: string): void {
    const { activeElement } = document;
    if (activeElement instanceof HTMLElement) openPathMenu(activeElement, path);
  }

  #olderEntries() {
    const { transcript, store } = this.#options;
    return {
      transcript,
      hasMore: () => store.state.session.hasMore,
      askForOlder: () => store.askForOlder(PAGE_ENTRIES_MAX),
    };
  }

  #click({ target }: MouseEvent): void {
    if (!(target instanceof HTMLElement || target instanceof SVGElement)) return;
    const button = target.closest<HTMLElement>("[data-copy]");
    if (button) this.#copy(button);
    const path = target.closest<HTMLElement>("button[data-file]")?.dataset["file"];
    if (path !== undefined) this.openPath(path);
    if (target instanceof HTMLImageElement) zoomImage(target);
  }

  /** A picture is a button too. */
  #pressOnImage(event: KeyboardEvent): void {
    if (!(event.target instanceof HTMLImageElement) || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    zoomImage(event.target);
  }

  #copy(button: HTMLElement): void {
    const id = EntryId.safeParse(button.closest<HTMLElement>("article")?.dataset["entryId"]).data;
    const rows = this.#options.rows();
    const text =
      id === undefined
        ? null
        : button.dataset["copy"] === "turn"
          ? turnMarkdown(rows, id, this.#options.store.state)
          : entryMarkdown(rows, id);
    if (text === null) return;
    copyText(text).then(
      () => showCopied(button, true),
      () => showCopied(button, false),
    );
  }
}
