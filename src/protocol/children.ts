import { z } from "zod/mini";
import { Budget } from "./delegation.ts";
import { SessionId } from "./ids.ts";
import { RunningTool } from "./inbox.ts";
import { PendingRequest } from "./pending-request.ts";

/** Usage of an agent and everything it started. */
export const Spent = z.object({ turns: z.number(), tokens: z.number(), cost: z.number(), workMs: z.number() });
export type Spent = z.infer<typeof Spent>;

/** The state of an agent that a session started, beyond its row. */
export const ChildSummary = z.object({
  sessionId: SessionId,
  /** Its open request to the user or its parent. */
  asks: z.optional(PendingRequest),
  /** Its running tool call. */
  tool: z.optional(RunningTool),
  /** The last line of its last message. */
  lastLine: z.optional(z.string()),
  /** Different files its tool calls changed, among its newest entries. */
  filesChanged: z.int(),
  /** Killed, or archived: it accepts no more messages of its parent. */
  ended: z.boolean(),
  spent: Spent,
  budget: Budget,
});
export type ChildSummary = z.infer<typeof ChildSummary>;

/** The agents of a session, oldest first, and the budget usage of the whole tree below it. */
export const childrenFields = {
  sessionId: SessionId,
  children: z.array(ChildSummary),
  spent: Spent,
  budget: Budget,
};
