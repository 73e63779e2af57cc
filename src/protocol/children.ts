import { z } from "zod/mini";
import { Budget } from "./delegation.ts";
import { SessionId } from "./ids.ts";
import { RunningTool } from "./inbox.ts";
import { PendingRequest } from "./pending-request.ts";

/** What an agent and all that it started have used. */
export const Spent = z.object({ turns: z.number(), tokens: z.number(), cost: z.number(), workMs: z.number() });
export type Spent = z.infer<typeof Spent>;

/** How one agent that a session started is doing, beyond what its row says. */
export const ChildSummary = z.object({
  sessionId: SessionId,
  /** What it asks the user or its parent. */
  asks: z.optional(PendingRequest),
  /** The tool call it is busy with. */
  tool: z.optional(RunningTool),
  /** The last line of its last message. */
  lastLine: z.optional(z.string()),
  /** Different files its tool calls changed, among its newest entries. */
  filesChanged: z.int(),
  /** Killed, or archived: it cannot be told anything more by its parent. */
  ended: z.boolean(),
  spent: Spent,
  budget: Budget,
});
export type ChildSummary = z.infer<typeof ChildSummary>;

/** The agents of a session, oldest first, and what the whole tree below it has used of its budget. */
export const childrenFields = {
  sessionId: SessionId,
  children: z.array(ChildSummary),
  spent: Spent,
  budget: Budget,
};
