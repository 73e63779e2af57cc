import type { NoticeSeverity } from "../../../protocol/entry.ts";
import { createIcon } from "../../icons/create-icon.ts";
import type { IconName } from "../../icons/icon-shapes.ts";
import { createElement, setText } from "../create-element.ts";
import type { RowNode } from "../row-node.ts";
import type { EntryRow, TailRow } from "../rows.ts";
import type { TurnEndAction } from "../turn-end-words.ts";
import { createArticle, markArticle } from "./article.ts";

const ICON_OF: Readonly<Record<NoticeSeverity, IconName>> = { info: "info", warning: "alert", error: "fail" };

const ACTION_WORDS: Readonly<Record<TurnEndAction, string>> = { retry: "Try again", "sign-in": "Sign in" };
const ACTION_ICONS: Readonly<Record<TurnEndAction, IconName>> = { retry: "refresh", "sign-in": "key" };

type NoticeRow = EntryRow | Extract<TailRow, { kind: "turn-end" }>;

/** Something the app says inside the transcript: a kept notice, or how the last turn ended. */
export class NoticeNode implements RowNode<NoticeRow> {
  readonly element: HTMLElement;
  readonly #frame = createElement("div", "notice");
  readonly #words = createElement("p", "notice-words");
  readonly #actions = createElement("div", "actions");
  #severity: NoticeSeverity | null = null;
  #offered = "";

  constructor(row: NoticeRow) {
    this.#actions.hidden = true;
    // How a turn ended is about now; only what is kept is an entry.
    this.element =
      row.kind === "entry" ? createArticle("notice", "entry-notice") : createElement("div", "entry turn-end");
    this.element.append(this.#frame);
    this.update(row);
  }

  update(row: NoticeRow): void {
    markArticle(this.element, row);
    if (row.kind === "turn-end") {
      this.#show(row.severity, row.words, row.severity !== "error");
      this.#offer(row.actions);
    } else if (row.entry.type === "notice") {
      this.#show(row.entry.severity, row.entry.content, row.entry.severity === "info");
    }
  }

  #show(severity: NoticeSeverity, words: string, isQuiet: boolean): void {
    setText(this.#words, words);
    if (severity === this.#severity) return;
    this.#severity = severity;
    this.#frame.dataset["severity"] = severity;
    this.#frame.classList.toggle("quiet", isQuiet);
    this.#frame.replaceChildren(
      createIcon(ICON_OF[severity]),
      createElement("div", "body", this.#words, this.#actions),
    );
  }

  /** What a click does is up to the frame, which hears it by the button's mark. */
  #offer(actions: readonly TurnEndAction[]): void {
    this.#actions.hidden = actions.length === 0;
    if (actions.join() === this.#offered) return;
    this.#offered = actions.join();
    this.#actions.replaceChildren(...actions.map(createActionButton));
  }
}

function createActionButton(action: TurnEndAction): HTMLElement {
  const button = createElement("button", "button", createIcon(ACTION_ICONS[action], "icon-sm"), ACTION_WORDS[action]);
  button.type = "button";
  button.dataset["turnEnd"] = action;
  return button;
}
