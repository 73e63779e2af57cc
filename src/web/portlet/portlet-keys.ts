import { isPermission } from "../../protocol/pending-request.ts";
import { isTurnActive } from "../../protocol/session-state.ts";
import { permissionKey } from "../permissions/permission-keys.ts";
import { shellShortcut } from "../shell/keys/shell-shortcut.ts";
import type { PortletStore } from "./portlet-store.ts";
import type { ShellLink } from "./shell-link.ts";

interface PortletKeysOptions {
  readonly link: ShellLink;
  readonly store: PortletStore;
  readonly focusComposer: () => void;
  /** How long the present question has been in view. */
  readonly askedForMs: () => number;
}

/** Keys pressed anywhere in the frame: the shell's go up, the session's own are done here. */
export function listenForKeys(frame: Window, options: PortletKeysOptions): void {
  frame.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    if (takeShellKey(event, options) || takeSessionKey(event, options)) event.preventDefault();
  });
}

function takeShellKey(event: KeyboardEvent, { link, store }: PortletKeysOptions): boolean {
  const { key, ctrlKey, metaKey, shiftKey, altKey } = event;
  const modifiers = { ctrl: ctrlKey, meta: metaKey, shift: shiftKey, alt: altKey };
  if (shellShortcut({ key, modifiers, typing: isTyping(event) }) === null) return false;
  store.keepDraft(); // the key may close this frame
  link.post({ type: "portlet:key", key, modifiers });
  return true;
}

function takeSessionKey(event: KeyboardEvent, { store, focusComposer, askedForMs }: PortletKeysOptions): boolean {
  const { key } = event;
  if (key === "Escape") {
    store.pressEscape();
    return isTurnActive(store.state.session.turn);
  }
  const hasModifier = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
  const [first] = store.state.session.pending;
  const asked = first && isPermission(first) ? first : null;
  const press = { key, hasModifier, isTyping: isTyping(event), shownForMs: askedForMs() };
  const optionId = asked ? permissionKey(press, asked) : null;
  if (asked && optionId !== null) {
    store.respond(asked.permissionId, optionId);
    return true;
  }
  if (key !== "i" || hasModifier || isTyping(event)) return false;
  focusComposer();
  return true;
}

/** Whether a letter would become text where the focus is. */
function isTyping({ target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ["TEXTAREA", "INPUT", "SELECT"].includes(target.tagName);
}
