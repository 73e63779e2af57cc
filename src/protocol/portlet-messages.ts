import { z } from "zod/mini";
import { ChangesScope } from "./changes.ts";
import { SessionOrigin } from "./conversations.ts";
import { Part } from "./entry.ts";
import { FACT_TYPES, FactBody } from "./facts.ts";
import { CliType, CommandId, EntryId, Seq, SessionId } from "./ids.ts";
import { PersonId, PersonRef } from "./person-ref.ts";
import { readPosted } from "./read-posted.ts";
import type { PlainServerMessage } from "./server-messages.ts";
import {
  AgentStatus,
  ChangesStateMessage,
  FilesFound,
  SessionHistory,
  SessionPage,
  SessionResumed,
} from "./session-messages.ts";

/** The shell has checked it. Its schema would bring those of all answers into every frame. */
const Answer = z.custom<PlainServerMessage>((answer) => typeof answer === "object" && answer !== null);

const PortletFact = z.intersection(z.object({ seq: Seq }), FactBody);
export type PortletFact = z.infer<typeof PortletFact>;

/** A session that started with this one's conversation. */
const ShownBranch = z.object({
  sessionId: SessionId,
  /** The last entry in common; absent: it began before the first message. */
  entryId: z.optional(EntryId),
  title: z.string(),
  cliType: CliType,
  agentName: z.string(),
  createdAt: z.string(),
});
export type ShownBranch = z.infer<typeof ShownBranch>;

/** The origin of a session, as displayed. */
const ShownOrigin = z.object({
  title: z.string(),
  how: SessionOrigin.shape.how,
  /** The last entry in common; absent: it began before the first message. */
  entryId: z.optional(EntryId),
  /** Of another agent, whose conversation it continues. */
  agentName: z.optional(z.string()),
});
export type ShownOrigin = z.infer<typeof ShownOrigin>;

/** A child agent as its parent shows it. */
const ShownChild = z.object({
  sessionId: SessionId,
  title: z.string(),
  cliType: CliType,
  mark: z.enum(["working", "waiting", "stalled", "failed", "paused", "done", "idle"]),
  /** Its activity, request or last text; `target` is the exact target, such as a path. */
  words: z.string(),
  target: z.string(),
  filesChanged: z.int(),
  cost: z.string(),
  share: z.optional(z.number()),
  ended: z.boolean(),
});
export type ShownChild = z.infer<typeof ShownChild>;

export const PortletWish = z.enum([
  "previous-message",
  "next-message",
  "first-message",
  "latest",
  "branch",
  "continue",
  "files",
  "changes",
  "stop",
]);
export type PortletWish = z.infer<typeof PortletWish>;

/** Messages from the shell to a session's frame: the session's own messages without its id, and its context. */
const Surroundings = z.discriminatedUnion("type", [
  z.omit(SessionHistory, { sessionId: true }),
  z.omit(SessionResumed, { sessionId: true }),
  z.omit(SessionPage, { sessionId: true }),
  z.object({ type: z.literal("session:draft"), content: z.string(), attachments: z.optional(z.array(Part)) }),
  /** Who shows the session now, this person among them. */
  z.object({ type: z.literal("session:presence"), people: z.array(PersonRef) }),
  z.omit(FilesFound, { sessionId: true, projectId: true }),
  /** What the Changes view shows has changed. */
  z.omit(ChangesStateMessage, { sessionId: true }),
  z.object({
    type: z.literal("agent:status"),
    status: AgentStatus,
    message: z.optional(z.string()),
    nextTryAt: z.optional(z.string()),
    /** The error code if the agent could not be started for this new session. */
    startFailure: z.optional(z.string()),
  }),
  /** A command of this frame was refused; its text returns to the composer. */
  z.object({
    type: z.literal("session:error"),
    message: z.string(),
    commandId: z.optional(CommandId),
    fields: z.optional(z.record(z.string(), z.string())),
  }),
  z.object({
    type: z.literal("portlet:session"),
    cliType: CliType,
    agentName: z.string(),
    projectName: z.string(),
    /** The agent's working directory. */
    directory: z.string(),
    /** The account that the agent works with, as it names it. */
    account: z.optional(z.string()),
    /** Of the session that started this one. */
    parentTitle: z.optional(z.string()),
    /** Its agent can continue the conversation in a terminal. */
    handback: z.optional(z.boolean()),
    /** The session whose conversation it started with, and how its agent knows it. */
    origin: z.optional(ShownOrigin),
    /** Sessions that started with its conversation, and those with the same origin, oldest first. */
    branches: z.optional(z.array(ShownBranch)),
    /** The branch that its worktree was made from, and the overlaps with other worktrees: as a mark, and in full. */
    base: z.optional(z.string()),
    overlap: z.optional(z.object({ words: z.string(), details: z.string() })),
    /** The current person, if there are several; `looks`: may change nothing in this project. */
    person: z.optional(z.object({ id: PersonId, looks: z.boolean() })),
  }),
  z.object({
    type: z.literal("portlet:children"),
    children: z.array(ShownChild),
    /** Usage of the tree: as text, and as a share of its budget if it has one. */
    spent: z.string(),
    share: z.optional(z.number()),
  }),
  /**
   * `column` counts from the left if several are in view. Hidden frames fold but do no layout work; shown again, they
   * catch up in one step.
   */
  z.object({ type: z.literal("portlet:visible"), visible: z.boolean(), column: z.optional(z.int()) }),
  /** Answers `portlet:offers-wanted`: what the composer may offer besides the agent's commands and the files. */
  z.object({
    type: z.literal("portlet:offers"),
    snippets: z.array(z.object({ name: z.string(), body: z.string(), isOfProject: z.boolean() })),
    sessions: z.array(z.object({ sessionId: SessionId, title: z.string(), project: z.string() })),
  }),
  z.object({ type: z.literal("portlet:connection"), connected: z.boolean() }),
  /** Whether anything can be stored, and therefore sent. */
  z.object({ type: z.literal("portlet:storage"), writable: z.boolean() }),
  z.object({ type: z.literal("portlet:focus") }),
  /** Prints the whole session. */
  z.object({ type: z.literal("portlet:print") }),
  z.object({ type: z.literal("portlet:find") }),
  /** Moves the reader, or stops the turn: how the palette runs the frame's own keys. */
  z.object({ type: z.literal("portlet:wish"), wish: PortletWish }),
  /** Appends text to the message that is being written, and gives it the focus. Nothing is sent. */
  z.object({ type: z.literal("portlet:quote"), text: z.string() }),
  /** Shows a file that is named elsewhere, such as in a terminal: `src/a.ts:20:32`. */
  z.object({ type: z.literal("portlet:open-path"), path: z.string() }),
  /** Opens the Changes view. Without `scope`: what is unreviewed, or all changes when nothing is. */
  z.object({ type: z.literal("portlet:open-changes"), scope: z.optional(ChangesScope) }),
  /** Scrolls to this entry, however far back it is. */
  z.object({ type: z.literal("portlet:reveal"), entryId: EntryId }),
  /** Answers `portlet:request`: with the server's message, or with the text of its refusal. */
  z.object({
    type: z.literal("portlet:answer"),
    id: z.int(),
    answer: z.optional(Answer),
    /** `message` is all of it in one line; `words` and `details` are its parts. */
    refusal: z.optional(
      z.object({
        code: z.nullable(z.string()),
        message: z.string(),
        words: z.optional(z.string()),
        details: z.optional(z.string()),
      }),
    ),
  }),
  /** All facts that arrived while the frame was hidden, in order. */
  z.object({ type: z.literal("portlet:facts"), facts: z.array(PortletFact) }),
]);
/** One message, or several facts at once. */
export type PostedToPortlet = PortletFact | z.infer<typeof Surroundings>;
export type ShellToPortlet = Exclude<PostedToPortlet, { type: "portlet:facts" }>;

const FACTS: ReadonlySet<unknown> = new Set(FACT_TYPES);

/** Parses a message of the shell; null for anything else. The type selects the schema: no other is tried. */
export function readFromShell(data: unknown): PostedToPortlet | null {
  const type: unknown = typeof data === "object" && data !== null && "type" in data ? data.type : undefined;
  return readPosted<PostedToPortlet>(FACTS.has(type) ? PortletFact : Surroundings, data);
}
