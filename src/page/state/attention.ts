import type { SessionId } from "../../protocol/ids.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import { type SessionMark, sessionMark } from "./session-mark.ts";
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

export function attentionIn(state: Pick<ShellState, "sessions">, nowMs: number): Attention {
  const { none = [], unread = [], ...urgent } = byMark(state);
  const isRecent = ({ lastActiveAt }: SessionRow) => nowMs - Date.parse(lastActiveAt) < RECENT_MS;
  const wasUsed = (row: SessionRow) => row.lastActiveAt !== row.createdAt && isRecent(row);
  return {
    working: [...(urgent.working ?? []), ...(urgent.stalled ?? [])].sort(newestFirst),
    waiting: [...(urgent.waiting ?? [])].sort(order),
    failed: (urgent.failed ?? []).filter(isRecent).sort(newestFirst),
    recent: [...none, ...unread].filter(wasUsed).sort(newestFirst),
  };
}

/** How many work, wait and failed lately: looks at each session once, and at the time of few. */
export function countsIn(
  state: Pick<ShellState, "sessions">,
  nowMs: number,
): Readonly<Record<Exclude<keyof Attention, "recent">, number>> {
  const { working = [], stalled = [], waiting = [], failed = [] } = byMark(state);
  const lately = failed.filter(({ lastActiveAt }) => nowMs - Date.parse(lastActiveAt) < RECENT_MS);
  return { working: working.length + stalled.length, waiting: waiting.length, failed: lately.length };
}

function byMark({ sessions }: Pick<ShellState, "sessions">): Partial<Record<SessionMark, readonly SessionRow[]>> {
  return Object.groupBy(sessions.values(), sessionMark);
}

/** Those that wait for the user, the longest first. */
export function waitingSessions({ sessions }: Pick<ShellState, "sessions">): readonly SessionId[] {
  const waiting = [...sessions.values()].filter(({ turn }) => turn.state === "waiting");
  return waiting.sort(order).map(({ id }) => id);
}

function newestFirst(a: SessionRow, b: SessionRow): number {
  return order(b, a);
}

function order(a: SessionRow, b: SessionRow): number {
  if (a.lastActiveAt !== b.lastActiveAt) return a.lastActiveAt < b.lastActiveAt ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}
