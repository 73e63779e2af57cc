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
  /** Does what a key of reading asks for; false when it is none. */
  readonly read: (wish: SessionWish | null) => boolean;
}

/** Keys pressed anywhere in the frame: the shell's go up, the session's own are done here. */
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

function takeSessionKey(event: KeyboardEvent, { store, focusComposer, read }: PortletKeysOptions): boolean {
  const press = pressOf(event);
  const wish = findShortcut(IN_SESSION, press);
  if (read(wish)) return true;
  if (wish === "stop") return store.pressEscape();
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

function pressOf(event: KeyboardEvent): KeyPress {
  const { ctrlKey: ctrl, metaKey: meta, shiftKey: shift, altKey: alt } = event;
  return { key: pressedKey(event), code: event.code, modifiers: { ctrl, meta, shift, alt }, typing: isTyping(event) };
}

/** Whether a letter would become text where the focus is. */
function isTyping({ target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ["TEXTAREA", "INPUT", "SELECT"].includes(target.tagName);
}
