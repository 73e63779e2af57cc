import { isRecord } from "../../../presentation/tool-line.ts";
import { commandOf } from "../../../protocol/command-of.ts";
import type { Part, ToolCallEntry, ToolLocation, Truncated } from "../../../protocol/entry.ts";
import type { Json } from "../../../protocol/json.ts";
import { createElement, setText } from "../../../ui/create-element.ts";
import { createIcon } from "../../../ui/icons/create-icon.ts";
import { createBlock, createPathButton, createWholeButton, markScrollable } from "../../../ui/parts/block.ts";
import type { RowContext } from "../row-node.ts";
import { createParts, hasShape } from "./article.ts";
import { OutputBlock } from "./output-block.ts";

/** The input and output of a tool call; each part is created when it has content. */
export class ToolBody {
  readonly element = createElement("div", "tool-body");
  readonly #context: Pick<RowContext, "directory">;
  readonly #input = createElement("div", "tool-input");
  readonly #parts = createElement("div", "tool-parts");
  readonly #output = new OutputBlock();
  readonly #outputFrame: HTMLElement;
  readonly #error = createElement("p", "tool-error");
  readonly #empty = createElement("p", "faint tool-empty", "No output");
  readonly #whole = createElement("div", "tool-whole");
  readonly #more = createElement("div", "tool-more");
  #shownInput: Json | undefined;
  #shownParts: readonly Part[] | undefined;
  #shownSize: number | undefined;
  #shownMore: readonly [Json | undefined, readonly ToolLocation[] | undefined] = [undefined, undefined];

  constructor(context: Pick<RowContext, "directory">) {
    this.#context = context;
    this.#outputFrame = this.#output.element;
    const pieces = [this.#input, this.#parts, this.#whole, this.#outputFrame, this.#error, this.#more];
    for (const piece of pieces) piece.hidden = true;
    this.element.append(...pieces, this.#empty);
  }

  /** `hasSteps`: the steps of a sub-agent are shown below, so missing output is not reported. */
  update(entry: ToolCallEntry, hasSteps: boolean): void {
    const structured = (entry.parts ?? []).filter(hasShape);
    const output = entry.result ?? textOf(entry.parts) ?? entry.content;
    this.#showInput(entry, structured);
    this.#showParts(entry.parts, structured);
    this.#output.update(output);
    this.#outputFrame.hidden = output === "";
    // An error that only repeats the output is not shown twice.
    const error = entry.error === undefined || output.includes(entry.error.trim()) ? "" : entry.error;
    setText(this.#error, error);
    this.#error.hidden = error === "";
    const isEmpty = output === "" && error === "" && structured.length === 0 && entry.status !== "running";
    this.#empty.hidden = !isEmpty || hasSteps;
    this.#showWhole(entry.truncated);
    this.#showMore(entry);
  }

  #showWhole(truncated: Truncated | undefined): void {
    if (truncated?.totalChars === this.#shownSize) return;
    this.#shownSize = truncated?.totalChars;
    this.#whole.replaceChildren(...(truncated ? [createWholeButton(truncated, null)] : []));
    this.#whole.hidden = truncated === undefined;
  }

  /** Its locations, if the line does not show them, and the raw output. */
  #showMore({ output, parts, locations = [] }: ToolCallEntry): void {
    if (output === this.#shownMore[0] && locations === this.#shownMore[1]) return;
    this.#shownMore = [output, locations];
    const shown = parts?.some((part) => part.type === "diff" && part.path === locations[0]?.path) ?? false;
    const places =
      locations.length > 1 || (locations.length === 1 && !shown)
        ? [createLocations(locations, this.#context.directory())]
        : [];
    const raw = output === undefined ? [] : [createRaw(output)];
    this.#more.replaceChildren(...places, ...raw);
    this.#more.hidden = this.#more.childElementCount === 0;
  }

  #showInput(entry: ToolCallEntry, structured: readonly Part[]): void {
    if (entry.input === this.#shownInput) return;
    this.#shownInput = entry.input;
    const command = commandOf(entry.input);
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
    this.#parts.replaceChildren(...createParts(parts, this.#context.directory()));
    this.#parts.hidden = structured.length === 0;
  }
}

function createCommand(command: string): HTMLElement {
  return createBlock([], markScrollable(createElement("pre", "code command-line", command), "Command"));
}

function createLocations(locations: readonly ToolLocation[], directory: string): HTMLElement {
  const places = locations.map(({ path, line }) => createElement("li", "", createPathButton(path, directory, line)));
  return createElement("ul", "tool-locations", ...places);
}

function createRaw(output: Json): HTMLElement {
  const body = markScrollable(createElement("pre", "code", JSON.stringify(output, null, 2)), "Raw output");
  return createElement(
    "details",
    "tool-raw",
    createElement("summary", "", createIcon("chevron", "icon-sm"), "Raw output"),
    createBlock([], body),
  );
}

function textOf(parts: readonly Part[] | undefined): string | undefined {
  const texts = (parts ?? []).flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === 0 ? undefined : texts.join("\n");
}

function isEmptyInput(input: Json): boolean {
  return input === null || (isRecord(input) && Object.keys(input).length === 0);
}
