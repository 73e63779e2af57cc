import type { Part } from "../../../protocol/entry.ts";
import { createElement } from "../../../ui/create-element.ts";
import type { MarkdownView } from "../../../ui/markdown/markdown-view.ts";
import { DisclosureLine } from "../disclosure-line.ts";
import type { RowContext, RowNode } from "../row-node.ts";
import type { EntryRow } from "../rows.ts";
import { createArticle, createEntryActions, createParts, markArticle } from "./article.ts";

/** The agent's text without a box, with a caret while it grows. */
export class AssistantNode implements RowNode<EntryRow> {
  readonly element = createArticle("assistant", "entry-assistant");
  readonly #context: RowContext;
  readonly #prose: MarkdownView;
  readonly #parts = createElement("div", "entry-parts");
  #shownParts: readonly Part[] | undefined;

  constructor(row: EntryRow, context: RowContext) {
    this.#context = context;
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
    // The text parts are already in the content; here are the others.
    const shown = createParts(parts, this.#context.directory());
    this.#parts.replaceChildren(...shown);
    this.#parts.hidden = shown.length === 0;
  }
}

/** Thoughts: open while they arrive, closed when the answer starts, and then as the user left them. */
export class ThinkingNode implements RowNode<EntryRow> {
  readonly element = createArticle("thinking", "entry-thinking");
  readonly #context: RowContext;
  readonly #line: DisclosureLine;
  readonly #body = createElement("div", "thinking-text");
  #prose: MarkdownView | null = null;
  #row: EntryRow;

  constructor(row: EntryRow, context: RowContext) {
    this.#context = context;
    this.#row = row;
    this.#line = new DisclosureLine((isOpen) =>
      context.toggle(this.#row.key, isOpen, this.#line.button, () => this.#show(isOpen)),
    );
    this.element.append(this.#line.button, this.#body);
    this.#line.setLead("brain");
    this.#show(context.isOpened(row.key) ?? row.live);
    this.update(row);
  }

  update(row: EntryRow): void {
    this.#row = row;
    markArticle(this.element, row);
    this.element.classList.toggle("live", row.live);
    this.#line.setName(row.live ? "Thinking" : "Thought");
    const isOpen = this.#context.isOpened(row.key) ?? (row.live || this.#staysForReader());
    this.#show(isOpen);
  }

  /** Closing them while they are being read would remove the text. */
  #staysForReader(): boolean {
    return this.#line.isOpen && this.#context.isBeingRead(this.element);
  }

  #show(isOpen: boolean): void {
    this.#line.isOpen = isOpen;
    this.#body.hidden = !isOpen;
    const { entry, live } = this.#row;
    if (!isOpen || entry.type !== "thinking") return;
    if (this.#prose === null) {
      this.#prose = this.#context.createProse();
      this.#body.append(this.#prose.element);
    }
    showMarkdown(this.#prose, entry.content, live);
  }
}

/** Updates a view to an entry's text. Our own flush is the frame's only flush, so the DOM changes synchronously. */
function showMarkdown(view: MarkdownView, content: string, isLive: boolean): void {
  view.replace(content); // text that was only added is appended
  if (!isLive) view.finish();
  view.flush();
}
