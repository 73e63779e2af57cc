import type { Shell } from "./shell.ts";

/** More than anybody types before a dialog or a composer is there. */
const AHEAD_CHARS_MAX = 200;

let ahead = "";

/** While a dialog is still being fetched the keys are already meant for it: letters are kept, and Esc takes the wish back. */
export function keepForDialog(shell: Shell, event: KeyboardEvent): boolean {
  if (shell.dialog.peek().kind === "none" || document.querySelector("dialog[open]") !== null) return false;
  if (event.key === "Escape") {
    forgetTypedAhead();
    shell.closeDialog();
    return true;
  }
  return keep(event);
}

/** While a session is made or its frame is loaded, the keys are already meant for its composer. */
export function keepForComposer(shell: Shell, event: KeyboardEvent, isTyping: boolean): boolean {
  const { kind } = shell.dialog.peek();
  if (shell.focusWanted.peek() === null || isTyping || (kind !== "none" && kind !== "new-session")) return false;
  return keep(event);
}

function keep({ key, ctrlKey, metaKey, altKey, isComposing }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || isComposing) return false;
  if (key === "Backspace") ahead = [...ahead].slice(0, -1).join("");
  else if ([...key].length === 1) ahead = (ahead + key).slice(0, AHEAD_CHARS_MAX);
  else return false;
  return true;
}

/** The field does not come: what was meant for it is meant for no other. */
export function forgetTypedAhead(): void {
  ahead = "";
}

export function takeTypedAhead(): string {
  const text = ahead;
  ahead = "";
  return text;
}

/** Gives what was typed ahead to the field that has the focus now, as if it had been typed there. */
export function giveTypedAhead(): void {
  const text = takeTypedAhead();
  const field = document.activeElement;
  if (text === "" || !(field instanceof HTMLInputElement) || field.type !== "text") return;
  field.setRangeText(text, field.value.length, field.value.length, "end");
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
}
