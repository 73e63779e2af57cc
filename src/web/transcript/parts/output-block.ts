import { ansiSpans } from "../ansi-spans.ts";
import { createElement, setText } from "../create-element.ts";
import { outputTail } from "../output-tail.ts";
import { markScrollable } from "./block.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what decides here
const CONTROL = /[\x1b\r]/;

/** Text a tool printed: the last lines first, the rest on demand, and appended to in place while it grows. */
export class OutputBlock {
  readonly element = createElement("div", "output");
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
    this.element.append(this.#more, this.#body);
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
