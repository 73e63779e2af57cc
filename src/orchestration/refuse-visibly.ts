import type { Refusal } from "../protocol/errors.ts";
import type { SessionService } from "../sessions/session-service.ts";
import type { Caller } from "./tool.ts";
import { refusedBy, type ToolError } from "./tool-error.ts";

interface Refused {
  readonly sessions: SessionService;
  readonly caller: Caller;
}

/** A limit stops work that the user may be waiting for: the session that met it tells them, besides its agent. */
export function refuseVisibly({ sessions, caller }: Refused, refusal: Refusal): ToolError {
  if (refusal.code === "LIMIT_EXCEEDED" && caller !== null) {
    const content = `No further agent was set to work. ${refusal.message}`;
    const start = sessions.open(caller, undefined, RECENT_ENTRIES);
    const said = start?.type === "session:history" ? start.entries : [];
    const isNew = !said.some((entry) => entry.type === "notice" && entry.content === content);
    if (isNew) sessions.notice(caller, content);
  }
  return refusedBy(refusal);
}

/** Told again only when it is no longer in sight. */
const RECENT_ENTRIES = 50;
