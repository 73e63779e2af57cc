import type { SessionId } from "../../protocol/ids.ts";
import type { PortletWish, ShellToPortlet } from "../../protocol/portlet-messages.ts";
import { panelIdOf } from "./portlet-frame.ts";

/** Prints an open session: only its own frame has all of it. False if it is not open. */
export function printPortlet(id: SessionId): boolean {
  return ask(id, { type: "portlet:print" }) !== null;
}

/** Opens the find bar of a session, which covers more than the browser's own. False if it is not open. */
export function findInPortlet(id: SessionId): boolean {
  const frame = ask(id, { type: "portlet:find" });
  frame?.focus();
  return frame !== null;
}

/** Runs an action of an open session's frame. False if it is not open. */
export function wishOfPortlet(id: SessionId, wish: PortletWish): boolean {
  const frame = ask(id, { type: "portlet:wish", wish });
  frame?.focus();
  return frame !== null;
}

/** Appends text to the message of an open session. False if it is not open. */
export function quoteInPortlet(id: SessionId, text: string): boolean {
  const frame = ask(id, { type: "portlet:quote", text });
  frame?.focus();
  return frame !== null;
}

/** Shows a file in an open session. False if it is not open. */
export function openPathInPortlet(id: SessionId, path: string): boolean {
  const frame = ask(id, { type: "portlet:open-path", path });
  frame?.focus();
  return frame !== null;
}

function ask(id: SessionId, message: ShellToPortlet): HTMLIFrameElement | null {
  const frame = document.getElementById(panelIdOf(id))?.querySelector("iframe") ?? null;
  frame?.contentWindow?.postMessage(message, location.origin);
  return frame;
}
