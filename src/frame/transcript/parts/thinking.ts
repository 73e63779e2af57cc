import { createElement } from "../../../ui/create-element.ts";
import type { MarkdownView } from "../../../ui/markdown/markdown-view.ts";
import { DisclosureLine } from "../disclosure-line.ts";
import type { RowContext, RowNode } from "../row-node.ts";
import type { EntryRow } from "../rows.ts";
import { createArticle, markArticle } from "./article.ts";
import { showMarkdown } from "./show-markdown.ts";

/** Thoughts: open while they arrive, folded away when the answer comes, and as the user left them ever after. */
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

  /** Closing what is being read would take the text out from under the eyes. */
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
