import type { NoticeSeverity } from "../../../protocol/entry.ts";
import { createElement, setText } from "../../../ui/create-element.ts";
import { createIcon } from "../../../ui/icons/create-icon.ts";
import type { IconName } from "../../../ui/icons/icon-shapes.ts";
import type { Undoing } from "../../portlet-state.ts";
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

/** A notice about the session: a stored one, or the actions for the end of the last turn. */
export class NoticeNode implements RowNode<NoticeRow> {
  readonly element: HTMLElement;
  readonly #frame = createElement("div", "notice");
  readonly #words = createElement("p", "notice-words");
  readonly #details = createElement("details", "notice-details");
  readonly #detailsText = createElement("p", "part-text");
  readonly #actions = createElement("div", "actions");
  #shape = "";
  #offered = "";
  #undo: UndoControl | null = null;

  constructor(row: NoticeRow) {
    this.#actions.hidden = true;
    this.#details.hidden = true;
    this.#details.append(createElement("summary", "", createIcon("chevron", "icon-sm"), "Summary"), this.#detailsText);
    // Actions are about the current state; only a stored notice is an entry.
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
      const { severity, content, turnEnd, compaction, details = "", person } = row.entry;
      const isQuiet = severity === "info" || (turnEnd !== undefined && severity === "warning");
      if (turnEnd !== undefined) this.element.dataset["stopReason"] = turnEnd;
      if (compaction) this.element.dataset["compaction"] = compaction.status;
      const icon = compaction?.status === "in_progress" ? "working" : ICON_OF[severity];
      // The text of a question has the name of who answered it.
      const isNamed = person === undefined || content.includes(person.name);
      this.#show(icon, severity, isNamed ? content : `${person.name}: ${content}`, isQuiet);
      setText(this.#detailsText, details);
      this.#details.hidden = details === "";
      if (row.entry.branch) this.#offerBranch(row.entry.branch.sessionId);
      if (row.entry.restore) this.#offerUndo(row.entry.restore.undoId, row.undoing);
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

  /** The frame opens the session by the button's data attribute. */
  #offerBranch(sessionId: string): void {
    if (this.#actions.childElementCount > 0) return;
    const button = createElement("button", "button small", createIcon("fork", "icon-sm"), "Open");
    button.type = "button";
    button.dataset["session"] = sessionId;
    button.setAttribute("aria-label", "Open the session that goes on");
    this.#actions.replaceChildren(button);
    this.#actions.hidden = false;
  }

  /** The buttons stay in place: the focus stays on them while the action runs, and when it failed. */
  #offerUndo(undoId: string, undoing: Undoing | undefined): void {
    this.#undo ??= createUndo(undoId, this.#actions);
    const { button, failure, done } = this.#undo;
    this.#actions.hidden = false;
    button.hidden = undoing?.state === "undone";
    done.hidden = undoing?.state !== "undone";
    button.setAttribute("aria-disabled", String(undoing?.state === "asked"));
    setText(failure, undoing?.state === "failed" ? undoing.words : "");
  }

  /** The frame handles the click by the button's data attribute. */
  #offer(actions: readonly TurnEndAction[]): void {
    this.#actions.hidden = actions.length === 0;
    if (actions.join() === this.#offered) return;
    this.#offered = actions.join();
    this.#actions.replaceChildren(...actions.map(createActionButton));
  }
}

interface UndoControl {
  readonly button: HTMLElement;
  readonly failure: HTMLElement;
  readonly done: HTMLElement;
}

/** The frame handles the click by the button's data attribute. */
function createUndo(undoId: string, place: HTMLElement): UndoControl {
  const button = createElement("button", "button small", createIcon("undo", "icon-sm"), "Undo");
  button.type = "button";
  button.dataset["undoRestore"] = undoId;
  button.setAttribute("aria-label", "Undo this restore");
  const failure = createElement("span", "undo-failed");
  failure.setAttribute("role", "alert");
  const done = createElement("span", "undo-done", createIcon("check", "icon-sm"), "Undone");
  place.replaceChildren(button, done, failure);
  return { button, failure, done };
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
