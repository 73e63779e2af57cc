import { createElement, setText } from "../../../ui/create-element.ts";
import { createBlockButton, showCopied } from "../../../ui/markdown/block-button.ts";
import { copyText } from "../../../ui/markdown/copy-text.ts";
import { toggleWrap } from "../../../ui/markdown/patch-code.ts";
import { ansiSpans } from "../../../ui/output/ansi-spans.ts";
import { createBlock, markScrollable } from "../../../ui/parts/block.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what decides here
const CONTROL = /[\x1b\r]/;

/** Tool output: the last lines first, the rest on demand, and appended in place while it grows. */
export class OutputBlock {
  readonly element: HTMLElement;
  readonly #more = createElement("button", "terminal-more");
  readonly #body = markScrollable(createElement("pre", "terminal"), "Output");
  #shown = "";
  #start = 0;
  #isWhole = false;

  constructor() {
    this.#more.type = "button";
    this.#more.hidden = true;
    this.#more.addEventListener("click", () => {
      this.#isWhole = true;
      this.#show(this.#shown);
    });
    const wrap = createBlockButton("wrap", "Wrap lines");
    wrap.setAttribute("aria-pressed", "false");
    wrap.addEventListener("click", () => toggleWrap(wrap, this.#body));
    const copy = createBlockButton("copy", "Copy output");
    copy.addEventListener("click", () => this.#copy(copy));
    const head = [createElement("span", "language", "Output"), createElement("span", "end", wrap, copy)];
    this.element = createBlock(head, createElement("div", "output", this.#more, this.#body));
  }

  update(text: string): void {
    if (text === this.#shown) return;
    const growth = text.startsWith(this.#shown) ? text.slice(this.#shown.length) : null;
    const last = this.#body.lastChild;
    const start = this.#isWhole ? 0 : outputTail(text).start;
    if (growth !== null && start === this.#start && !CONTROL.test(growth) && last instanceof Text) {
      this.#shown = text;
      last.appendData(growth);
    } else this.#show(text);
  }

  /** All of it, including hidden lines, without colour codes. */
  #copy(button: HTMLElement): void {
    const text = ansiSpans(this.#shown)
      .map((span) => span.text)
      .join("");
    copyText(text).then(
      () => showCopied(button, true),
      () => showCopied(button, false),
    );
  }

  #show(text: string): void {
    const tail = this.#isWhole ? { start: 0, hiddenLines: 0 } : outputTail(text);
    this.#shown = text;
    this.#start = tail.start;
    this.#more.hidden = tail.start === 0;
    setText(this.#more, tail.start === 0 ? "" : earlierWords(tail.hiddenLines));
    this.#body.replaceChildren(
      ...ansiSpans(text.slice(tail.start)).map((span) =>
        span.className === "" ? span.text : createElement("span", span.className, span.text),
      ),
    );
  }
}

function earlierWords(lines: number): string {
  return `Show ${lines.toLocaleString("en")} earlier ${lines === 1 ? "line" : "lines"}`;
}

/** The end of a long output, which is read first. */
interface OutputTail {
  readonly start: number;
  readonly hiddenLines: number;
}

const OUTPUT_LINES_MAX = 120;
const OUTPUT_CHARS_MAX = 64 * 1024;

/** Where the last lines begin, and how many are before; a single endless line is cut, too. */
export function outputTail(text: string, linesMax = OUTPUT_LINES_MAX, charsMax = OUTPUT_CHARS_MAX): OutputTail {
  const end = text.endsWith("\n") ? text.length - 1 : text.length;
  let start = end;
  for (let lines = 0; lines < linesMax && start !== -1; lines += 1)
    start = start === 0 ? -1 : text.lastIndexOf("\n", start - 1);
  const byLines = start + 1;
  const from = Math.max(byLines, text.length - charsMax);
  return { start: from, hiddenLines: from === 0 ? 0 : countLines(text, from) };
}

function countLines(text: string, end: number): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) lines += 1;
  return Math.max(1, lines);
}
