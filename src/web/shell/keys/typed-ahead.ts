import type { Shell } from "../state/shell.ts";

/** More than anybody types before a dialog is there. */
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
  if ([...event.key].length !== 1 || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return false;
  ahead = (ahead + event.key).slice(0, AHEAD_CHARS_MAX);
  return true;
}

/** The dialog does not come: what was meant for it is meant for no other. */
export function forgetTypedAhead(): void {
  ahead = "";
}

/** Gives what was typed ahead to the field that has the focus now, as if it had been typed there. */
export function giveTypedAhead(): void {
  const text = ahead;
  ahead = "";
  const field = document.activeElement;
  if (text === "" || !(field instanceof HTMLInputElement) || field.type !== "text") return;
  field.setRangeText(text, field.value.length, field.value.length, "end");
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
}
