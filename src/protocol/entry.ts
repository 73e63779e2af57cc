import { z } from "zod/mini";
import { ChangedFile, CheckpointId, ENTRY_FILES_MAX, ENTRY_LEFT_OUT_MAX, LeftOutFile } from "./changes.ts";
import { ContextCounts } from "./conversations.ts";
import { CommandId, EntryId, SessionId, TurnId } from "./ids.ts";
import { Json } from "./json.ts";
import { PersonRef } from "./person-ref.ts";
import { StopReason } from "./stop-reason.ts";

/**
 * The text is the beginning and the end of a longer one, with a note about the gap; the complete text is in the store
 * and comes with `session:output`.
 */
export const Truncated = z.object({ totalChars: z.int(), headChars: z.int(), tailChars: z.int() });
export type Truncated = z.infer<typeof Truncated>;

/** Structured content that text alone cannot carry; the text form is always present, too. */
export const Part = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string(), truncated: z.optional(Truncated) }),
  z.object({
    type: z.literal("diff"),
    path: z.string(),
    oldText: z.nullable(z.string()),
    newText: z.string(),
    /**
     * The texts are a part of the files that starts at this line; the parts left out around them are equal in both.
     * Absent if the position in the file is unknown.
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
    /** Alternative text. */
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
    /** Binary content, as base64. */
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
  /** A message or call of a sub-agent, on behalf of that tool call. */
  parentToolCallId: z.optional(z.string()),
};

/**
 * Who wrote a message that the user did not send here: the session's parent, its own agents (a digest), an external
 * program, our scheduler when a usage limit has ended, or whoever continued the conversation in a terminal.
 */
export const MessageAuthor = z.enum(["parent", "children", "program", "limit", "terminal"]);
export type MessageAuthor = z.infer<typeof MessageAuthor>;

export const UserEntry = z.object({
  ...base,
  type: z.literal("user"),
  content: z.string(),
  /** Absent: the user. */
  author: z.optional(MessageAuthor),
  /** Which of several people. */
  person: z.optional(PersonRef),
  attachments: z.optional(z.array(Part)),
  timestamp: z.string(),
  commandId: z.optional(CommandId),
  /** Sent into the running turn that it belongs to, which continued with it. */
  steered: z.optional(z.literal(true)),
  /** The agent got a context pack with this message; `session:pack` has the text. */
  context: z.optional(ContextCounts),
});
export const AssistantEntry = z.object({
  ...base,
  type: z.literal("assistant"),
  content: z.string(),
  parts: z.optional(z.array(Part)),
  timestamp: z.string(),
  /** The agent's own id of this message, which assigns late text to it. */
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
  /** The agent's raw result, where it contains more than `result`. */
  output: z.optional(Json),
  truncated: z.optional(Truncated),
  parts: z.optional(z.array(Part)),
  locations: z.optional(z.array(ToolLocation)),
  startedAt: z.optional(z.string()),
  endedAt: z.optional(z.string()),
  /** How much of the time between them was spent waiting for the user's answer. */
  waitedMs: z.optional(z.number().check(z.gte(0))),
  /** Not cancelled by anyone: its turn ended while it was running. Updates may still arrive. */
  unfinished: z.optional(z.literal(true)),
  /** It stands for a sub-agent with a session of its own: it may outlive its turn, and be stopped alone. */
  subAgent: z.optional(z.object({ canStop: z.boolean() })),
  /** The policy answered the request for this call, and why. */
  permission: z.optional(z.object({ answer: z.enum(["allowed", "denied"]), by: z.literal("policy"), why: z.string() })),
  /** Which of several people answered the request for this call. */
  answered: z.optional(z.object({ answer: z.enum(["allowed", "denied"]), person: PersonRef })),
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
  /** How its turn ended. */
  turnEnd: z.optional(StopReason),
  /** The agent compacts its context, and the progress. */
  compaction: z.optional(
    z.object({ id: z.string(), status: z.enum(["in_progress", "completed", "failed", "cancelled"]) }),
  ),
  /** More about it, shown on demand. */
  details: z.optional(z.string()),
  /** Files were restored: to which checkpoint, and which one holds the state before. */
  restore: z.optional(z.object({ to: CheckpointId, safety: CheckpointId, undoId: z.string(), files: z.int() })),
  /** That restore was undone, by its `undoId`: it is not offered again. */
  undone: z.optional(z.string()),
  /** The conversation continues there. */
  branch: z.optional(z.object({ sessionId: SessionId })),
  /** Which of several people did it. */
  person: z.optional(PersonRef),
});
/** What changed in the files during a turn, whoever changed it. */
export const ChangesEntry = z.object({
  ...base,
  type: z.literal("changes"),
  content: z.string(),
  before: CheckpointId,
  after: CheckpointId,
  /** Files, and their lines. */
  total: z.int(),
  added: z.int(),
  removed: z.int(),
  files: z.array(ChangedFile).check(z.maxLength(ENTRY_FILES_MAX)),
  /** The first checkpoint was taken after the agent had begun, or the last one only later. */
  late: z.optional(z.literal(true)),
  /** Another session worked in the same directory meanwhile: some changes may be its work. */
  shared: z.optional(z.literal(true)),
  leftOut: z.optional(z.array(LeftOutFile).check(z.maxLength(ENTRY_LEFT_OUT_MAX))),
  timestamp: z.string(),
});

/** One thing in the transcript. Entries are replaced whole by id, or grow by chunks. */
export const Entry = z.discriminatedUnion("type", [
  UserEntry,
  AssistantEntry,
  ThinkingEntry,
  ToolCallEntry,
  PlanEntry,
  NoticeEntry,
  ChangesEntry,
]);
export type Entry = z.infer<typeof Entry>;
export type EntryOf<Type extends Entry["type"]> = Extract<Entry, { type: Type }>;
export type UserEntry = z.infer<typeof UserEntry>;
export type AssistantEntry = z.infer<typeof AssistantEntry>;
export type ThinkingEntry = z.infer<typeof ThinkingEntry>;
export type ToolCallEntry = z.infer<typeof ToolCallEntry>;
export type NoticeEntry = z.infer<typeof NoticeEntry>;
export type ChangesEntry = z.infer<typeof ChangesEntry>;
export type TextEntry = AssistantEntry | ThinkingEntry;

export const ENTRY_TYPES: readonly Entry["type"][] = Entry.def.options.flatMap(
  (option) => option.shape.type.def.values,
);
/** The display name of each kind. */
export const ENTRY_LABELS: Readonly<Record<Entry["type"], string>> = {
  user: "You",
  assistant: "Answer",
  thinking: "Thinking",
  "tool-call": "Tool",
  plan: "Plan",
  notice: "Notice",
  changes: "Changes",
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
export function externalIdOf(entry: Entry): string | null {
  if (entry.type === "tool-call") return entry.toolCallId;
  if (entry.type === "notice") return entry.compaction?.id ?? null;
  return isTextEntry(entry) ? (entry.messageId ?? null) : null;
}
