import type { Entry } from "../protocol/entry.ts";
import type { SessionId } from "../protocol/ids.ts";
import { INBOX_INPUT_CHARS_MAX, INBOX_SESSIONS_MAX, type InboxItem, type RunningTool } from "../protocol/inbox.ts";
import { isTurnActive, type SessionState } from "../protocol/session-schema.ts";

interface WorkingSession {
  readonly id: SessionId;
  readonly state: SessionState;
  flush(): Promise<void>;
}

/** Open requests of all sessions: a session that is not in memory has no agent, and so nothing open. */
export async function inboxItems(sessions: Iterable<WorkingSession>): Promise<InboxItem[]> {
  const busy = [...sessions].filter(({ state }) => isTurnActive(state.turn) || state.pending.length > 0);
  const shown = busy.slice(0, INBOX_SESSIONS_MAX);
  await Promise.all(shown.map((session) => session.flush()));
  return shown.map((session) => {
    const { seq, pending, open } = session.state;
    const tool = runningTool(open);
    return { sessionId: session.id, seq, pending: [...pending], ...(tool && { tool }) };
  });
}

/** The last started tool call that still runs. */
export function runningTool(open: readonly Entry[]): RunningTool | null {
  const call = open.findLast((entry) => entry.type === "tool-call" && entry.status === "running");
  if (call?.type !== "tool-call") return null;
  const { name, kind, input, locations } = call;
  const isShort = input !== undefined && JSON.stringify(input).length <= INBOX_INPUT_CHARS_MAX;
  return { name, ...(kind && { kind }), ...(isShort && { input }), ...(locations && { locations }) };
}
