import type { BlockNode } from "./markdown-node.ts";

const HEADINGS = "h1, h2, h3, h4, h5, h6";
const HEADING_LEVEL_MAX = 6;

/**
 * The levels a message's headings are announced with: as deep as they are written, but never more than one below the
 * heading before. Agents begin with whatever level they like, and a skipped one sounds like a missing part.
 */
export class HeadingLevels {
  readonly #title: number;
  /** The last heading among the blocks that will not change any more. */
  #settled: number;

  /** `title` is the level of the heading the message stands under. */
  constructor(title: number) {
    this.#title = title;
    this.#settled = title;
  }

  clear(): void {
    this.#settled = this.#title;
  }

  /** Levels the blocks from the first that changed on; of these, the first `settledCount` are final. */
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
