import { z } from "zod/mini";
import { CheckpointId } from "./changes.ts";
import type { ClientMessage } from "./client-messages.ts";
import { EntryId, SessionId } from "./ids.ts";
import { readPosted } from "./read-posted.ts";

const modifiers = z.object({ ctrl: z.boolean(), meta: z.boolean(), shift: z.boolean(), alt: z.boolean() });

type WithoutSession<Message> = Message extends { sessionId: unknown } ? Omit<Message, "sessionId"> : never;
export type PortletCommand = WithoutSession<Extract<ClientMessage, { sessionId: unknown }>>;

/** About the agent of its session: the shell names that, whatever the frame says. */
type AboutOwnAgent = Extract<ClientMessage, { type: "agent:options" | "agent:favourite" }>;

/** All of them by type. The page checks no more than that: the server validates every command. */
const PORTLET_COMMANDS: Readonly<
  Record<Extract<ClientMessage, { sessionId?: unknown }>["type"] | AboutOwnAgent["type"], true>
> = {
  "agent:options": true,
  "agent:favourite": true,
  "session:children": true,
  "session:branch": true,
  "session:pack": true,
  "session:discard": true,
  "session:open": true,
  "session:output": true,
  "session:page": true,
  "session:seen": true,
  "session:mark": true,
  "session:close": true,
  "session:draft": true,
  "files:search": true,
  "changes:open": true,
  "changes:close": true,
  "changes:patch": true,
  "changes:decide": true,
  "changes:cancel": true,
  "changes:undo": true,
  "changes:viewed": true,
  "workdir:commit": true,
  "checkpoint:list": true,
  "checkpoint:preview": true,
  "checkpoint:restore": true,
  "checkpoint:settle": true,
  "files:list": true,
  "files:read": true,
  "files:edit": true,
  "session:reconnect": true,
  "elicitation:respond": true,
  "policy:get": true,
  "policy:set": true,
  "policy:preview": true,
  "policy:audit": true,
  "attempts:keep": true,
  "worktree:move-session": true,
  "merge:ask-agent": true,
  "terminal:open": true,
  "session:send": true,
  "session:elsewhere": true,
  "session:steer": true,
  "session:queue-edit": true,
  "session:queue-resume": true,
  "session:send-now": true,
  "session:retry": true,
  "session:resume-limit": true,
  "session:dismiss-limit": true,
  "session:cancel": true,
  "session:stop-subagent": true,
  "session:kill": true,
  "session:wait-cancel": true,
  "session:archive": true,
  "session:unarchive": true,
  "session:delete": true,
  "session:rename": true,
  "session:organize": true,
  "session:handback": true,
  "session:configure": true,
  "permission:respond": true,
};

export function isPortletCommand(type: string): boolean {
  return Object.hasOwn(PORTLET_COMMANDS, type);
}

type Asked<Message> = Message extends unknown ? Omit<Message, "sessionId" | "projectId" | "requestId"> : never;
/** What the frame waits for an answer to: files, changes and checkpoints of its session, options of its agent. */
export type PortletQuestion = Asked<
  | AboutOwnAgent
  | Extract<ClientMessage, { type: "session:branch" | `${"files" | "changes" | "checkpoint" | "workdir"}:${string}` }>
>;

/** Views of the shell about a session. */
const ShellView = z.enum([
  "log",
  "sign-in",
  "permissions",
  "export",
  "handback",
  "kill",
  "worktrees",
  "merge",
  "continue",
]);
export type ShellView = z.infer<typeof ShellView>;

/** Messages from a frame to the shell. Commands have no session id: the shell identifies the frame by its window. */
export const PortletToShell = z.union([
  z.object({ type: z.literal("portlet:ready") }),
  /** The frame got the focus, by a click or a key. */
  z.object({ type: z.literal("portlet:focused") }),
  z.object({ type: z.literal("portlet:title"), title: z.string() }),
  z.object({ type: z.literal("portlet:key"), key: z.string(), code: z.optional(z.string()), modifiers }),
  /** Requests a dialog about this session, which the shell shows. */
  z.object({ type: z.literal("portlet:show"), what: ShellView }),
  /** Asks for the dialog that restores files to a checkpoint. `message`: what the user said in its turn. */
  z.object({ type: z.literal("portlet:restore"), checkpointId: CheckpointId, message: z.optional(z.string()) }),
  /** Runs an action on an agent that this session started. */
  z.object({ type: z.literal("portlet:child"), act: z.enum(["open", "stop", "kill"]), childId: SessionId }),
  z.object({ type: z.literal("portlet:offers-wanted") }),
  /** Asks for the dialog that keeps a text as a snippet. */
  z.object({ type: z.literal("portlet:save-snippet"), body: z.string() }),
  /** Opens a session that a message here mentions. */
  z.object({ type: z.literal("portlet:open-session"), sessionId: SessionId }),
  /** Opens the session that started this one. */
  z.object({ type: z.literal("portlet:parent") }),
  /** Opens the session that this one is a branch of, where it left it. */
  z.object({ type: z.literal("portlet:origin") }),
  /** Stops this session's turn and those of all agents below it. */
  z.object({ type: z.literal("portlet:stop-tree") }),
  /** Requests all of a text that is too long for its entry, or what the agent was told with a message. */
  z.object({
    type: z.literal("portlet:output"),
    entryId: EntryId,
    part: z.optional(z.int()),
    name: z.string(),
    isPack: z.optional(z.boolean()),
  }),
  /** A command whose answer the frame waits for; `portlet:answer` has the same id. */
  z.object({ type: z.literal("portlet:request"), id: z.int(), command: z.looseObject({ type: z.string() }) }),
  z.looseObject({ type: z.string().check(z.startsWith("session:")) }),
  z.looseObject({ type: z.string().check(z.startsWith("permission:")) }),
  z.looseObject({ type: z.string().check(z.startsWith("policy:")) }),
  z.looseObject({ type: z.string().check(z.startsWith("elicitation:")) }),
  z.looseObject({ type: z.string().check(z.startsWith("files:")) }),
]);
export type PortletToShell = z.infer<typeof PortletToShell>;

/** Parses a message of a frame; null for anything else. */
export function readFromPortlet(data: unknown): PortletToShell | null {
  return readPosted(PortletToShell, data);
}
