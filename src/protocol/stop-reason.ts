import { z } from "zod/mini";

/** Why a turn ended: the agent's five reasons, and two of our own. */
export const StopReason = z.enum([
  "end_turn",
  "max_tokens",
  "max_turn_requests",
  "refusal",
  "cancelled",
  "interrupted",
  "error",
]);
export type StopReason = z.infer<typeof StopReason>;
