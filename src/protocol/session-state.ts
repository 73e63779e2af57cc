import type { ArmedWait } from "./delegation.ts";
import type { Entry } from "./entry.ts";
import type { PendingRequest } from "./pending-request.ts";
import type { PendingQuestion } from "./question.ts";
import type { QueueItem, SessionConfig, Turn } from "./session-parts.ts";
import { EMPTY_CONFIG } from "./session-parts.ts";

/** Who gave the title: a user's beats the agent's, which beats the one derived from the first message. */
export type TitleSource = "none" | "derived" | "agent" | "user";

/** What is true of a session after the facts folded so far. Plain data: it can be stored, sent and compared. */
export interface SessionState {
  /** Sequence of the last fact folded in; 0 before the first. */
  readonly seq: number;
  readonly title: string;
  readonly titleSource: TitleSource;
  readonly archived: boolean;
  /** Entries of ended turns, oldest first; never copied while text streams. */
  readonly settled: readonly Entry[];
  /** Entries since the last turn ended, kept apart so that a chunk costs the same in a long session as in a short one. */
  readonly open: readonly Entry[];
  /** True when entries older than `settled` exist but were not fetched. */
  readonly hasMore: boolean;
  readonly turn: Turn;
  /** What the agent waits for the user with, oldest first. */
  readonly pending: readonly PendingRequest[];
  /** Pages the user agreed to open, until the agent is done with them. */
  readonly visits: readonly PendingQuestion[];
  readonly queue: readonly QueueItem[];
  /** A stop by hand or a failure holds the queue back until the user sends again. */
  readonly queuePaused: boolean;
  readonly config: SessionConfig;
  /** What will wake the session by itself; absent until it first waited for something. */
  readonly waits?: readonly ArmedWait[];
}

export const UNTITLED = "New Session";

export const EMPTY_SESSION: SessionState = {
  seq: 0,
  title: UNTITLED,
  titleSource: "none",
  archived: false,
  settled: [],
  open: [],
  hasMore: false,
  turn: { state: "idle" },
  pending: [],
  visits: [],
  queue: [],
  queuePaused: false,
  config: EMPTY_CONFIG,
};

export function isTurnActive(turn: Turn): boolean {
  return turn.state !== "idle";
}
