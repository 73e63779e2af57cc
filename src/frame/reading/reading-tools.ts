import { readBelowDirectory, readPlace, splitPath } from "../../presentation/tool-line.ts";
import { EntryId } from "../../protocol/ids.ts";
import { FILES_FOUND_MAX, PAGE_ENTRIES_MAX } from "../../protocol/limits.ts";
import { placeBeside } from "../../ui/controls/place-beside.ts";
import { createElement, setText } from "../../ui/create-element.ts";
import { createIcon } from "../../ui/icons/create-icon.ts";
import type { SessionWish } from "../../ui/keys/shortcut-table.ts";
import { createBlockButton, showCopied } from "../../ui/markdown/block-button.ts";
import { copyText } from "../../ui/markdown/copy-text.ts";
import { FindInSession } from "../find/find-in-session.ts";
import { type PortletStore, RequestError } from "../portlet-store.ts";
import type { FilePlace } from "../side-panel.tsx";
import { entryMarkdown, turnMarkdown } from "../transcript/copied-markdown.ts";
import type { TranscriptRows } from "../transcript/rows.ts";
import type { TranscriptView } from "../transcript/transcript-view.ts";
import { PrintSession } from "./print-session.ts";

interface ReadingToolsOptions {
  readonly transcript: TranscriptView;
  readonly store: PortletStore;
  readonly rows: () => TranscriptRows;
  /** Opens a file of the session's directory at the lines in the text. */
  readonly openFile: (place: FilePlace) => void;
}

/** The reader's tools: find, step, copy, zoom. */
export class ReadingTools {
  readonly #options: ReadingToolsOptions;
  #find: FindInSession | null = null;
  #print: PrintSession | null = null;
  /** A jump to the first message is in progress, and older ones are still being loaded. */
  #seeksFirst = false;

  constructor(options: ReadingToolsOptions) {
    this.#options = options;
    const { element } = options.transcript;
    element.addEventListener("click", (event) => this.#click(event));
    element.addEventListener("keydown", (event) => this.#pressOnImage(event));
    element.addEventListener("contextmenu", (event) => openMenuOfPath(event));
    for (const moved of ["wheel", "pointerdown", "touchstart"])
      element.addEventListener(
        moved,
        () => {
          this.#seeksFirst = false;
        },
        { passive: true },
      );
  }

  /** The transcript has changed. */
  update(): void {
    this.#find?.update();
    this.#print?.update();
    if (this.#seeksFirst) this.#goToFirst();
  }

  /** Loads older entries page by page, and scrolls to the top. */
  #goToFirst(): void {
    const { transcript, store } = this.#options;
    this.#seeksFirst = store.state.session.hasMore;
    if (this.#seeksFirst) store.askForOlder(PAGE_ENTRIES_MAX);
    transcript.goToTop();
  }

  /** Runs the action of a key; false if it is not a reading action. */
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

  /** Prints the session, including entries that are not rendered yet. */
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

  /** Opens the file if it is in the session's directory; otherwise offers the actions for its path. */
  async openPath(path: string): Promise<void> {
    const { activeElement: opener } = document;
    const place = await this.#findPlace(path);
    if (place !== null) this.#options.openFile(place);
    else if (opener instanceof HTMLElement) openPathMenu(opener, path);
  }

  /** Checks only now whether there is such a file: most paths are never clicked. */
  async #findPlace(words: string): Promise<FilePlace | null> {
    const { store } = this.#options;
    const place = readPlace(words, store.state.directory);
    if (place === null) return null;
    const { path } = place;
    const isFile = (file: string) =>
      store.request({ type: "files:read", path: file, limit: 1 }).then(
        ({ type }) => type === "files:text",
        (error: unknown) => !(error instanceof RequestError) || error.code !== "FILE_NOT_FOUND",
      );
    if (await isFile(path)) return place;
    const below = readBelowDirectory(path, store.state.directory);
    if (below !== null && (await isFile(below))) return { ...place, path: below };
    if (path.includes("/")) return null;
    // A name without a directory is used only if one file has it.
    const found = await store.request({ type: "files:search", query: path, limit: FILES_FOUND_MAX }).catch(() => null);
    const named = found?.type === "files:found" ? found.files.filter((file) => splitPath(file.path).file === path) : [];
    return named.length === 1 && named[0] ? { ...place, path: named[0].path } : null;
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
    if (path !== undefined) void this.openPath(path);
    if (target instanceof HTMLImageElement) zoomImage(target);
  }

  /** An image is a button, too. */
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

/** The path of a file has its own menu; a plain click opens the file. */
function openMenuOfPath(event: MouseEvent): void {
  const button = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-file], [data-path]") : null;
  const path = button?.dataset["file"] ?? button?.dataset["path"];
  if (button === null || path === undefined) return;
  event.preventDefault();
  openPathMenu(button, path);
}

/** "src/main.ts:12:4" without its line. */
const LINE_PART = /:\d+(?::\d+)?(?:-\d+)?$/;

/** The actions for a file path: copies it, whole or in part. Nothing is started on the machine. */
function openPathMenu(opener: HTMLElement, path: string): void {
  const bare = path.replace(LINE_PART, "");
  const { file } = splitPath(bare);
  const menu = createElement("div", "menu path-menu");
  menu.popover = "auto";
  menu.setAttribute("role", "menu");
  menu.setAttribute("aria-label", `File ${file}`);
  const choices: readonly (readonly [string, string])[] = [
    ["Copy path", bare],
    ...(bare === path ? [] : ([["Copy path and line", path]] as const)),
    ["Copy file name", file],
  ];
  const items = choices.map(([words, text]) => createItem(words, text, menu));
  menu.append(createElement("p", "path-menu-path", path), ...items);
  menu.addEventListener("keydown", (event) => pressKey(event, items));
  menu.addEventListener("toggle", (event) => {
    if (event.newState !== "closed") return;
    if (menu.contains(document.activeElement) || document.activeElement === document.body) opener.focus();
    menu.remove();
  });
  document.body.append(menu);
  menu.showPopover();
  placeBeside(menu, opener);
  items[0]?.focus();
}

function createItem(words: string, text: string, menu: HTMLElement): HTMLButtonElement {
  const label = createElement("span", "", words);
  const item = createElement("button", "menu-item", createIcon("copy", "icon-sm"), label);
  item.type = "button";
  item.tabIndex = -1;
  item.setAttribute("role", "menuitem");
  item.addEventListener("click", () => {
    copyText(text).then(
      () => menu.hidePopover(),
      () => setText(label, "Could not copy: select the path above"),
    );
  });
  return item;
}

function pressKey(event: KeyboardEvent, items: readonly HTMLElement[]): void {
  // Esc closes the menu and nothing behind it.
  if (event.key === "Escape") event.stopPropagation();
  const at = items.findIndex((item) => item.matches(":focus"));
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  items.at(next % items.length)?.focus();
}

/** An image over the whole session: scaled to fit, or in its own size. Escape, or a click beside it, closes it. */
function zoomImage({ src, alt }: HTMLImageElement): void {
  const dialog = createElement("dialog", "image-zoom");
  dialog.setAttribute("aria-label", alt === "" ? "Image" : alt);
  const image = createElement("img");
  image.src = src;
  image.alt = alt;
  const size = createBlockButton("search", "Actual size");
  size.setAttribute("aria-pressed", "false");
  const close = createBlockButton("close", "Close image");
  const scroll = createElement("div", "image-zoom-scroll", image);
  const toggle = (): void => size.setAttribute("aria-pressed", String(dialog.toggleAttribute("data-actual")));
  size.addEventListener("click", toggle);
  image.addEventListener("click", toggle);
  close.addEventListener("click", () => dialog.close());
  dialog.append(scroll, createElement("div", "image-zoom-actions", size, close));
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog || target === scroll) dialog.close();
  });
  // Keys on an image do not reach the session behind it.
  dialog.addEventListener("keydown", (event) => event.stopPropagation());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  close.focus();
}
