import { z } from "zod/mini";
import { CliType, type Program, SessionId } from "./ids.ts";

/** Who started an agent: a session, an external program, or, as null, a program without a name. */
export type Delegator = SessionId | Program | null;

/** The state of an agent that another one started, in the terms of the tools. */
export const ChildStatus = z.enum(["starting", "running", "waiting", "idle", "failed", "killed"]);
export type ChildStatus = z.infer<typeof ChildStatus>;

/** The reason: the result of its last turn, or what it waits for. */
export const ChildOutcome = z.enum([
  "none",
  "working",
  "done",
  "blocked",
  "failed",
  "cancelled",
  /** Stopped by a budget. */
  "limit",
  "interrupted",
  "killed",
]);
export type ChildOutcome = z.infer<typeof ChildOutcome>;

export const ChildInfo = z.object({
  agentId: SessionId,
  cliType: CliType,
  title: z.string(),
  status: ChildStatus,
  outcome: ChildOutcome,
  /** Explains the outcome if needed: what failed, what is asked. */
  why: z.optional(z.string()),
  cwd: z.string(),
  createdAt: z.string(),
  lastActiveAt: z.string(),
  parentId: z.optional(SessionId),
  /** Usage of the agent and everything below it, and the rest of the tightest budget above it. */
  spent: z.optional(z.object({ turns: z.number(), tokens: z.number(), cost: z.number(), workMs: z.number() })),
  left: z.optional(
    z.object({
      turns: z.optional(z.number()),
      tokens: z.optional(z.number()),
      cost: z.optional(z.number()),
      workMs: z.optional(z.number()),
    }),
  ),
});
export type ChildInfo = z.infer<typeof ChildInfo>;

const WAITED_AGENTS_MAX = 50;

/** A session's request to be woken when any or all of these agents have finished. */
export const ArmedWait = z.object({
  waitId: z.string().check(z.minLength(1), z.maxLength(200)),
  agentIds: z.array(SessionId).check(z.minLength(1), z.maxLength(WAITED_AGENTS_MAX)),
  until: z.enum(["any", "all"]),
  armedAt: z.string(),
});
export type ArmedWait = z.infer<typeof ArmedWait>;

/** The budget of an agent and everything it starts; absent means no limit. */
export const Budget = z.object({
  turns: z.optional(z.int().check(z.minimum(1))),
  tokens: z.optional(z.int().check(z.minimum(1))),
  /** In the currency the agents report. */
  cost: z.optional(z.number().check(z.positive())),
  /** Total working time of its agents. */
  workMs: z.optional(z.int().check(z.minimum(1))),
});
export type Budget = z.infer<typeof Budget>;
