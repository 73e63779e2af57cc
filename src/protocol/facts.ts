import { z } from "zod/mini";
import { ArmedWait } from "./delegation.ts";
import { Entry } from "./entry.ts";
import { ElicitationId, EntryId, PermissionId, Seq, SessionId } from "./ids.ts";
import { Json } from "./json.ts";
import { PendingQuestion, QuestionAction, QuestionEnd } from "./question.ts";
import { PendingPermission, PermissionOutcome, QueueItem, SessionConfig, Turn } from "./session-parts.ts";

/**
 * What happened in a session, in the words of the wire. A fact is stored and sent in this one form,
 * so the log, the socket and the reducer cannot disagree. A stored member is never edited.
 */
export const FactBody = z.discriminatedUnion("type", [
  /**
   * Upsert by `entryId`. `late` revises an entry of an earlier turn: unknown to a reader's window, it is skipped.
   * `before` puts a new one in front of an open entry: what was said elsewhere stands before the message that found it.
   */
  z.object({
    type: z.literal("session:update"),
    entry: Entry,
    late: z.optional(z.literal(true)),
    before: z.optional(EntryId),
  }),
  z.object({
    type: z.literal("session:chunk"),
    entryId: EntryId,
    content: z.string(),
    field: z.optional(z.enum(["content", "result"])),
  }),
  z.object({ type: z.literal("session:complete"), entryId: EntryId }),
  z.object({ type: z.literal("session:cancelled"), entryId: EntryId }),
  z.object({ type: z.literal("session:turn"), turn: Turn }),
  z.object({ type: z.literal("session:queue"), items: z.array(QueueItem), paused: z.boolean() }),
  z.object({ type: z.literal("session:config"), config: SessionConfig }),
  z.object({
    type: z.literal("session:title-updated"),
    title: z.string(),
    source: z.enum(["derived", "agent", "user"]),
  }),
  /** What the session waits for while its own turn is over; it is woken when that has come. */
  z.object({ type: z.literal("session:waits"), items: z.array(ArmedWait) }),
  z.object({ type: z.literal("session:archived") }),
  z.object({ type: z.literal("session:unarchived") }),
  /** `by`: the policy answers it with the next fact, so nobody is to be asked. */
  z.object({
    type: z.literal("permission:request"),
    ...PendingPermission.shape,
    by: z.optional(z.literal("policy")),
  }),
  /** `by` and `why`: nobody was asked, the policy answered. */
  z.object({
    type: z.literal("permission:resolved"),
    permissionId: PermissionId,
    outcome: PermissionOutcome,
    by: z.optional(z.literal("policy")),
    why: z.optional(z.string()),
    at: z.optional(z.string()),
  }),
  z.object({ type: z.literal("elicitation:request"), ...PendingQuestion.shape }),
  /** After a page was agreed to, `done` says that the agent has no more use for it, or that nobody waits for it. */
  z.object({
    type: z.literal("elicitation:resolved"),
    elicitationId: ElicitationId,
    action: QuestionAction,
    end: z.optional(QuestionEnd),
    done: z.optional(z.literal(true)),
    at: z.optional(z.string()),
  }),
  /** An update of the agent's that this version cannot read: kept for a later one, shown to nobody. */
  z.object({ type: z.literal("session:raw"), update: Json }),
]);
export type FactBody = z.infer<typeof FactBody>;

export const FACT_TYPES: readonly FactBody["type"][] = FactBody.def.options.flatMap(
  (option) => option.shape.type.def.values,
);
export const FactType = z.enum(FACT_TYPES);

const place = { sessionId: SessionId, seq: Seq };
export const Fact = z.intersection(z.object(place), FactBody);
export type Fact = FactBody & { readonly sessionId: SessionId; readonly seq: number };

/** Every client hears these, whether it follows the session or not. */
export const GLOBAL_FACTS: ReadonlySet<FactBody["type"]> = new Set<FactBody["type"]>([
  "session:turn",
  "session:title-updated",
  "session:archived",
  "session:unarchived",
  "permission:request",
  "permission:resolved",
  "elicitation:request",
  "elicitation:resolved",
]);

/** These change the session's row in lists, so every client receives the new row. */
export const ROW_FACTS: ReadonlySet<FactBody["type"]> = new Set<FactBody["type"]>([
  "session:turn",
  "session:title-updated",
  "session:archived",
  "session:unarchived",
  "session:waits",
  // The row has the cost of the session.
  "session:config",
]);
