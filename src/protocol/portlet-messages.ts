import { z } from "zod/mini";
import type { ClientMessage } from "./client-messages.ts";
import { Part } from "./entry.ts";
import { FACT_TYPES, FactBody } from "./facts.ts";
import { CliType, CommandId, EntryId, Seq, SessionId } from "./ids.ts";
import { AgentStatus, FilesFound, SessionHistory, SessionPage, SessionResumed } from "./server-messages.ts";

const PortletFact = z.intersection(z.object({ seq: Seq }), FactBody);
export type PortletFact = z.infer<typeof PortletFact>;

/** One agent that the session started, as its parent shows it. */
const ShownChild = z.object({
  sessionId: SessionId,
  title: z.string(),
  cliType: CliType,
  mark: z.enum(["working", "waiting", "stalled", "failed", "paused", "done", "idle"]),
  /** What it does, asks or said last; `target` is the exact thing, such as a path. */
  words: z.string(),
  target: z.string(),
  filesChanged: z.int(),
  cost: z.string(),
  share: z.optional(z.number()),
  ended: z.boolean(),
});
export type ShownChild = z.infer<typeof ShownChild>;

export const PortletWish = z.enum(["previous-message", "next-message", "first-message", "latest", "stop"]);
export type PortletWish = z.infer<typeof PortletWish>;

/** What the shell tells a session's frame: the session's own messages less the id the frame stands for, and its surroundings. */
const Surroundings = z.discriminatedUnion("type", [
  z.omit(SessionHistory, { sessionId: true }),
  z.omit(SessionResumed, { sessionId: true }),
  z.omit(SessionPage, { sessionId: true }),
  z.object({ type: z.literal("session:draft"), content: z.string(), attachments: z.optional(z.array(Part)) }),
  z.omit(FilesFound, { sessionId: true, projectId: true }),
  z.object({
    type: z.literal("agent:status"),
    status: AgentStatus,
    message: z.optional(z.string()),
    nextTryAt: z.optional(z.string()),
    /** The code of the error, when the agent could not be started for this new session. */
    startFailure: z.optional(z.string()),
  }),
  /** A command of this frame was refused; its text goes back into the composer. */
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
    /** Where the agent works. */
    directory: z.string(),
    /** Of the session that started this one. */
    parentTitle: z.optional(z.string()),
  }),
  z.object({
    type: z.literal("portlet:children"),
    children: z.array(ShownChild),
    /** What the tree has used: in words, and as a share of its budget where it has one. */
    spent: z.string(),
    share: z.optional(z.number()),
  }),
  /** `column` counts from the left where several are in view. Hidden frames fold but do no layout work; shown again, they catch up in one step. */
  z.object({ type: z.literal("portlet:visible"), visible: z.boolean(), column: z.optional(z.int()) }),
  z.object({ type: z.literal("portlet:connection"), connected: z.boolean() }),
  /** Whether anything can be stored, and so be sent. */
  z.object({ type: z.literal("portlet:storage"), writable: z.boolean() }),
  z.object({ type: z.literal("portlet:focus") }),
  /** Prints the session, all of it. */
  z.object({ type: z.literal("portlet:print") }),
  z.object({ type: z.literal("portlet:find") }),
  /** Moves the reader, or stops the turn: the palette's way to what the frame's own keys do. */
  z.object({ type: z.literal("portlet:wish"), wish: PortletWish }),
  /** Brings this entry into view, however far back it is. */
  z.object({ type: z.literal("portlet:reveal"), entryId: EntryId }),
  /** All facts that came while nobody looked, in their order. */
  z.object({ type: z.literal("portlet:facts"), facts: z.array(PortletFact) }),
]);
/** One message, or several facts at once. */
export type PostedToPortlet = PortletFact | z.infer<typeof Surroundings>;
export type ShellToPortlet = Exclude<PostedToPortlet, { type: "portlet:facts" }>;

const FACTS: ReadonlySet<unknown> = new Set(FACT_TYPES);

/** What the shell said; null for anything that is no message of its. The type says which one it is: no other is tried. */
export function readFromShell(data: unknown): PostedToPortlet | null {
  const type: unknown = typeof data === "object" && data !== null && "type" in data ? data.type : undefined;
  return readMessage<PostedToPortlet>(FACTS.has(type) ? PortletFact : Surroundings, data);
}

const modifiers = z.object({ ctrl: z.boolean(), meta: z.boolean(), shift: z.boolean(), alt: z.boolean() });

type WithoutSession<Message> = Message extends { sessionId: unknown } ? Omit<Message, "sessionId"> : never;
export type PortletCommand = WithoutSession<Extract<ClientMessage, { sessionId: unknown }>>;

/** What a frame tells the shell. Commands come without a session id: the shell knows the frame by its window. */
export const PortletToShell = z.union([
  z.object({ type: z.literal("portlet:ready") }),
  /** The keyboard came into this frame, by a click or by a key. */
  z.object({ type: z.literal("portlet:focused") }),
  z.object({ type: z.literal("portlet:title"), title: z.string() }),
  z.object({ type: z.literal("portlet:key"), key: z.string(), code: z.optional(z.string()), modifiers }),
  /** Asks for a dialog about this session: the shell has the room and the rights for it. */
  z.object({ type: z.literal("portlet:show"), what: z.enum(["log", "sign-in", "permissions", "export", "kill"]) }),
  /** Something is to be done with an agent that this session started. */
  z.object({ type: z.literal("portlet:child"), act: z.enum(["open", "stop", "kill"]), childId: SessionId }),
  /** Opens the session that started this one. */
  z.object({ type: z.literal("portlet:parent") }),
  /** Stops this session's turn and those of all agents below it. */
  z.object({ type: z.literal("portlet:stop-tree") }),
  /** Asks for all of a text that is too long for its entry. */
  z.object({ type: z.literal("portlet:output"), entryId: EntryId, part: z.optional(z.int()), name: z.string() }),
  z.looseObject({ type: z.string().check(z.startsWith("session:")) }),
  z.looseObject({ type: z.string().check(z.startsWith("permission:")) }),
  z.looseObject({ type: z.string().check(z.startsWith("policy:")) }),
  z.looseObject({ type: z.string().check(z.startsWith("elicitation:")) }),
  z.looseObject({ type: z.string().check(z.startsWith("files:")) }),
]);
export type PortletToShell = z.infer<typeof PortletToShell>;

/** What a frame said; null for anything that is no message of one. */
export function readFromPortlet(data: unknown): PortletToShell | null {
  return readMessage(PortletToShell, data);
}

function readMessage<Message>(schema: z.ZodMiniType<Message>, data: unknown): Message | null {
  try {
    return schema.safeParse(data).data ?? null;
  } catch (error) {
    if (error instanceof RangeError) return null; // nested deeper than there is stack to read it
    throw error;
  }
}
