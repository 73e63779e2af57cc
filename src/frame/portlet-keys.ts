import { isPermission } from "../protocol/pending-request.ts";
import { pressedKey } from "../ui/keys/chords.ts";
import { findShortcut, type KeyPress, shellShortcut } from "../ui/keys/shell-shortcut.ts";
import { IN_SESSION, type SessionWish } from "../ui/keys/shortcut-table.ts";
import { reasonFor } from "../ui/permissions/deny-reason.tsx";
import { firstOption, permissionKey } from "../ui/permissions/permission-words.ts";
import { isSettled } from "../ui/permissions/settled-request.ts";
import type { PortletStore } from "./portlet-store.ts";
import type { ShellLink } from "./shell-link.ts";

interface PortletKeysOptions {
  readonly link: ShellLink;
  readonly store: PortletStore;
  readonly focusComposer: () => void;
  /** Runs the action of a key for reading or for the side panel; false if it has none. */
  readonly take: (wish: SessionWish | null) => boolean;
  /** False if no side panel is open. */
  readonly closePanel: () => boolean;
}

/** Keys pressed anywhere in the frame: the shell's are forwarded, the session's own are handled here. */
export function listenForKeys(frame: Window, options: PortletKeysOptions): void {
  frame.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    if (takeShellKey(event, options) || takeSessionKey(event, options)) event.preventDefault();
  });
}

function takeShellKey(event: KeyboardEvent, { link, store }: PortletKeysOptions): boolean {
  const press = pressOf(event);
  const shortcut = shellShortcut(press);
  // The composer is here: no need to ask the shell for it.
  if (shortcut === null || shortcut.do === "focus-composer") return false;
  store.keepDraft(); // the key may close this frame
  link.post({ type: "portlet:key", key: press.key, code: press.code, modifiers: press.modifiers });
  return true;
}

function takeSessionKey(event: KeyboardEvent, options: PortletKeysOptions): boolean {
  const { store, focusComposer, take } = options;
  const press = pressOf(event);
  const wish = findShortcut(IN_SESSION, press);
  if (take(wish)) return true;
  if (wish === "stop") return pressEscape(event, options);
  if (wish === "resume-limit") return store.resumeLimit();
  const [first] = store.state.session.pending;
  const asked = first && isPermission(first) ? first : null;
  if (asked && wish === "deny-with-reason" && firstOption(asked.options, "reject")) {
    reasonFor.value = asked.permissionId;
    return true;
  }
  const optionId = asked ? permissionKey(press, asked) : null;
  if (asked && optionId !== null) {
    if (isSettled(asked.permissionId)) store.respond(asked.permissionId, optionId);
    return true;
  }
  if (wish !== "focus-composer") return false;
  focusComposer();
  return true;
}

/** In the side panel, Esc closes it, also when nothing is focused, or where it would have no effect. */
function pressEscape({ target }: KeyboardEvent, { store, closePanel }: PortletKeysOptions): boolean {
  // The browser closes an open menu by the same key.
  if (document.querySelector("[popover=auto]:popover-open") !== null) return false;
  const isNowhere = target === document.body || target === document.documentElement;
  return (isNowhere && closePanel()) || store.pressEscape() || closePanel();
}

export function pressOf(event: KeyboardEvent): KeyPress {
  const { ctrlKey: ctrl, metaKey: meta, shiftKey: shift, altKey: alt } = event;
  return { key: pressedKey(event), code: event.code, modifiers: { ctrl, meta, shift, alt }, typing: isTyping(event) };
}

/** Whether a letter would become text at the focus. */
function isTyping({ target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ["TEXTAREA", "INPUT", "SELECT"].includes(target.tagName);
}
