import { z } from "zod";

/** `info` as the tools describe it to their callers. */
export const InfoOutput = z.looseObject({
  agentId: z.string(),
  cliType: z.string(),
  title: z.string(),
  status: z.string(),
  outcome: z.string(),
  why: z.string().optional(),
  cwd: z.string(),
  createdAt: z.string(),
  lastActiveAt: z.string(),
  parentId: z.string().optional(),
});
