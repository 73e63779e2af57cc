import { z } from "zod";
import { ArmedWait } from "../../protocol/delegation.ts";
import { Entry } from "../../protocol/entry.ts";
import { PendingRequest } from "../../protocol/pending-request.ts";
import { PendingQuestion } from "../../protocol/question.ts";
import { QueueItem, SessionConfig, Turn } from "../../protocol/session-parts.ts";
import type { SessionState } from "../../protocol/session-state.ts";

/** The working state of a session as it lies on disk, without the entries that have settled. */
const StoredState = z.object({
  seq: z.int(),
  title: z.string(),
  titleSource: z.enum(["none", "derived", "agent", "user"]),
  archived: z.boolean(),
  open: z.array(Entry),
  turn: Turn,
  pending: z.array(PendingRequest),
  /** Absent in states that were written before there were any. */
  visits: z.array(PendingQuestion).default([]),
  queue: z.array(QueueItem),
  queuePaused: z.boolean(),
  config: SessionConfig,
  waits: z.optional(z.array(ArmedWait)),
});

export function writeState(state: SessionState): string {
  return JSON.stringify(StoredState.parse(state));
}

export function readState(json: string): SessionState {
  const { waits, ...state } = StoredState.parse(JSON.parse(json));
  return { ...state, ...(waits !== undefined && { waits }), settled: [], hasMore: false };
}
