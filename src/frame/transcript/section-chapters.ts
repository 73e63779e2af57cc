import { createElement } from "../../ui/create-element.ts";
import { alignSections } from "./align-sections.ts";
import { placeChildren } from "./place-children.ts";
import type { Section } from "./section.ts";

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
