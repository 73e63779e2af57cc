import type { SessionId } from "../../../protocol/ids.ts";
import type { ShellToPortlet } from "../../../protocol/portlet-messages.ts";
import { panelIdOf } from "./portlet-frame.ts";

/** Has an open session print itself: only its own frame holds the whole of it. False when it is not open. */
export function printPortlet(id: SessionId): boolean {
  const frame = document.getElementById(panelIdOf(id))?.querySelector("iframe");
  const message: ShellToPortlet = { type: "portlet:print" };
  frame?.contentWindow?.postMessage(message, location.origin);
  return frame != null;
}
