import { z } from "zod/mini";
import { EntryId, SessionId } from "./ids.ts";

/**
 * `usage`: a window of the account is used up. `rate`: too many requests at the moment. `quota`: the end is unknown.
 */
export const LimitKind = z.enum(["usage", "rate", "quota"]);
export type LimitKind = z.infer<typeof LimitKind>;

/** A limit of the agent's account, as reported by its agent. */
export const UsageLimit = z.object({
  kind: LimitKind,
  /** When the account may be used again; absent if the agent does not report it. */
  resetsAt: z.optional(z.string()),
  /** The window that is used up, in the words of the account: "5-hour", "weekly". */
  window: z.optional(z.string()),
  /** The agent's message. */
  text: z.string(),
});
export type UsageLimit = z.infer<typeof UsageLimit>;

/** A session that waits for the end of a limit. Its queue is held, and nothing is sent. */
export const SessionPause = z.object({
  limit: UsageLimit,
  /** When it can be retried automatically; null: unknown, or the retries are used up. */
  dueAt: z.nullable(z.string()),
  /** When the session continues automatically; null: only on the user's request. */
  resumesAt: z.nullable(z.string()),
  /** How often it was tried again since the limit was met. */
  tries: z.number(),
  /** The agent had done nothing yet: the same message is sent again. Otherwise it is asked to continue. */
  isUntouched: z.boolean(),
});
export type SessionPause = z.infer<typeof SessionPause>;

/** A window of an account: `used` from 0 to 1. */
export const LimitWindow = z.object({ name: z.string(), used: z.number(), resetsAt: z.optional(z.string()) });
export type LimitWindow = z.infer<typeof LimitWindow>;

/** The known state of an agent's account. */
export const AgentLimits = z.object({
  /** As the agent names it. */
  account: z.optional(z.string()),
  windows: z.array(LimitWindow),
  limitedUntil: z.optional(z.string()),
});
export type AgentLimits = z.infer<typeof AgentLimits>;

/** Windows are shown from here on. */
export const WINDOW_SHOWN_FROM = 0.8;

/** What happens when a limit ends: the user is asked, the session continues, or only the user continues it. */
export const LimitsResume = z.enum(["ask", "auto", "never"]);
export type LimitsResume = z.infer<typeof LimitsResume>;

/** The origin of a session that starts with another one's conversation. */
export const SessionOrigin = z.object({
  /** `branch`: the same agent continues from a point. `handover`: another agent does. */
  kind: z.enum(["branch", "handover"]),
  sessionId: SessionId,
  /** The last entry that it has in common with its source; absent: none. */
  entryId: z.optional(EntryId),
  /** `native`: the agent has a copy of its own memory. `primed`: it got a context pack. */
  how: z.enum(["native", "primed"]),
});
export type SessionOrigin = z.infer<typeof SessionOrigin>;

/** The size of a context pack for an agent without memory of the conversation, and how much was left out. */
export const ContextCounts = z.object({
  chars: z.int(),
  /** Turns that are included, whole or as one line. */
  turns: z.int(),
  /** Entries that are not included. */
  omitted: z.int(),
});
export type ContextCounts = z.infer<typeof ContextCounts>;

/** What the agent of a session gets with its first message. */
export const Primer = z.object({
  /** The context pack; null: the agent remembers the conversation, or there is none. */
  context: z.nullable(ContextCounts),
  /** Options of the session that it continues, by their ids. */
  options: z.record(z.string(), z.union([z.string(), z.boolean()])),
});
export type Primer = z.infer<typeof Primer>;

/** An external program that has the conversation open. */
export const OtherWriter = z.object({
  /** Absent: only its traces were found. */
  program: z.optional(z.string()),
  pid: z.optional(z.number()),
  /** Its last known activity there. */
  doing: z.optional(z.enum(["working", "idle", "asking"])),
  /** It outlives the terminal: it closes the conversation by itself, about a minute after the last client leaves. */
  background: z.optional(z.literal(true)),
});
export type OtherWriter = z.infer<typeof OtherWriter>;

/**
 * A conversation that is continued in a terminal: handed back, or detected as open there. Ends with the next message.
 */
export const SessionAway = z.object({
  since: z.string(),
  /** The command that opens it in a terminal, once the agent here has released it. */
  command: z.optional(z.string()),
  /** While another program has it open: nothing can be sent. */
  writer: z.optional(OtherWriter),
  /** The queue continues when the other program has closed it. */
  waits: z.optional(z.literal(true)),
  /** New messages there are read turn by turn while a client shows the session. */
  follows: z.optional(z.literal(true)),
});
export type SessionAway = z.infer<typeof SessionAway>;
