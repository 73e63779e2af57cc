import { z } from "zod/mini";
import { CommandId, EntryId, TurnId } from "./ids.ts";
import { Json } from "./json.ts";
import { StopReason } from "./stop-reason.ts";

/**
 * What stands here is the beginning and the end of a longer text, with words about the gap between them; the whole is
 * in the store and comes with `session:output`.
 */
export const Truncated = z.object({ totalChars: z.int(), headChars: z.int(), tailChars: z.int() });
export type Truncated = z.infer<typeof Truncated>;

/** Structured content that text alone cannot carry; the text form always stands beside it. */
export const Part = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string(), truncated: z.optional(Truncated) }),
  z.object({
    type: z.literal("diff"),
    path: z.string(),
    oldText: z.nullable(z.string()),
    newText: z.string(),
    /**
     * The texts are a part of the files that starts at this line; what is left out around them is the same in both.
     * Absent where the place in the file is not known.
     */
    firstLine: z.optional(z.int()),
    /** How long both whole texts are together. */
    truncated: z.optional(Truncated),
  }),
  z.object({ type: z.literal("terminal"), terminalId: z.string() }),
  z.object({
    type: z.literal("image"),
    mimeType: z.string(),
    data: z.string(),
    uri: z.optional(z.string()),
    /** What it is called, for those who cannot see it. */
    name: z.optional(z.string()),
  }),
  z.object({ type: z.literal("audio"), mimeType: z.string(), data: z.string() }),
  z.object({
    type: z.literal("link"),
    uri: z.string(),
    name: z.string(),
    title: z.optional(z.string()),
    mimeType: z.optional(z.string()),
    description: z.optional(z.string()),
    size: z.optional(z.number()),
  }),
  z.object({
    type: z.literal("resource"),
    uri: z.string(),
    mimeType: z.optional(z.string()),
    text: z.optional(z.string()),
    /** What is no text, as base64. */
    blob: z.optional(z.string()),
    truncated: z.optional(Truncated),
  }),
  /** A kind of content this version does not know: kept whole, shown as raw. */
  z.object({ type: z.literal("unknown"), raw: Json }),
]);
export type Part = z.infer<typeof Part>;

export const ToolStatus = z.enum(["running", "complete", "error", "cancelled"]);
export type ToolStatus = z.infer<typeof ToolStatus>;

export const ToolLocation = z.object({ path: z.string(), line: z.optional(z.number()) });
export type ToolLocation = z.infer<typeof ToolLocation>;

export const PlanItem = z.object({ content: z.string(), priority: z.string(), status: z.string() });
export type PlanItem = z.infer<typeof PlanItem>;

const base = {
  entryId: EntryId,
  turnId: z.optional(TurnId),
  /** A sub-agent said or did this, on behalf of that tool call. */
  parentToolCallId: z.optional(z.string()),
};

/** Who wrote a message that the user did not: the session's parent, its own agents (a digest), or a program outside. */
export const MessageAuthor = z.enum(["parent", "children", "program"]);
export type MessageAuthor = z.infer<typeof MessageAuthor>;

export const UserEntry = z.object({
  ...base,
  type: z.literal("user"),
  content: z.string(),
  /** Absent: the user. */
  author: z.optional(MessageAuthor),
  attachments: z.optional(z.array(Part)),
  timestamp: z.string(),
  commandId: z.optional(CommandId),
  /** Said in the middle of the turn it belongs to, which went on with it. */
  steered: z.optional(z.literal(true)),
});
export const AssistantEntry = z.object({
  ...base,
  type: z.literal("assistant"),
  content: z.string(),
  parts: z.optional(z.array(Part)),
  timestamp: z.string(),
  /** The agent's own id of this message: late text finds its way home by it. */
  messageId: z.optional(z.string()),
});
export const ThinkingEntry = z.object({
  ...base,
  type: z.literal("thinking"),
  content: z.string(),
  timestamp: z.optional(z.string()),
  messageId: z.optional(z.string()),
});
export const ToolCallEntry = z.object({
  ...base,
  type: z.literal("tool-call"),
  toolCallId: z.string(),
  name: z.string(),
  kind: z.optional(z.string()),
  status: ToolStatus,
  content: z.string(),
  result: z.optional(z.string()),
  error: z.optional(z.string()),
  input: z.optional(Json),
  /** What came back in the agent's own form, where it says more than `result`. */
  output: z.optional(Json),
  truncated: z.optional(Truncated),
  parts: z.optional(z.array(Part)),
  locations: z.optional(z.array(ToolLocation)),
  startedAt: z.optional(z.string()),
  endedAt: z.optional(z.string()),
  /** How much of the time between them it waited for the user's answer. */
  waitedMs: z.optional(z.number().check(z.gte(0))),
  /** Cancelled by nobody: its turn was over while it still ran. It may yet be heard of. */
  unfinished: z.optional(z.literal(true)),
  /** The policy answered for the user whether this may be done, and why it did. */
  permission: z.optional(z.object({ answer: z.enum(["allowed", "denied"]), by: z.literal("policy"), why: z.string() })),
});
export const PlanEntry = z.object({
  ...base,
  type: z.literal("plan"),
  content: z.string(),
  items: z.array(PlanItem),
});
export const NoticeSeverity = z.enum(["info", "warning", "error"]);
export type NoticeSeverity = z.infer<typeof NoticeSeverity>;
export const NoticeEntry = z.object({
  ...base,
  type: z.literal("notice"),
  severity: NoticeSeverity,
  content: z.string(),
  timestamp: z.optional(z.string()),
  /** It says how its turn ended. */
  turnEnd: z.optional(StopReason),
  /** It says that the agent makes its memory of the talk shorter, and how far it is. */
  compaction: z.optional(
    z.object({ id: z.string(), status: z.enum(["in_progress", "completed", "failed", "cancelled"]) }),
  ),
  /** More about it, shown on demand. */
  details: z.optional(z.string()),
});

/** One thing in the transcript. Entries are replaced whole by id, or grow by chunks. */
export const Entry = z.discriminatedUnion("type", [
  UserEntry,
  AssistantEntry,
  ThinkingEntry,
  ToolCallEntry,
  PlanEntry,
  NoticeEntry,
]);
export type Entry = z.infer<typeof Entry>;
export type EntryOf<Type extends Entry["type"]> = Extract<Entry, { type: Type }>;
export type UserEntry = z.infer<typeof UserEntry>;
export type AssistantEntry = z.infer<typeof AssistantEntry>;
export type ThinkingEntry = z.infer<typeof ThinkingEntry>;
export type ToolCallEntry = z.infer<typeof ToolCallEntry>;
export type NoticeEntry = z.infer<typeof NoticeEntry>;
export type TextEntry = AssistantEntry | ThinkingEntry;

export const ENTRY_TYPES: readonly Entry["type"][] = Entry.def.options.flatMap(
  (option) => option.shape.type.def.values,
);
/** What each kind is called on screen. */
export const ENTRY_LABELS: Readonly<Record<Entry["type"], string>> = {
  user: "You",
  assistant: "Answer",
  thinking: "Thinking",
  "tool-call": "Tool",
  plan: "Plan",
  notice: "Notice",
};

/** A function for each kind of entry: a table that lacks a kind does not compile. */
export type ByKind<Args extends readonly unknown[], Result> = {
  readonly [Type in Entry["type"]]: (entry: EntryOf<Type>, ...args: Args) => Result;
};

/** What the table's function for this kind of entry returns. */
export function byKind<Args extends readonly unknown[], Result>(
  table: ByKind<Args, Result>,
  entry: Entry,
  ...args: Args
): Result {
  const ofItsKind: (entry: never, ...args: Args) => Result = table[entry.type];
  return ofItsKind(entry as never, ...args);
}

export function isTextEntry(entry: Entry | undefined): entry is TextEntry {
  return entry?.type === "assistant" || entry?.type === "thinking";
}

/** The agent's own name for an entry, by which a late update finds it. */
export function agentIdOf(entry: Entry): string | null {
  if (entry.type === "tool-call") return entry.toolCallId;
  if (entry.type === "notice") return entry.compaction?.id ?? null;
  return isTextEntry(entry) ? (entry.messageId ?? null) : null;
}
