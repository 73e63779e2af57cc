import { createElement } from "../../ui/create-element.ts";
import { alignSections } from "./align-sections.ts";
import { placeChildren } from "./place-children.ts";

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

/** Sections in one chapter; with these, text that grows at the end lays out a few dozen boxes, however long the session. */
const CHAPTER_SECTIONS = 32;

interface Chapter {
  readonly element: HTMLElement;
  readonly ids: readonly string[];
}

/** The sections in the page, grouped so that the layout of the older ones is never looked at again. */
export class SectionChapters {
  readonly element = createElement("div", "sections");
  #chapters: readonly Chapter[] = [];

  place(sections: readonly Section[]): void {
    const ids = sections.map(({ id }) => id);
    const before = this.#chapters;
    const known = before.map((chapter) => chapter.ids);
    this.#chapters = alignSections(known, ids, CHAPTER_SECTIONS).map(({ reuse, from, to }) => {
      const element = (reuse === null ? undefined : before[reuse]?.element) ?? createElement("div", "chapter");
      placeChildren(
        element,
        sections.slice(from, to).map((section) => section.element),
      );
      return { element, ids: ids.slice(from, to) };
    });
    placeChildren(
      this.element,
      this.#chapters.map(({ element }) => element),
    );
  }
}
