import { z } from "zod/mini";
import { ChangeCounts } from "./changes.ts";
import { Primer, SessionAway, SessionPause } from "./conversations.ts";
import { ArmedWait } from "./delegation.ts";
import { Entry } from "./entry.ts";
import { ElicitationId, EntryId, PermissionId, Seq, SessionId } from "./ids.ts";
import { Json } from "./json.ts";
import { PersonRef } from "./person-ref.ts";
import { PendingQuestion, QuestionAction, QuestionEnd } from "./question.ts";
import { PendingPermission, PermissionOutcome, QueueItem, SessionConfig, Turn } from "./session-parts.ts";
import { SessionWorktree } from "./worktree-ref.ts";

/**
 * What happened in a session, in its wire form. A fact is stored and sent in this one form, so the log, the socket and
 * the reducer cannot disagree. A stored member is never edited.
 */
export const FactBody = z.discriminatedUnion("type", [
  /**
   * Upsert by `entryId`. `late` revises an entry of an earlier turn: if a reader's window lacks it, it is skipped.
   * `before` puts a new one in front of an open entry: messages added elsewhere come before the message that found
   * them.
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
  /** What the session waits for while its own turn is over; it is woken when that has happened. */
  z.object({ type: z.literal("session:waits"), items: z.array(ArmedWait) }),
  /** How much of its work is neither reviewed nor committed. */
  z.object({ type: z.literal("session:changes"), counts: z.nullable(ChangeCounts) }),
  /** It works there from now on; null: in the project's own directory. */
  z.object({ type: z.literal("session:worktree"), worktree: z.nullable(SessionWorktree) }),
  /** It waits for the end of a usage limit; null: it does not. */
  z.object({ type: z.literal("session:pause"), pause: z.nullable(SessionPause) }),
  /** It is continued in a terminal; null: it is not. */
  z.object({ type: z.literal("session:away"), away: z.nullable(SessionAway) }),
  /** Notes for the agent that are sent with the next prompt. */
  z.object({
    type: z.literal("session:agent-notes"),
    notes: z.array(z.string()),
    told: z.optional(z.array(z.string())),
  }),
  /** The context pack for its agent, sent with the next message; null: none is needed. */
  z.object({ type: z.literal("session:primer"), primer: z.nullable(Primer) }),
  /** The user's pin, labels and dismissal, complete. */
  z.object({
    type: z.literal("session:organized"),
    pinned: z.boolean(),
    labels: z.array(z.string()),
    dismissed: z.boolean(),
  }),
  z.object({ type: z.literal("session:archived") }),
  z.object({ type: z.literal("session:unarchived") }),
  /** `by`: the policy answers it with the next fact, so the user is not asked. */
  z.object({
    type: z.literal("permission:request"),
    ...PendingPermission.shape,
    by: z.optional(z.literal("policy")),
  }),
  /** `by` and `why`: the policy answered, the user was not asked. */
  z.object({
    type: z.literal("permission:resolved"),
    permissionId: PermissionId,
    outcome: PermissionOutcome,
    by: z.optional(z.literal("policy")),
    why: z.optional(z.string()),
    /** Which of several people answered. */
    person: z.optional(PersonRef),
    at: z.optional(z.string()),
  }),
  z.object({ type: z.literal("elicitation:request"), ...PendingQuestion.shape }),
  /**
   * After the user agreed to open a page: `done` means that the agent no longer needs it, or that the wait was
   * abandoned.
   */
  z.object({
    type: z.literal("elicitation:resolved"),
    elicitationId: ElicitationId,
    action: QuestionAction,
    end: z.optional(QuestionEnd),
    done: z.optional(z.literal(true)),
    /** Which of several people answered. */
    person: z.optional(PersonRef),
    at: z.optional(z.string()),
  }),
  /** An update of the agent that this version cannot read: kept for a later version, never shown. */
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

/** Sent to every client, whether it follows the session or not. */
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
  "session:changes",
  "session:worktree",
  "session:pause",
  "session:away",
  "session:organized",
]);
