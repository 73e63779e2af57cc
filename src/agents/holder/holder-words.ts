import { z } from "zod/mini";
import { HOLDER_VERSION } from "./holder-orders.ts";

/** Sent by a holder to a server that attaches. Only the server parses it: the holder itself loads no schemas. */
export const Hello = z.object({
  version: z.literal(HOLDER_VERSION),
  pid: z.int(),
  /** The agent's pid; null if it could not be started. */
  agentPid: z.nullable(z.int()),
  isStopping: z.boolean(),
  stderrTail: z.string(),
  /** How many lines it has taken for the agent, from all servers together; older holders do not count. */
  takenCount: z.optional(z.int()),
});
export type Hello = z.infer<typeof Hello>;

/** How the agent ended. */
export const Exit = z.object({
  code: z.nullable(z.int()),
  signal: z.nullable(z.string()),
  stderrTail: z.string(),
  /** Why it could not be started at all. */
  notStartable: z.optional(z.string()),
});
export type Exit = z.infer<typeof Exit>;
