import { z } from "zod/mini";
import { ToolLocation } from "./entry.ts";
import { Seq, SessionId } from "./ids.ts";
import { Json } from "./json.ts";
import { PendingRequest } from "./pending-request.ts";

/** Limit of working sessions in one answer. */
export const INBOX_SESSIONS_MAX = 500;
/** Longer tool input is left out. */
export const INBOX_INPUT_CHARS_MAX = 2_000;

/** Limit of sessions quoted in one answer. */
export const QUOTED_SESSIONS_MAX = 50;

/** The end of a session's last answer. */
export const SessionResult = z.object({ sessionId: SessionId, lastLine: z.string() });
export type SessionResult = z.infer<typeof SessionResult>;

/** The running tool call of a session. */
export const RunningTool = z.object({
  name: z.string(),
  kind: z.optional(z.string()),
  input: z.optional(Json),
  locations: z.optional(z.array(ToolLocation)),
});
export type RunningTool = z.infer<typeof RunningTool>;

/** A working session: its open requests and its activity, as of `seq`. */
export const InboxItem = z.object({
  sessionId: SessionId,
  seq: Seq,
  pending: z.array(PendingRequest),
  tool: z.optional(RunningTool),
});
export type InboxItem = z.infer<typeof InboxItem>;
