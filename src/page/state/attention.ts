import type { SessionId } from "../../protocol/ids.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import { type SessionMark, sessionMark } from "./session-mark.ts";
import type { ShellState } from "./shell-state.ts";

/** Older events are history, however they ended. */
const RECENT_MS = 24 * 60 * 60 * 1_000;

/** The sessions that matter now, by what they need; waiting ones longest first, others newest first. */
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
  // One that continues by itself is at work; another one needs a decision.
  const { resuming = [], asking = [] } = Object.groupBy(urgent.limited ?? [], ({ pause }) =>
    pause?.resumesAt == null ? "asking" : "resuming",
  );
  return {
    working: [...(urgent.working ?? []), ...(urgent.stalled ?? []), ...resuming].sort(newestFirst),
    waiting: [...(urgent.waiting ?? []), ...asking].sort(order),
    failed: (urgent.failed ?? []).filter(isRecent).sort(newestFirst),
    recent: [...none, ...unread].filter(wasUsed).sort(newestFirst),
  };
}

/** How many work, wait and failed recently: reads each session once. */
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

/** Sessions waiting for the user, longest first. */
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
