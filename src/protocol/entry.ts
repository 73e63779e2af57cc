import { z } from "zod";
import { CommandId, EntryId, TurnId } from "./ids.ts";
import { Json } from "./json.ts";

/** Structured content that text alone cannot carry; the text form always stands beside it. */
export const Part = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("diff"), path: z.string(), oldText: z.string().nullable(), newText: z.string() }),
  z.object({ type: z.literal("terminal"), terminalId: z.string() }),
  z.object({ type: z.literal("image"), mimeType: z.string(), data: z.string(), uri: z.string().optional() }),
  z.object({ type: z.literal("audio"), mimeType: z.string(), data: z.string() }),
  z.object({
    type: z.literal("link"),
    uri: z.string(),
    name: z.string(),
    title: z.string().optional(),
    mimeType: z.string().optional(),
  }),
  z.object({
    type: z.literal("resource"),
    uri: z.string(),
    mimeType: z.string().optional(),
    text: z.string().optional(),
  }),
  /** A kind of content this version does not know: kept whole, shown as raw. */
  z.object({ type: z.literal("unknown"), raw: Json }),
]);
export type Part = z.infer<typeof Part>;

export const ToolStatus = z.enum(["running", "complete", "error", "cancelled"]);
export type ToolStatus = z.infer<typeof ToolStatus>;

export const ToolLocation = z.object({ path: z.string(), line: z.number().optional() });
export type ToolLocation = z.infer<typeof ToolLocation>;

export const PlanItem = z.object({ content: z.string(), priority: z.string(), status: z.string() });
export type PlanItem = z.infer<typeof PlanItem>;

const base = { entryId: EntryId, turnId: TurnId.optional() };

export const UserEntry = z.object({
  ...base,
  type: z.literal("user"),
  content: z.string(),
  attachments: z.array(Part).optional(),
  timestamp: z.string(),
  commandId: CommandId.optional(),
});
export const AssistantEntry = z.object({
  ...base,
  type: z.literal("assistant"),
  content: z.string(),
  parts: z.array(Part).optional(),
  timestamp: z.string(),
  /** The agent's own id of this message: late text finds its way home by it. */
  messageId: z.string().optional(),
});
export const ThinkingEntry = z.object({
  ...base,
  type: z.literal("thinking"),
  content: z.string(),
  timestamp: z.string().optional(),
  messageId: z.string().optional(),
});
export const ToolCallEntry = z.object({
  ...base,
  type: z.literal("tool-call"),
  toolCallId: z.string(),
  name: z.string(),
  kind: z.string().optional(),
  status: ToolStatus,
  content: z.string(),
  result: z.string().optional(),
  error: z.string().optional(),
  input: Json.optional(),
  parts: z.array(Part).optional(),
  locations: z.array(ToolLocation).optional(),
  startedAt: z.string().optional(),
  endedAt: z.string().optional(),
  /** The policy answered for the user whether this may be done, and why it did. */
  permission: z.object({ answer: z.enum(["allowed", "denied"]), by: z.literal("policy"), why: z.string() }).optional(),
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
  timestamp: z.string().optional(),
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
export type UserEntry = z.infer<typeof UserEntry>;
export type AssistantEntry = z.infer<typeof AssistantEntry>;
export type ThinkingEntry = z.infer<typeof ThinkingEntry>;
export type ToolCallEntry = z.infer<typeof ToolCallEntry>;
export type TextEntry = AssistantEntry | ThinkingEntry;

export function isTextEntry(entry: Entry | undefined): entry is TextEntry {
  return entry?.type === "assistant" || entry?.type === "thinking";
}

/** The agent's own name for an entry, by which a late update finds it. */
export function agentIdOf(entry: Entry): string | null {
  if (entry.type === "tool-call") return entry.toolCallId;
  return isTextEntry(entry) ? (entry.messageId ?? null) : null;
}
