import type { SessionMessage } from "../../client/followed-sessions.ts";
import type { ShellToPortlet } from "../../protocol/portlet-messages.ts";
import type { FilesFound } from "../../protocol/server-messages.ts";

/** A session's message as its frame hears it: less the id the frame stands for, and less what only the shell asked. */
export function forPortlet(message: SessionMessage): ShellToPortlet {
  if (message.type === "error") return { type: "session:error", message: message.message };
  const { sessionId: _session, requestId: _request, ...rest } = message;
  return rest;
}

/** Files that this frame asked for. */
export function filesForPortlet({ query, files, isPartial }: FilesFound): ShellToPortlet {
  return { type: "files:found", query, files, isPartial };
}
