import type { MessageAuthor, Part } from "../../../protocol/entry.ts";
import { createElement, setText } from "../../../ui/create-element.ts";
import { createIcon } from "../../../ui/icons/create-icon.ts";
import { createContentPart } from "../../../ui/parts/content-part.ts";
import { ageWords, exactTime } from "../../../ui/words/time-words.ts";
import type { RowContext, RowNode } from "../row-node.ts";
import type { EntryRow, TailRow } from "../rows.ts";
import { createArticle, createEntryActions, markArticle } from "./article.ts";

/** A longer message is cut until asked for: the answer is what one scrolls for. */
const SHOWN_LINES = 12;
const SHOWN_CHARS = 1_200;

const AUTHOR_WORDS: Readonly<Record<MessageAuthor, string>> = {
  parent: "From the parent session",
  children: "From its agents",
  program: "From a program (MCP)",
};

type UserRow = EntryRow | Extract<TailRow, { kind: "pending" }>;

/** The user's message as a card at the right edge; the same node while it is being sent and once it is confirmed. */
export class UserNode implements RowNode<UserRow> {
  readonly element = createArticle("user", "entry-user");
  readonly #context: RowContext;
  readonly #text = createElement("p", "user-text");
  readonly #more = createElement("button", "show-more");
  readonly #attachments = createElement("div", "attachments");
  readonly #author = createElement("div", "author");
  readonly #time = createElement("time");
  readonly #edit = createElement("button", "icon-button small edit-message", createIcon("edit", "icon-sm"));
  #row: UserRow;
  #attached: readonly Part[] | undefined;

  constructor(row: UserRow, context: RowContext) {
    this.#context = context;
    this.#row = row;
    this.#more.type = "button";
    this.#more.addEventListener("click", () => this.#toggle());
    const card = createElement("div", "user-card", this.#text, this.#more, this.#attachments);
    this.#edit.type = "button";
    this.#edit.title = "Edit and resend, as a new message";
    this.#edit.setAttribute("aria-label", "Edit and resend");
    this.#edit.dataset["editMessage"] = "";
    this.element.append(
      this.#author,
      card,
      createElement("div", "entry-meta", createEntryActions("message", "turn"), this.#edit, this.#time),
    );
    this.update(row);
  }

  update(row: UserRow): void {
    this.#row = row;
    markArticle(this.element, row);
    this.element.classList.toggle("pending", row.kind === "pending");
    this.#edit.hidden = row.kind === "pending";
    setText(this.#text, row.kind === "entry" ? row.entry.content : row.content);
    this.#showLength(this.#context.isOpened(row.key) ?? false);
    if (row.kind === "entry" && row.entry.type === "user") {
      this.#showAttachments(row.entry.attachments);
      this.#showAuthor(row.entry.author);
    }
    this.tick(this.#context.now());
  }

  tick(now: number): void {
    const row = this.#row;
    if (row.kind !== "entry" || row.entry.type !== "user") {
      setText(this.#time, "sending");
      return;
    }
    setText(this.#time, ageWords(row.entry.timestamp, now));
    if (this.#time.dateTime === row.entry.timestamp) return;
    this.#time.dateTime = row.entry.timestamp;
    this.#time.title = exactTime(row.entry.timestamp);
  }

  /** The user need not be named; anyone else is. */
  #showAuthor(author: MessageAuthor | undefined): void {
    if (this.element.dataset["author"] === author) return;
    if (author === undefined) delete this.element.dataset["author"];
    else this.element.dataset["author"] = author;
    this.#author.replaceChildren(...(author ? [createIcon("tree", "icon-sm"), AUTHOR_WORDS[author]] : []));
    this.#author.hidden = author === undefined;
  }

  #showLength(isOpen: boolean): void {
    const text = this.#text.textContent;
    const isLong = text.length > SHOWN_CHARS || text.split("\n", SHOWN_LINES + 1).length > SHOWN_LINES;
    this.#text.classList.toggle("cut", isLong && !isOpen);
    this.#more.hidden = !isLong;
    this.#more.setAttribute("aria-expanded", String(isOpen));
    setText(this.#more, isLong ? (isOpen ? "Show less" : "Show all") : "");
  }

  #toggle(): void {
    const isOpen = this.#more.getAttribute("aria-expanded") !== "true";
    this.#context.toggle(this.#row.key, isOpen, this.element, () => this.#showLength(isOpen));
  }

  #showAttachments(attachments: readonly Part[] | undefined): void {
    if (attachments === this.#attached) return;
    this.#attached = attachments;
    this.#attachments.replaceChildren(...(attachments ?? []).map((part) => createContentPart(part)));
  }
}
