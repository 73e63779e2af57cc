import { hasKeyboard } from "../../../ui/controls/keep-focus.ts";
import { createElement, setText } from "../../../ui/create-element.ts";

interface MessageEditorOptions {
  readonly article: HTMLElement;
  readonly text: string;
  /** Sends it in a branch that starts before the message; rejects with the reason. */
  readonly branch: (text: string) => Promise<void>;
  /** Sends it here, as a new message. */
  readonly send: (text: string) => void;
}

const ROWS_MAX = 12;
/** A message that is being edited. */
export const EDITOR = ".message-editor";

/** Opens a sent message for editing in its place. The message itself stays unchanged. */
export function openMessageEditor({ article, text, branch, send }: MessageEditorOptions): void {
  const known = article.querySelector<HTMLTextAreaElement>(`${EDITOR} textarea`);
  if (known) {
    known.focus();
    return;
  }
  const field = createElement("textarea");
  field.value = text;
  field.rows = Math.min(ROWS_MAX, text.split("\n").length + 1);
  field.setAttribute("aria-label", "Edited message");
  const problem = createElement("p", "problem");
  problem.setAttribute("role", "alert");
  const inBranch = button("Send in a branch", "button small primary");
  inBranch.title = "Enter: a new session with this message instead; this one stays as it is";
  const here = button("Send here", "button small");
  here.title = "Shift+Alt+Enter: as a new message at the end";
  const cancel = button("Cancel", "button small ghost");
  const acts = createElement("div", "acts", cancel, here, inBranch);
  const form = createElement("div", "message-editor", field, problem, acts);
  form.setAttribute("role", "group");
  form.setAttribute("aria-label", "Edit message");
  const close = () => {
    form.remove();
    article.classList.remove("editing");
    // The branch may be active by now.
    if (hasKeyboard(article.ownerDocument)) article.querySelector<HTMLElement>(".edit-message")?.focus();
  };
  let isSending = false;
  const sendBranch = () => {
    if (isSending || field.value.trim() === "") return;
    isSending = true;
    setText(problem, "");
    branch(field.value).then(close, (error: unknown) => {
      isSending = false;
      setText(problem, error instanceof Error ? error.message : String(error));
    });
  };
  const sendHere = () => {
    if (field.value.trim() === "") return;
    send(field.value);
    close();
  };
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Escape") close();
    else if (event.key === "Enter" && event.shiftKey && event.altKey) sendHere();
    else if (event.key === "Enter" && !event.shiftKey && !event.altKey) sendBranch();
    else return;
    event.preventDefault();
  });
  inBranch.addEventListener("click", sendBranch);
  here.addEventListener("click", sendHere);
  cancel.addEventListener("click", close);
  article.classList.add("editing");
  article.querySelector(".user-card")?.after(form);
  field.focus();
}

function button(words: string, className: string): HTMLButtonElement {
  const made = createElement("button", className, words);
  made.type = "button";
  return made;
}
