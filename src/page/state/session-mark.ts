import type { Turn } from "../../protocol/session-parts.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";

/** The mark that shows what a session needs: see `styles/controls/marks.css`. */
export type SessionMark = "working" | "waiting" | "stalled" | "failed" | "paused" | "limited" | "unread" | "none";

type MarkedRow = Pick<SessionRow, "turn" | "unread" | "waitsForAgents" | "start"> &
  Partial<Pick<SessionRow, "pause" | "dismissed">>;

/**
 * Waiting ranks above working, and a failure above unread until the user dismisses it. A usage limit is not a failure.
 */
export function sessionMark(session: MarkedRow): SessionMark {
  const { turn, unread = false, waitsForAgents = false, start, pause = null, dismissed = false } = session;
  // The turn's fact arrives before the pause it leads to.
  if (turn.state === "idle" && (pause !== null || turn.error?.code === "AGENT_LIMIT")) return "limited";
  switch (turn.state) {
    case "running":
      return "working";
    case "waiting":
      return "waiting";
    case "stalled":
      return "stalled";
    case "idle":
      return !dismissed && (hasFailed(turn) || start?.state === "failed")
        ? "failed"
        : waitsForAgents
          ? "paused"
          : unread
            ? "unread"
            : "none";
    default:
      return turn.state satisfies never;
  }
}

/** The mark as text, for screen readers. */
export const MARK_WORDS: Readonly<Record<SessionMark, string>> = {
  working: "working",
  waiting: "waiting for you",
  stalled: "no output for a while",
  failed: "failed",
  paused: "waiting for its agents",
  limited: "at a usage limit",
  unread: "finished, unread",
  none: "",
};

function hasFailed({ stopReason, error }: Turn): boolean {
  return error !== undefined || stopReason === "error" || stopReason === "interrupted";
}
