import { z } from "zod/mini";
import { CliType, type Program, SessionId } from "./ids.ts";

/** Who asked for an agent: a session, a program outside of any, or, as null, a program that did not name itself. */
export type Delegator = SessionId | Program | null;

/** How an agent that another one started stands, in the words of the tools. */
export const ChildStatus = z.enum(["starting", "running", "waiting", "idle", "failed", "killed"]);
export type ChildStatus = z.infer<typeof ChildStatus>;

/** Why it stands so: what its last turn came to, or what keeps it waiting. */
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
  /** In words, where the outcome leaves a question: what failed, what is asked. */
  why: z.optional(z.string()),
  cwd: z.string(),
  createdAt: z.string(),
  lastActiveAt: z.string(),
  parentId: z.optional(SessionId),
  /** What it and all below it have spent, and what is left of the tightest budget above it. */
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

/** A session wants to be woken when any or all of these agents have ended their work. */
export const ArmedWait = z.object({
  waitId: z.string().check(z.minLength(1), z.maxLength(200)),
  agentIds: z.array(SessionId).check(z.minLength(1), z.maxLength(WAITED_AGENTS_MAX)),
  until: z.enum(["any", "all"]),
  armedAt: z.string(),
});
export type ArmedWait = z.infer<typeof ArmedWait>;

/** What may be spent by an agent and all that it starts; absent means without limit. */
export const Budget = z.object({
  turns: z.optional(z.int().check(z.minimum(1))),
  tokens: z.optional(z.int().check(z.minimum(1))),
  /** In the currency the agents report. */
  cost: z.optional(z.number().check(z.positive())),
  /** Time in which its agents were at work, added up. */
  workMs: z.optional(z.int().check(z.minimum(1))),
});
export type Budget = z.infer<typeof Budget>;
