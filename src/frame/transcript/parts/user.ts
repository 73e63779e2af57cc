import type { ContextCounts } from "../../../protocol/conversations.ts";
import type { MessageAuthor, Part } from "../../../protocol/entry.ts";
import { createElement, setText } from "../../../ui/create-element.ts";
import { createIcon } from "../../../ui/icons/create-icon.ts";
import { createContentPart } from "../../../ui/parts/content-part.ts";
import { ageWords, exactTime } from "../../../ui/words/time-words.ts";
import type { RowContext, RowNode } from "../row-node.ts";
import type { EntryRow, TailRow } from "../rows.ts";
import { createArticle, createEntryActions, markArticle } from "./article.ts";

/** A longer message is collapsed: the answer is what one scrolls for. */
const SHOWN_LINES = 12;
const SHOWN_CHARS = 1_200;

/** `agent`: the prompt of a sub-agent, from the agent that started it. */
const AUTHOR_WORDS: Readonly<Record<MessageAuthor | "agent", string>> = {
  agent: "From the agent",
  parent: "From the parent session",
  children: "From its agents",
  program: "From a program (MCP)",
  limit: "After the usage limit",
  terminal: "From the terminal",
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
  readonly #keep = createElement("button", "icon-button small save-snippet", createIcon("plus", "icon-sm"));
  readonly #told = createElement("button", "told");
  #row: UserRow;
  #attached: readonly Part[] | undefined;

  constructor(row: UserRow, context: RowContext) {
    this.#context = context;
    this.#row = row;
    this.#more.type = "button";
    this.#more.addEventListener("click", () => this.#toggle());
    this.#told.type = "button";
    this.#told.dataset["pack"] = "";
    const card = createElement("div", "user-card", this.#text, this.#more, this.#attachments);
    this.#edit.type = "button";
    this.#edit.title = "Edit and resend, in a branch or as a new message";
    this.#edit.setAttribute("aria-label", "Edit and resend");
    this.#edit.dataset["editMessage"] = "";
    this.#keep.type = "button";
    this.#keep.title = "Save as snippet";
    this.#keep.setAttribute("aria-label", "Save as snippet");
    this.#keep.dataset["saveSnippet"] = "";
    this.element.append(
      this.#author,
      card,
      this.#told,
      createElement("div", "entry-meta", createEntryActions("message", "turn"), this.#keep, this.#edit, this.#time),
    );
    this.update(row);
  }

  update(row: UserRow): void {
    this.#row = row;
    markArticle(this.element, row);
    this.element.classList.toggle("pending", row.kind === "pending");
    const isToSubAgent = row.kind === "entry" && row.entry.parentToolCallId !== undefined;
    this.#edit.hidden = row.kind === "pending" || isToSubAgent;
    this.#keep.hidden = row.kind === "pending" || row.entry.content === "";
    setText(this.#text, row.kind === "entry" ? row.entry.content : row.content);
    this.#showLength(this.#context.isOpened(row.key) ?? false);
    if (row.kind === "entry" && row.entry.type === "user") {
      this.#showAttachments(row.entry.attachments);
      this.#showAuthor(isToSubAgent ? "agent" : row.entry.author, row.entry.person?.name);
    }
    this.#showTold(row.kind === "entry" && row.entry.type === "user" ? row.entry.context : undefined);
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

  /** The only user is not named; any other author is, and each of several people. */
  #showAuthor(author: keyof typeof AUTHOR_WORDS | undefined, person: string | undefined): void {
    const mark = author ?? (person === undefined ? undefined : "person");
    const words = author ? AUTHOR_WORDS[author] : (person ?? "");
    if (this.element.dataset["author"] === mark && this.#author.textContent === words) return;
    if (mark === undefined) delete this.element.dataset["author"];
    else this.element.dataset["author"] = mark;
    const icon = author ? "tree" : "person";
    this.#author.replaceChildren(...(mark === undefined ? [] : [createIcon(icon, "icon-sm"), words]));
    this.#author.hidden = mark === undefined;
  }

  /** The agent got a context pack with this message; the frame shows its text. */
  #showTold(context: ContextCounts | undefined): void {
    this.#told.hidden = context === undefined;
    if (!context) return;
    const { chars, turns, omitted } = context;
    const left = omitted === 0 ? "" : `, ${omitted.toLocaleString("en")} entries left out`;
    setText(this.#told, `The agent was told ${turns === 1 ? "1 turn" : `${turns} turns`}${left}`);
    this.#told.title = `${chars.toLocaleString("en")} characters went with this message: show them`;
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
