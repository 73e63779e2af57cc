import type { SessionId } from "../../../protocol/ids.ts";
import type { SessionRow } from "../../../protocol/server-messages.ts";
import { sessionMark } from "../sidebar/session-mark.ts";
import type { ShellState } from "./shell-state.ts";

/** What happened longer ago is history, no matter how it ended. */
const RECENT_MS = 24 * 60 * 60 * 1_000;

/** The sessions that matter now, by what they need; those that wait longest, and else the newest, first. */
export interface Attention {
  readonly working: readonly SessionRow[];
  readonly waiting: readonly SessionRow[];
  readonly failed: readonly SessionRow[];
  readonly recent: readonly SessionRow[];
}

export function attentionIn({ sessions }: Pick<ShellState, "sessions">, nowMs: number): Attention {
  const newest = [...sessions.values()].sort((a, b) => order(b, a));
  const isRecent = ({ lastActiveAt }: SessionRow) => nowMs - Date.parse(lastActiveAt) < RECENT_MS;
  const marked = (...marks: readonly string[]) => newest.filter((row) => marks.includes(sessionMark(row)));
  return {
    working: marked("working", "stalled"),
    waiting: marked("waiting").reverse(),
    failed: marked("failed").filter(isRecent),
    recent: marked("none", "unread").filter((row) => isRecent(row) && row.lastActiveAt !== row.createdAt),
  };
}

/** Those that wait for the user, the longest first. */
export function waitingSessions({ sessions }: Pick<ShellState, "sessions">): readonly SessionId[] {
  const waiting = [...sessions.values()].filter(({ turn }) => turn.state === "waiting");
  return waiting.sort(order).map(({ id }) => id);
}

function order(a: SessionRow, b: SessionRow): number {
  if (a.lastActiveAt !== b.lastActiveAt) return a.lastActiveAt < b.lastActiveAt ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}
