import type { CodeNode } from "./markdown-node.ts";

const OPENING = /^(?:(`{3,})[^`\n]*|(~{3,})(?!~)[^\n]*)\n/;

/** The opening line of a fenced code block at the very start of a source, once it is complete. Indented ones take the slow path. */
export function matchOpenFence(source: string): { readonly opening: string; readonly run: string } | null {
  const match = OPENING.exec(source);
  const run = match?.[1] ?? match?.[2];
  return match === null || run === undefined ? null : { opening: match[0], run };
}

/** A code block whose end has not arrived: new text is looked at once and never again, however long the block gets. */
export class OpenFence {
  readonly node: CodeNode;
  readonly #run: string;
  readonly #signs: RegExp;
  #held = "";
  #isInsideLine = false;
  #hasLine = false;

  constructor(node: CodeNode, run: string) {
    this.node = node;
    this.#run = run;
    this.#signs = new RegExp(`^ {0,3}(${run.charAt(0)}*) *$`);
  }

  /** Adds to the code and returns by how much; `rest` is what follows the closing fence, null while there is none. */
  feed(text: string): { growth: string; rest: string | null } {
    const source = this.#held + text;
    let growth = "";
    let from = 0;
    for (let end = source.indexOf("\n"); end !== -1; end = source.indexOf("\n", from)) {
      const line = source.slice(from, end);
      from = end + 1;
      if (!this.#isInsideLine && this.#isClosing(line)) return { growth: this.#grow(growth), rest: source.slice(from) };
      growth += this.#emit(line);
      this.#isInsideLine = false;
    }
    const last = source.slice(from);
    const isHeld = !this.#isInsideLine && this.#signs.test(last);
    this.#held = isHeld ? last : "";
    if (!isHeld) {
      growth += this.#emit(last);
      this.#isInsideLine = true;
    }
    return { growth: this.#grow(growth), rest: null };
  }

  /** No more text comes: a held line is either the closing fence or code after all. */
  end(): string {
    if (this.#held === "" || this.#isClosing(this.#held)) return "";
    return this.#grow(this.#emit(this.#held));
  }

  /** Counted, since a browser takes no pattern as long as a run of signs may be. */
  #isClosing(line: string): boolean {
    return (this.#signs.exec(line)?.[1]?.length ?? 0) >= this.#run.length;
  }

  /** The line break belongs before a line, not after: the last one before the fence is not part of the code. */
  #emit(line: string): string {
    const text = this.#hasLine && !this.#isInsideLine ? `\n${line}` : line;
    this.#hasLine = true;
    return text;
  }

  #grow(growth: string): string {
    this.node.text += growth;
    return growth;
  }
}
