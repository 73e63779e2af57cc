import { z } from "zod/mini";
import { UsageLimit } from "./conversations.ts";
import { MessageAuthor, Part, ToolLocation } from "./entry.ts";
import { CommandId, PermissionId, TurnId } from "./ids.ts";
import { Json } from "./json.ts";
import { StoredRule } from "./permission-policy.ts";
import { PersonRef } from "./person-ref.ts";
import { StopReason } from "./stop-reason.ts";

/** `limit`, with the code AGENT_LIMIT: the limit that the agent's account has reached. */
export const TurnError = z.object({ code: z.string(), message: z.string(), limit: z.optional(UsageLimit) });
export type TurnError = z.infer<typeof TurnError>;

export const Turn = z.object({
  state: z.enum(["running", "waiting", "stalled", "idle"]),
  turnId: z.optional(TurnId),
  startedAt: z.optional(z.string()),
  stopReason: z.optional(StopReason),
  error: z.optional(TurnError),
  /**
   * It was started automatically after a usage limit: the number of the retry, and when that limit was expected to end.
   */
  resumed: z.optional(z.object({ tries: z.int(), resetsAt: z.optional(z.string()) })),
});
export type Turn = z.infer<typeof Turn>;

/** A message that waits for the running turn to end; it becomes an entry when its own turn starts. */
export const QueueItem = z.object({
  commandId: CommandId,
  content: z.string(),
  /** Absent: the user. */
  author: z.optional(MessageAuthor),
  /** Which of several people. */
  person: z.optional(PersonRef),
  attachments: z.optional(z.array(Part)),
  /** The agent was asked to accept it into the running turn and has not answered yet. */
  steering: z.optional(z.literal(true)),
  /** Why the user denied a request: sent even if the agent ends its turn as cancelled because of the denial. */
  isReason: z.optional(z.literal(true)),
});
export type QueueItem = z.infer<typeof QueueItem>;

export const PermissionOption = z.object({ optionId: z.string(), name: z.string(), kind: z.string() });
export type PermissionOption = z.infer<typeof PermissionOption>;

/** What the agent wants to do, as of its request. */
export const PermissionToolCall = z.object({
  toolCallId: z.string(),
  name: z.string(),
  kind: z.optional(z.string()),
  input: z.optional(Json),
  parts: z.optional(z.array(Part)),
  locations: z.optional(z.array(ToolLocation)),
});
export type PermissionToolCall = z.infer<typeof PermissionToolCall>;

export const PendingPermission = z.object({
  permissionId: PermissionId,
  toolCall: PermissionToolCall,
  options: z.array(PermissionOption),
  askedAt: z.string(),
  /** The name of the sub-agent that asks; absent when the session's own agent asks. */
  subAgent: z.optional(z.string()),
  /** What the user should know before answering: why no rule applies, or what in it is deceptive. */
  note: z.optional(z.string()),
  /** The rules that would answer similar requests from now on. */
  offers: z.optional(z.array(StoredRule)),
});
export type PendingPermission = z.infer<typeof PendingPermission>;

export const PermissionOutcome = z.discriminatedUnion("outcome", [
  z.object({ outcome: z.literal("selected"), optionId: z.string() }),
  z.object({ outcome: z.literal("cancelled") }),
]);
export type PermissionOutcome = z.infer<typeof PermissionOutcome>;

export const ConfigValue = z.object({ value: z.string(), name: z.string(), description: z.optional(z.string()) });
export const ConfigGroup = z.object({ group: z.string(), name: z.string(), options: z.array(ConfigValue) });
const optionBase = {
  id: z.string(),
  name: z.string(),
  description: z.optional(z.string()),
  category: z.optional(z.string()),
};
export const ConfigOption = z.discriminatedUnion("type", [
  z.object({
    ...optionBase,
    type: z.literal("select"),
    currentValue: z.string(),
    options: z.array(z.union([ConfigValue, ConfigGroup])),
  }),
  z.object({ ...optionBase, type: z.literal("boolean"), currentValue: z.boolean() }),
]);
export type ConfigOption = z.infer<typeof ConfigOption>;

export const SlashCommand = z.object({ name: z.string(), description: z.string(), hint: z.optional(z.string()) });
export type SlashCommand = z.infer<typeof SlashCommand>;

export const Usage = z.object({
  used: z.number(),
  size: z.number(),
  /** The cost of the session so far, over all its agent processes. */
  cost: z.optional(z.object({ amount: z.number(), currency: z.string() })),
  /** The part of `cost` that earlier processes reported: most agents count from zero in each. */
  costBefore: z.optional(z.number()),
  /** The part of `cost` that the agent reported from before this session existed: not spent here. */
  costRemembered: z.optional(z.number()),
  /** Tokens spent in all turns: as reported by the agent, or, without reports, by the growth of its context. */
  tokens: z.optional(z.number()),
  /** The part of `tokens` of the running turn so far; its report replaces it. */
  turnTokens: z.optional(z.number()),
});
export type Usage = z.infer<typeof Usage>;

/** What a message to this agent may contain besides text and links, and whether it accepts one during a turn. */
export const PromptAbilities = z.object({
  image: z.boolean(),
  audio: z.boolean(),
  embeddedContext: z.boolean(),
  steering: z.boolean(),
});
export type PromptAbilities = z.infer<typeof PromptAbilities>;

/** The agent's options and commands in this session. */
export const SessionConfig = z.object({
  options: z.array(ConfigOption),
  commands: z.array(SlashCommand),
  usage: z.nullable(Usage),
  /** Absent until the agent has been started once. */
  abilities: z.optional(PromptAbilities),
});
export type SessionConfig = z.infer<typeof SessionConfig>;

export const EMPTY_CONFIG: SessionConfig = { options: [], commands: [], usage: null };
