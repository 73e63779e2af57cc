import type { BlockNode } from "./markdown-node.ts";
import { type NodePatcher, patchSequence } from "./patch-sequence.ts";

/** Blocks in one element. Layout visits all siblings of what changes: 7,800 of them cost 14 ms a frame, in parts 0.1 ms. */
const PART_BLOCKS_MAX = 64;

/** The blocks of a message in the page, in parts of a fixed size, so that a block's place never depends on how it came. */
export class BlockParts {
  readonly #root: HTMLElement;
  readonly #patcher: NodePatcher<BlockNode>;

  constructor(root: HTMLElement, patcher: NodePatcher<BlockNode>) {
    this.#root = root;
    this.#patcher = patcher;
  }

  blockAt(index: number): ChildNode | null {
    return this.#root.childNodes[Math.floor(index / PART_BLOCKS_MAX)]?.childNodes[index % PART_BLOCKS_MAX] ?? null;
  }

  /** Turns the blocks from `start` to the end, which show `before`, into `after`. */
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
