import { BlockParts } from "./block-parts.ts";
import { growingElement } from "./growing-element.ts";
import { HeadingLevels } from "./heading-levels.ts";
import type { BlockNode } from "./markdown-node.ts";
import { MarkdownStream } from "./markdown-stream.ts";
import { BlockPatcher } from "./patch-blocks.ts";
import { appendCode, codeOf } from "./patch-code.ts";
import { runCodeAction } from "./run-code-action.ts";
import { wholeCharacter } from "./text-chunks.ts";

/** In the page, a message stands under the title of its session. */
const HEADING_LEVEL = 2;
/** New text that one flush draws. More than a frame can lay out, from a fast agent or in a long stored message, comes with the next frames. */
const FLUSH_CHARS_MAX = 8_192;

export interface MarkdownViewOptions {
  /** The level of the heading the message stands under; its own headings are announced below it. */
  readonly headingLevel?: number;
  /** Opens a file the text links to. Without it, such links are text. */
  readonly openPath?: (path: string) => void;
  /** Told of each code block that will not change any more, for instance to colour it. */
  readonly codeSettled?: (block: HTMLElement) => void;
}

/** Shows a message while it streams. Text is taken in by `append`; the page changes only in `flush`, once per frame. */
export class MarkdownView {
  readonly element: HTMLElement;
  readonly #options: MarkdownViewOptions;
  readonly #parts: BlockParts;
  readonly #headings: HeadingLevels;
  #stream = new MarkdownStream();
  #source = "";
  /** What has come and is not drawn yet. */
  #waiting = "";
  #frame: number | null = null;
  #settledCount = 0;
  #open: readonly BlockNode[] = [];
  #caret: Element | null = null;
  #phase: "streaming" | "ending" | "ended" = "streaming";
  #isStale = true;
  #isRedrawn = false;

  constructor(options: MarkdownViewOptions = {}) {
    this.#options = options;
    this.element = document.createElement("div");
    this.element.className = "prose";
    this.element.addEventListener("click", (event) => this.#click(event));
    this.#headings = new HeadingLevels(options.headingLevel ?? HEADING_LEVEL);
    this.#parts = new BlockParts(this.element, new BlockPatcher(options.openPath !== undefined));
  }

  append(text: string): void {
    if (this.#phase !== "streaming") {
      this.replace(this.#source + text);
      return;
    }
    this.#waiting += text;
    this.#source += text;
    this.#isStale = true;
  }

  /** Sets the whole text. What only adds to the text shown is appended; anything else is drawn anew by the next flush. */
  replace(text: string): void {
    const isGrowth = text.startsWith(this.#source);
    if (isGrowth && text.length === this.#source.length) return;
    if (isGrowth && this.#phase === "streaming") {
      this.#waiting += text.slice(this.#source.length);
    } else {
      this.#stream = new MarkdownStream(); // an ended text was parsed as ended, so only a fresh parse can go on
      this.#waiting = text;
      this.#phase = "streaming";
      this.#isRedrawn = true;
    }
    this.#source = text;
    this.#isStale = true;
  }

  /** The message is complete: the next flush shows it exactly as parsed, without guesses about its end. */
  finish(): void {
    if (this.#phase !== "streaming") return;
    this.#phase = "ending";
    this.#isStale = true;
  }

  /** Whether the next frames draw more of it. */
  get isDrawing(): boolean {
    return this.#waiting !== "" || this.#phase === "ending";
  }

  /** Brings the page up to date; costs what has changed, not what is there, and goes on by itself while there is more. */
  flush(): void {
    if (!this.#isStale) return;
    this.#isStale = false;
    if (this.#isRedrawn) this.#clear();
    this.#takeWaiting();
    const isEnding = this.#phase === "ending" && this.#waiting === "";
    const { settled, open, codeGrowth, rewritten } = this.#stream.update(isEnding);
    if (isEnding) this.#phase = "ended";
    if (codeGrowth !== "") this.#growCode(codeGrowth);
    const blocks = [...settled, ...open];
    const first = this.#settledCount;
    this.#parts.patchFrom(first, this.#open, blocks);
    for (const { index, before, after } of rewritten) this.#parts.patchAt(index, before, after);
    this.#headings.update(blocks, settled.length, (index) => this.#parts.blockAt(first + index));
    this.#open = open;
    for (const block of settled) this.#settle(block);
    this.#moveCaret(this.#phase !== "ended" ? growingElement(this.element) : null);
  }

  /** Takes the next slice, and asks for a frame for the rest. */
  #takeWaiting(): void {
    const isAll = this.#waiting.length <= FLUSH_CHARS_MAX;
    const cut = isAll ? this.#waiting.length : wholeCharacter(this.#waiting, FLUSH_CHARS_MAX);
    this.#stream.append(this.#waiting.slice(0, cut));
    this.#waiting = this.#waiting.slice(cut);
    if (this.#waiting === "") return;
    this.#isStale = true;
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = null;
      this.flush();
    });
  }

  #clear(): void {
    this.#parts.clear();
    this.#headings.clear();
    this.#settledCount = 0;
    this.#open = [];
    this.#isRedrawn = false;
  }

  #growCode(growth: string): void {
    const block = this.#parts.blockAt(this.#settledCount);
    const code = block === null ? null : codeOf(block);
    if (code === null) throw new Error("the open code block has no element");
    appendCode(code, growth);
  }

  #settle(block: BlockNode): void {
    const dom = this.#parts.blockAt(this.#settledCount);
    this.#settledCount += 1;
    const { codeSettled } = this.#options;
    if (codeSettled === undefined || !(dom instanceof HTMLElement)) return;
    if (block.kind === "code") codeSettled(dom);
    else for (const code of dom.querySelectorAll<HTMLElement>(".block")) codeSettled(code);
  }

  /** The caret is drawn by style alone, so that it is never part of the text that is selected or copied. */
  #moveCaret(next: Element | null): void {
    if (this.#caret === next) return;
    this.#caret?.removeAttribute("data-caret");
    next?.setAttribute("data-caret", "");
    this.#caret = next;
  }

  #click(event: MouseEvent): void {
    if (!(event.target instanceof Element) || runCodeAction(event.target)) return;
    const path = event.target.closest<HTMLElement>(".path-link")?.dataset["path"];
    if (path !== undefined) this.#options.openPath?.(path);
  }
}
