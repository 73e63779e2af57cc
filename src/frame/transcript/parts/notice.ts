import type { NoticeSeverity } from "../../../protocol/entry.ts";
import { createElement, setText } from "../../../ui/create-element.ts";
import { createIcon } from "../../../ui/icons/create-icon.ts";
import type { IconName } from "../../../ui/icons/icon-shapes.ts";
import type { RowNode } from "../row-node.ts";
import type { EntryRow, TailRow } from "../rows.ts";
import type { TurnEndAction } from "../turn-end.ts";
import { createArticle, markArticle } from "./article.ts";

const ICON_OF: Readonly<Record<NoticeSeverity, IconName>> = { info: "info", warning: "alert", error: "fail" };

const ACTION_WORDS: Readonly<Record<TurnEndAction, string>> = {
  retry: "Try again",
  "sign-in": "Sign in",
  afresh: "Start over",
};
const ACTION_ICONS: Readonly<Record<TurnEndAction, IconName>> = { retry: "refresh", "sign-in": "key", afresh: "plus" };

type NoticeRow = EntryRow | Extract<TailRow, { kind: "turn-end" }>;

/** Something said about the talk rather than in it: a kept notice, or what can be done about the last turn's end. */
export class NoticeNode implements RowNode<NoticeRow> {
  readonly element: HTMLElement;
  readonly #frame = createElement("div", "notice");
  readonly #words = createElement("p", "notice-words");
  readonly #details = createElement("details", "notice-details");
  readonly #detailsText = createElement("p", "part-text");
  readonly #actions = createElement("div", "actions");
  #shape = "";
  #offered = "";

  constructor(row: NoticeRow) {
    this.#actions.hidden = true;
    this.#details.hidden = true;
    this.#details.append(createElement("summary", "", createIcon("chevron", "icon-sm"), "Summary"), this.#detailsText);
    // What can be done is about now; only what is kept is an entry.
    this.element =
      row.kind === "entry" ? createArticle("notice", "entry-notice") : createElement("div", "entry turn-end");
    this.element.append(this.#frame);
    this.update(row);
  }

  update(row: NoticeRow): void {
    markArticle(this.element, row);
    if (row.kind === "turn-end") {
      this.#show(row.words === "" ? null : ICON_OF[row.severity], row.severity, row.words, row.severity !== "error");
      this.#offer(row.actions);
    } else if (row.entry.type === "notice") {
      const { severity, content, turnEnd, compaction, details = "" } = row.entry;
      const isQuiet = severity === "info" || (turnEnd !== undefined && severity === "warning");
      if (turnEnd !== undefined) this.element.dataset["stopReason"] = turnEnd;
      if (compaction) this.element.dataset["compaction"] = compaction.status;
      const icon = compaction?.status === "in_progress" ? "working" : ICON_OF[severity];
      this.#show(icon, severity, content, isQuiet);
      setText(this.#detailsText, details);
      this.#details.hidden = details === "";
    }
  }

  #show(icon: IconName | "working" | null, severity: NoticeSeverity, words: string, isQuiet: boolean): void {
    setText(this.#words, words);
    this.#words.hidden = words === "";
    const shape = `${icon} ${severity} ${isQuiet}`;
    if (shape === this.#shape) return;
    this.#shape = shape;
    this.#frame.dataset["severity"] = severity;
    this.#frame.classList.toggle("quiet", isQuiet);
    const body = createElement("div", "body", this.#words, this.#details, this.#actions);
    this.#frame.replaceChildren(...(icon === null ? [] : [createLead(icon)]), body);
  }

  /** The frame handles the click by the button's data attribute. */
  #offer(actions: readonly TurnEndAction[]): void {
    this.#actions.hidden = actions.length === 0;
    if (actions.join() === this.#offered) return;
    this.#offered = actions.join();
    this.#actions.replaceChildren(...actions.map(createActionButton));
  }
}

function createLead(icon: IconName | "working"): Element {
  if (icon !== "working") return createIcon(icon);
  const mark = createElement("span", "mark");
  mark.dataset["state"] = icon;
  return mark;
}

function createActionButton(action: TurnEndAction): HTMLElement {
  const button = createElement("button", "button", createIcon(ACTION_ICONS[action], "icon-sm"), ACTION_WORDS[action]);
  button.type = "button";
  button.dataset["turnEnd"] = action;
  return button;
}
