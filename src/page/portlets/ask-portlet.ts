import type { SessionId } from "../../protocol/ids.ts";
import type { PortletWish, ShellToPortlet } from "../../protocol/portlet-messages.ts";
import { panelIdOf } from "./portlet-frame.ts";

/** Has an open session print itself: only its own frame holds the whole of it. False when it is not open. */
export function printPortlet(id: SessionId): boolean {
  return ask(id, { type: "portlet:print" }) !== null;
}

/** Opens the find of a session, which knows more of it than the browser's own. False when it is not open. */
export function findInPortlet(id: SessionId): boolean {
  const frame = ask(id, { type: "portlet:find" });
  frame?.focus();
  return frame !== null;
}

/** Has an open session do what a key of its own does. False when it is not open. */
export function wishOfPortlet(id: SessionId, wish: PortletWish): boolean {
  const frame = ask(id, { type: "portlet:wish", wish });
  frame?.focus();
  return frame !== null;
}

function ask(id: SessionId, message: ShellToPortlet): HTMLIFrameElement | null {
  const frame = document.getElementById(panelIdOf(id))?.querySelector("iframe") ?? null;
  frame?.contentWindow?.postMessage(message, location.origin);
  return frame;
}
