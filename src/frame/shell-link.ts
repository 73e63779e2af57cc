import type { PortletCommand, PortletToShell } from "../protocol/portlet-commands.ts";
import { readFromShell, type ShellToPortlet } from "../protocol/portlet-messages.ts";

/** The frame's only channel to the shell. */
export interface ShellLink {
  post(message: PortletToShell | PortletCommand): void;
  /** Delivers messages posted during the call before it returns: a queued message is lost when the frame is removed. */
  atOnce(call: () => void): void;
}

/** Receives messages of the shell: checks origin, parent and schema; anything else is ignored. */
export function linkShell(frame: Window, receive: (message: ShellToPortlet) => void): ShellLink {
  const { origin } = frame.location;
  const shell = frame.parent;
  frame.addEventListener("message", (event) => {
    if (event.origin !== origin || event.source !== shell) return;
    const posted = readFromShell(event.data);
    if (posted?.type === "portlet:facts") posted.facts.forEach(receive);
    else if (posted) receive(posted);
  });
  let isUrgent = false;
  return {
    post: (data) => {
      if (isUrgent) shell.dispatchEvent(new MessageEvent("message", { data, origin, source: frame }));
      else shell.postMessage(data, origin);
    },
    atOnce: (call) => {
      isUrgent = true;
      call();
      isUrgent = false;
    },
  };
}
