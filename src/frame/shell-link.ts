import {
  type PortletCommand,
  type PortletToShell,
  readFromShell,
  type ShellToPortlet,
} from "../protocol/portlet-messages.ts";

/** The only way out of the frame and into it. */
export interface ShellLink {
  post(message: PortletToShell | PortletCommand): void;
  /** Delivers what is posted during the call before it returns: a queued message is lost when the frame is removed. */
  atOnce(call: () => void): void;
}

/** Listens to the shell: our own origin and our own parent, then the schema; anything else has no effect. */
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
