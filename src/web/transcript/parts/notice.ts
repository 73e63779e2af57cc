import type { NoticeSeverity } from "../../../protocol/entry.ts";
import { createIcon } from "../../icons/create-icon.ts";
import type { IconName } from "../../icons/icon-shapes.ts";
import { createElement, setText } from "../create-element.ts";
import type { RowNode } from "../row-node.ts";
import type { EntryRow, TailRow } from "../rows.ts";
import { createArticle, markArticle } from "./article.ts";

const ICON_OF: Readonly<Record<NoticeSeverity, IconName>> = { info: "info", warning: "alert", error: "fail" };

type NoticeRow = EntryRow | Extract<TailRow, { kind: "turn-end" }>;

/** Something the app says inside the transcript: a kept notice, or how the last turn ended. */
export class NoticeNode implements RowNode<NoticeRow> {
  readonly element: HTMLElement;
  readonly #frame = createElement("div", "notice");
  readonly #words = createElement("p", "notice-words");
  #severity: NoticeSeverity | null = null;

  constructor(row: NoticeRow) {
    // How a turn ended is about now; only what is kept is an entry.
    this.element =
      row.kind === "entry" ? createArticle("notice", "entry-notice") : createElement("div", "entry turn-end");
    this.element.append(this.#frame);
    this.update(row);
  }

  update(row: NoticeRow): void {
    markArticle(this.element, row);
    if (row.kind === "turn-end") this.#show(row.severity, row.words, row.severity !== "error");
    else if (row.entry.type === "notice") {
      this.#show(row.entry.severity, row.entry.content, row.entry.severity === "info");
    }
  }

  #show(severity: NoticeSeverity, words: string, isQuiet: boolean): void {
    setText(this.#words, words);
    if (severity === this.#severity) return;
    this.#severity = severity;
    this.#frame.dataset["severity"] = severity;
    this.#frame.classList.toggle("quiet", isQuiet);
    this.#frame.replaceChildren(createIcon(ICON_OF[severity]), createElement("div", "body", this.#words));
  }
}
