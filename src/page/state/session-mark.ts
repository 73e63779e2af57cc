import type { Turn } from "../../protocol/session-parts.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";

/** What a session needs, as a shape: see the marks in `styles/controls/marks.css`. */
export type SessionMark = "working" | "waiting" | "stalled" | "failed" | "paused" | "unread" | "none";

/** Waiting ranks above working, and a failure above unread. */
export function sessionMark(session: Pick<SessionRow, "turn" | "unread" | "waitsForAgents" | "start">): SessionMark {
  const { turn, unread = false, waitsForAgents = false, start } = session;
  switch (turn.state) {
    case "running":
      return "working";
    case "waiting":
      return "waiting";
    case "stalled":
      return "stalled";
    case "idle":
      return hasFailed(turn) || start?.state === "failed"
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
  unread: "finished, unread",
  none: "",
};

function hasFailed({ stopReason, error }: Turn): boolean {
  return error !== undefined || stopReason === "error" || stopReason === "interrupted";
}
