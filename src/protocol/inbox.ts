import { z } from "zod/mini";
import { ToolLocation } from "./entry.ts";
import { Seq, SessionId } from "./ids.ts";
import { Json } from "./json.ts";
import { PendingRequest } from "./pending-request.ts";

/** More at work at once than this are told of in part. */
export const INBOX_SESSIONS_MAX = 500;
/** What a tool was given is left out when it is longer. */
export const INBOX_INPUT_CHARS_MAX = 2_000;

/** As many sessions are quoted in one answer. */
export const QUOTED_SESSIONS_MAX = 50;

/** How a session ended its last answer. */
export const SessionResult = z.object({ sessionId: SessionId, lastLine: z.string() });
export type SessionResult = z.infer<typeof SessionResult>;

/** The tool call a session is busy with. */
export const RunningTool = z.object({
  name: z.string(),
  kind: z.optional(z.string()),
  input: z.optional(Json),
  locations: z.optional(z.array(ToolLocation)),
});
export type RunningTool = z.infer<typeof RunningTool>;

/** A session at work: what it waits for the user with, and what it does, as of `seq`. */
export const InboxItem = z.object({
  sessionId: SessionId,
  seq: Seq,
  pending: z.array(PendingRequest),
  tool: z.optional(RunningTool),
});
export type InboxItem = z.infer<typeof InboxItem>;
