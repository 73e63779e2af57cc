import type { Part, ToolCallEntry } from "../../../protocol/entry.ts";
import type { Json } from "../../../protocol/json.ts";
import { createElement, setText } from "../create-element.ts";
import { commandOf, isRecord } from "../tool-words.ts";
import { createBlock, markScrollable } from "./block.ts";
import { createContentPart } from "./content-part.ts";
import { OutputBlock } from "./output-block.ts";

/** What a tool call was given and what came back; each piece is made when there is something to show in it. */
export class ToolBody {
  readonly element = createElement("div", "tool-body");
  readonly #input = createElement("div", "tool-input");
  readonly #parts = createElement("div", "tool-parts");
  readonly #output = new OutputBlock();
  readonly #outputFrame: HTMLElement;
  readonly #error = createElement("p", "tool-error");
  readonly #empty = createElement("p", "faint tool-empty", "No output");
  #shownInput: Json | undefined;
  #shownParts: readonly Part[] | undefined;

  constructor() {
    this.#outputFrame = createBlock([], this.#output.element);
    this.element.append(this.#input, this.#parts, this.#outputFrame, this.#error, this.#empty);
    for (const piece of [this.#input, this.#parts, this.#outputFrame, this.#error]) piece.hidden = true;
  }

  update(entry: ToolCallEntry): void {
    const structured = (entry.parts ?? []).filter(isStructured);
    const output = entry.result ?? textOf(entry.parts) ?? entry.content;
    this.#showInput(entry, structured);
    this.#showParts(entry.parts, structured);
    this.#output.update(output);
    this.#outputFrame.hidden = output === "";
    // An error that only repeats the output would be read twice.
    const error = entry.error === undefined || output.includes(entry.error.trim()) ? "" : entry.error;
    setText(this.#error, error);
    this.#error.hidden = error === "";
    const isEmpty = output === "" && error === "" && structured.length === 0 && entry.status !== "running";
    this.#empty.hidden = !isEmpty;
  }

  #showInput(entry: ToolCallEntry, structured: readonly Part[]): void {
    if (entry.input === this.#shownInput) return;
    this.#shownInput = entry.input;
    const command = commandOf(entry);
    const hasDiff = structured.some(({ type }) => type === "diff");
    if (command !== null) this.#input.replaceChildren(createCommand(command));
    else if (entry.input !== undefined && !hasDiff && !isEmptyInput(entry.input)) {
      const body = createElement("pre", "code", JSON.stringify(entry.input, null, 2));
      this.#input.replaceChildren(createBlock([createElement("span", "", "Input")], markScrollable(body, "Input")));
    } else this.#input.replaceChildren();
    this.#input.hidden = this.#input.childElementCount === 0;
  }

  #showParts(parts: readonly Part[] | undefined, structured: readonly Part[]): void {
    if (parts === this.#shownParts) return;
    this.#shownParts = parts;
    this.#parts.replaceChildren(...structured.map((part) => createContentPart(part)));
    this.#parts.hidden = structured.length === 0;
  }
}

function createCommand(command: string): HTMLElement {
  return createBlock([], markScrollable(createElement("pre", "code command-line", command), "Command"));
}

/** Text and terminal output stand in `result`; the rest has a shape of its own. */
function isStructured({ type }: Part): boolean {
  return type !== "text" && type !== "terminal";
}

function textOf(parts: readonly Part[] | undefined): string | undefined {
  const texts = (parts ?? []).flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === 0 ? undefined : texts.join("\n");
}

function isEmptyInput(input: Json): boolean {
  return input === null || (isRecord(input) && Object.keys(input).length === 0);
}
