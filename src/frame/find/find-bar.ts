import { createElement, setText } from "../../ui/create-element.ts";
import { createIcon } from "../../ui/icons/create-icon.ts";
import { FIND_QUERY_CHARS_MAX } from "./find-pattern.ts";

export interface FindBarOptions {
  readonly onQuery: (query: string) => void;
  readonly onStep: (steps: 1 | -1) => void;
  readonly onClose: () => void;
}

/** The field that finds, how much it found, and the ways through it. */
export class FindBar {
  readonly element = createElement("div", "find-bar");
  readonly #input = createElement("input", "find-input");
  readonly #count = createElement("span", "find-count");
  readonly #options: FindBarOptions;

  constructor(options: FindBarOptions) {
    this.#options = options;
    this.element.setAttribute("role", "search");
    this.element.setAttribute("aria-label", "Find in session");
    this.#input.type = "text";
    this.#input.placeholder = "Find in session";
    this.#input.setAttribute("aria-label", "Find in session");
    this.#input.maxLength = FIND_QUERY_CHARS_MAX;
    this.#input.spellcheck = false;
    this.#input.autocomplete = "off";
    this.#count.setAttribute("role", "status");
    const previous = createButton("Previous match", "down", () => options.onStep(-1));
    previous.classList.add("find-previous");
    this.element.append(
      createIcon("search", "icon-sm"),
      this.#input,
      this.#count,
      previous,
      createButton("Next match", "down", () => options.onStep(1)),
      createButton("Close find", "close", options.onClose),
    );
    this.#input.addEventListener("input", () => options.onQuery(this.#input.value));
    this.element.addEventListener("keydown", (event) => this.#pressKey(event));
  }

  get query(): string {
    return this.#input.value;
  }

  /** Takes the keyboard; `query` replaces what stood there. */
  focus(query: string): void {
    if (query !== "") this.#input.value = query;
    this.#input.focus();
    this.#input.select();
  }

  setCount(words: string, hasNone: boolean): void {
    setText(this.#count, words);
    this.element.toggleAttribute("data-none", hasNone);
  }

  #pressKey(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "Escape") this.#options.onClose();
    else if (event.key === "Enter" && event.target === this.#input) this.#options.onStep(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
  }
}

function createButton(label: string, icon: "down" | "close", onClick: () => void): HTMLButtonElement {
  const button = createElement("button", "icon-button small", createIcon(icon, "icon-sm"));
  button.type = "button";
  button.title = label;
  button.setAttribute("aria-label", label);
  button.addEventListener("click", onClick);
  return button;
}
