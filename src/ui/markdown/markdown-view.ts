import type { BlockNode } from "./markdown-node.ts";
import { MarkdownStream } from "./markdown-stream.ts";
import { BlockPatcher } from "./patch-blocks.ts";
import { appendCode, codeOf, runCodeAction } from "./patch-code.ts";
import { type NodePatcher, patchSequence } from "./patch-sequence.ts";
import { wholeCharacter } from "./text-chunks.ts";

/** In the page, a message is below the title of its session. */
const HEADING_LEVEL = 2;
/**
 * New text per flush. More than a frame can lay out, from a fast agent or in a long stored message, follows in the next
 * frames.
 */
const FLUSH_CHARS_MAX = 8_192;

interface MarkdownViewOptions {
  /** The level of the heading above the message; its own headings are announced below it. */
  readonly headingLevel?: number;
  /** Opens a file the text links to. Without it, such links are text. */
  readonly openPath?: (path: string) => void;
  /** Called for each code block that will not change any more, for example to highlight it. */
  readonly codeSettled?: (block: HTMLElement) => void;
}

/** Shows a message while it streams. `append` takes text; the page changes only in `flush`, once per frame. */
export class MarkdownView {
  readonly element: HTMLElement;
  readonly #options: MarkdownViewOptions;
  readonly #parts: BlockParts;
  readonly #headings: HeadingLevels;
  #stream = new MarkdownStream();
  #source = "";
  /** Received but not drawn yet. */
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
    this.element.addEventListener("keydown", (event) => this.#pressOnPath(event));
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

  /** Sets the whole text. If it only adds to the shown text it is appended; otherwise the next flush draws it again. */
  replace(text: string): void {
    const isGrowth = text.startsWith(this.#source);
    if (isGrowth && text.length === this.#source.length) return;
    if (isGrowth && this.#phase === "streaming") {
      this.#waiting += text.slice(this.#source.length);
    } else {
      this.#stream = new MarkdownStream(); // an ended text was parsed as ended, so only a fresh parse can continue
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

  /** Updates the page; costs what has changed, not what exists, and continues automatically while there is more. */
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

  /** Takes the next slice, and requests a frame for the rest. */
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

  /** The caret is drawn by style alone, so that it is never part of selected or copied text. */
  #moveCaret(next: Element | null): void {
    if (this.#caret === next) return;
    this.#caret?.removeAttribute("data-caret");
    next?.setAttribute("data-caret", "");
    this.#caret = next;
  }

  /** A path in code is no button of its own accord. */
  #pressOnPath(event: KeyboardEvent): void {
    const { target, key } = event;
    if (key !== "Enter" || !(target instanceof HTMLElement) || !target.matches("code.path-link")) return;
    event.preventDefault();
    this.#options.openPath?.(target.dataset["path"] ?? "");
  }

  #click(event: MouseEvent): void {
    if (!(event.target instanceof Element) || runCodeAction(event.target)) return;
    const path = event.target.closest<HTMLElement>(".path-link")?.dataset["path"];
    if (path !== undefined) this.#options.openPath?.(path);
  }
}

const ENDS_SEARCH = "p, h1, h2, h3, h4, h5, h6, td, th, pre > code";

/** The innermost element at the end of a message that can show a caret; the message itself only while it is empty. */
function growingElement(root: Element): Element | null {
  if (root.lastElementChild === null) return root;
  let holder: Element | null = null;
  for (let last = lastFilled(root); last !== null; last = lastFilled(last)) {
    if (last.matches(ENDS_SEARCH)) return last.querySelector(":scope > .text-chunk:last-child") ?? last;
    holder = last.matches("li") ? last : holder;
  }
  return holder;
}

/** A table has its body before it has a row. */
function lastFilled(parent: Element): Element | null {
  const last = parent.lastElementChild;
  return last?.matches("tbody:empty") ? last.previousElementSibling : last;
}

const HEADINGS = "h1, h2, h3, h4, h5, h6";
const HEADING_LEVEL_MAX = 6;

/**
 * The levels a message's headings are announced with: as written, but never more than one below the
 * heading before. Agents start with any level, and a skipped one sounds like a missing part.
 */
class HeadingLevels {
  readonly #title: number;
  /** The last heading among the blocks that will not change any more. */
  #settled: number;

  /** `title`: the level of the heading above the message. */
  constructor(title: number) {
    this.#title = title;
    this.#settled = title;
  }

  clear(): void {
    this.#settled = this.#title;
  }

  /** Sets the levels of the blocks from the first changed one on; of these, the first `settledCount` are final. */
  update(blocks: readonly BlockNode[], settledCount: number, domAt: (index: number) => ChildNode | null): void {
    let before = this.#settled;
    for (const [index, { kind }] of blocks.entries()) {
      const dom = kind === "heading" || kind === "quote" || kind === "list" ? domAt(index) : null;
      for (const heading of headingsIn(dom)) before = this.#level(heading, before);
      if (index < settledCount) this.#settled = before;
    }
  }

  #level(heading: Element, before: number): number {
    const level = Math.min(Number(heading.tagName.slice(1)) + this.#title, before + 1, HEADING_LEVEL_MAX);
    if (heading.ariaLevel !== String(level)) heading.ariaLevel = String(level);
    return level;
  }
}

function headingsIn(dom: ChildNode | null): readonly Element[] {
  if (!(dom instanceof Element)) return [];
  return dom.matches(HEADINGS) ? [dom] : [...dom.querySelectorAll(HEADINGS)];
}

/** Blocks per element. Layout visits all siblings of a changed node: 7,800 of them cost 14 ms a frame, in parts 0.1 ms. */
const PART_BLOCKS_MAX = 64;

/**
 * The blocks of a message in the DOM, in parts of a fixed size, so that a block's position never depends on how it
 * arrived.
 */
class BlockParts {
  readonly #root: HTMLElement;
  readonly #patcher: NodePatcher<BlockNode>;

  constructor(root: HTMLElement, patcher: NodePatcher<BlockNode>) {
    this.#root = root;
    this.#patcher = patcher;
  }

  blockAt(index: number): ChildNode | null {
    return this.#root.childNodes[Math.floor(index / PART_BLOCKS_MAX)]?.childNodes[index % PART_BLOCKS_MAX] ?? null;
  }

  /** Changes the blocks from `start` to the end, which show `before`, to `after`. */
  patchFrom(start: number, before: readonly BlockNode[], after: readonly BlockNode[]): void {
    const end = start + Math.max(before.length, after.length);
    let from = start;
    while (from < end) {
      const to = (Math.floor(from / PART_BLOCKS_MAX) + 1) * PART_BLOCKS_MAX;
      this.#patchPart(from, before.slice(from - start, to - start), after.slice(from - start, to - start));
      from = to;
    }
    while (this.#root.lastChild !== null && !this.#root.lastChild.hasChildNodes()) this.#root.lastChild.remove();
  }

  patchAt(index: number, before: BlockNode, after: BlockNode): void {
    const dom = this.blockAt(index);
    if (dom !== null && !this.#patcher.patch(dom, before, after)) dom.replaceWith(this.#patcher.create(after));
  }

  clear(): void {
    this.#root.replaceChildren();
  }

  #patchPart(from: number, before: readonly BlockNode[], after: readonly BlockNode[]): void {
    const part = this.#root.childNodes[Math.floor(from / PART_BLOCKS_MAX)] ?? this.#addPart();
    patchSequence(part, part.childNodes[from % PART_BLOCKS_MAX] ?? null, before, after, this.#patcher);
  }

  #addPart(): HTMLElement {
    const part = document.createElement("div");
    part.className = "prose-part";
    this.#root.append(part);
    return part;
  }
}
