import type { Part } from "../../../protocol/entry.ts";
import { createElement } from "../../../ui/create-element.ts";
import type { MarkdownView } from "../../../ui/markdown/markdown-view.ts";
import type { RowContext, RowNode } from "../row-node.ts";
import type { EntryRow } from "../rows.ts";
import { createArticle, markArticle } from "./article.ts";
import { createEntryActions } from "./entry-actions.ts";
import { createParts } from "./part-list.ts";
import { showMarkdown } from "./show-markdown.ts";

/** The agent's text: a document without a box, with a caret where it grows. */
export class AssistantNode implements RowNode<EntryRow> {
  readonly element = createArticle("assistant", "entry-assistant");
  readonly #prose: MarkdownView;
  readonly #parts = createElement("div", "entry-parts");
  #shownParts: readonly Part[] | undefined;

  constructor(row: EntryRow, context: RowContext) {
    this.#prose = context.createProse();
    this.#parts.hidden = true;
    this.element.append(this.#prose.element, this.#parts, createEntryActions("message"));
    this.update(row);
  }

  update(row: EntryRow): void {
    if (row.entry.type !== "assistant") return;
    markArticle(this.element, row);
    this.element.classList.toggle("live", row.live);
    showMarkdown(this.#prose, row.entry.content, row.live);
    this.#prose.element.hidden = row.entry.content === "" && !row.live;
    this.#showParts(row.entry.parts);
  }

  #showParts(parts: readonly Part[] | undefined): void {
    if (parts === this.#shownParts) return;
    this.#shownParts = parts;
    // The text parts already stand in the content; here is what text cannot carry.
    const shown = createParts(parts);
    this.#parts.replaceChildren(...shown);
    this.#parts.hidden = shown.length === 0;
  }
}
