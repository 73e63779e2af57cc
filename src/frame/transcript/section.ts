import { createElement } from "../../ui/create-element.ts";

let lastId = 0;

/** A run of rows that is either real or an empty box of the same height. */
export class Section {
  readonly id = `section-${++lastId}`;
  readonly element = createElement("div", "section");
  /** Its rows among all entry rows. */
  from = 0;
  to = 0;
  #isFilled = false;

  get length(): number {
    return this.to - this.from;
  }

  get isFilled(): boolean {
    return this.#isFilled;
  }

  /** Its rows are in it from now on; it is as tall as they are. */
  markFilled(): void {
    this.#isFilled = true;
    this.element.style.height = "";
  }

  /** Takes its rows out and keeps their place. */
  clear(heightPx: number): void {
    this.#isFilled = false;
    this.element.replaceChildren();
    this.element.style.height = `${heightPx}px`;
  }

  span(): DOMRect {
    return this.element.getBoundingClientRect();
  }
}
