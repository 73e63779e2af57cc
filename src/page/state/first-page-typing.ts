import type { KeyPress } from "../../ui/keys/shell-shortcut.ts";
import type { Shell } from "./shell.ts";
import { onceListed } from "./shell-actions.ts";
import { isComplete } from "./shell-state.ts";

/** Enough for everything typed before the first page is drawn. */
const HELD_KEYS_MAX = 200;
const FIELD = ".new-session.on-page textarea";

/** `press` names the key as shortcuts do; the text has it as the layout does. */
const held: { readonly text: string; readonly press: KeyPress }[] = [];

/**
 * On the first page a letter pressed where nothing has the focus is the beginning of the first message. Gives what
 * becomes of the key: `field`: the message field has the focus now and gets it, `held`: it waits until the page is
 * drawn. It may turn out that there are sessions: then `run` gets the held keys, which were shortcuts. Null: the key is
 * none of these.
 */
export function typeOnFirstPage(
  shell: Shell,
  { key, target, isComposing }: Pick<KeyboardEvent, "key" | "target" | "isComposing">,
  press: KeyPress,
  run: (press: KeyPress) => void,
): "field" | "held" | null {
  const { ctrl, meta, alt } = press.modifiers;
  if (ctrl || meta || alt || isComposing || !isFirstPage(shell) || !isNowhere(target)) return null;
  const field = document.querySelector<HTMLTextAreaElement>(FIELD);
  // A message does not begin with a space, which scrolls the page and presses buttons.
  const isBegun = field === null ? held.length > 0 : field.value !== "" && isBesideAll(target);
  const isText = [...key].length === 1 && (key !== " " || isBegun);
  if (field !== null) {
    if (isText) field.focus();
    return isText ? "field" : null;
  }
  if (key === "Backspace" && held.length > 0) held.pop();
  else if (!isText) return null;
  else if (held.length < HELD_KEYS_MAX) {
    held.push({ text: key, press });
    if (held.length === 1 && !isComplete(shell.server.peek()))
      onceListed(shell, () => {
        if (shell.server.peek().sessions.size > 0) for (const one of held.splice(0)) run(one.press);
      });
  }
  return "held";
}

/** What was typed before the first page was drawn; it is not held any more. */
export function takeFirstLetters(): string {
  return held
    .splice(0)
    .map(({ text }) => text)
    .join("");
}

/** Nothing is open, and no session is known. Before the server has listed them there may be none. */
function isFirstPage(shell: Shell): boolean {
  const isClear = shell.page.peek() === null && shell.tabs.peek().active === null;
  const isCalm = shell.dialog.peek().kind === "none" && shell.renaming.peek() === null;
  const isComing = isComplete(shell.server.peek()) || shell.phase.peek().phase !== "waiting-to-retry";
  return isClear && isCalm && isComing && shell.server.peek().sessions.size === 0;
}

/** Also on the button that starts the session, which has the focus while that takes place: nobody chose to be there. */
function isNowhere(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return true;
  return isBesideAll(target) || target.closest(".new-session.on-page button[type=submit]") !== null;
}

/** A click beside everything gives the focus to the main part of the page. */
function isBesideAll(target: EventTarget | null): boolean {
  return target === document.body || target === document.getElementById("main");
}
