import { z } from "zod/mini";
import { Part } from "./entry.ts";
import { CliType, CommandId, ElicitationId, EntryId, PermissionId, ProjectId, SessionId } from "./ids.ts";
import { QUOTED_SESSIONS_MAX } from "./inbox.ts";
import { Json } from "./json.ts";
import {
  ATTACHMENTS_MAX,
  DRAFT_CHARS_MAX,
  FILE_QUERY_CHARS_MAX,
  FILES_FOUND_MAX,
  IMPORT_SESSIONS_MAX,
  OUTPUT_PIECE_CHARS_MAX,
  PAGE_ENTRIES_MAX,
  PATH_CHARS_MAX,
  PROMPT_CHARS_MAX,
  QUEUE_ITEMS_MAX,
  REASON_CHARS_MAX,
  TITLE_CHARS_MAX,
} from "./limits.ts";
import { PermissionMode, PolicyScope, RULES_MAX, RuleDraft, RuleId } from "./permission-policy.ts";
import { QuestionAction } from "./question.ts";
import { searchFields } from "./search.ts";
import { ProcessTopology } from "./server-messages.ts";
import { QueueItem } from "./session-parts.ts";
import { TOOL_SERVER_NAME_CHARS_MAX } from "./tool-server.ts";

const REQUEST_ID_CHARS_MAX = 200;
const TERMINAL_INPUT_CHARS_MAX = 64 * 1024;
const TERMINAL_CELLS_MAX = 1_000;
const envelope = {
  /** Correlates, within one connection: the one answer repeats it. */
  requestId: z.optional(z.string().check(z.minLength(1), z.maxLength(REQUEST_ID_CHARS_MAX))),
  /** Makes a command act once, even over reconnects and restarts. */
  commandId: z.optional(CommandId),
};
const limit = z.optional(z.int().check(z.minimum(1), z.maximum(PAGE_ENTRIES_MAX)));
const message = <Type extends string, Shape extends z.core.$ZodShape>(type: Type, shape: Shape) =>
  z.object({ type: z.literal(type), ...envelope, ...shape });

/** One version of a program: never a range, a tag or an address. */
export const ExactVersion = z.string().check(z.maxLength(64), z.regex(/^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/));
const importFrom = { projectId: ProjectId, cliType: CliType };
const sessionOnly = { sessionId: SessionId };
/** Whose policy: a session also stands for its project and its agent. */
const policyOf = {
  scope: PolicyScope,
  sessionId: z.optional(SessionId),
  projectId: z.optional(ProjectId),
  cliType: z.optional(CliType),
};
const rules = z.array(RuleDraft).check(z.maxLength(RULES_MAX));

const attachments = z.optional(z.array(Part).check(z.maxLength(ATTACHMENTS_MAX)));
const prompt = { ...sessionOnly, content: z.string().check(z.maxLength(PROMPT_CHARS_MAX)), attachments };

/** The commands a session's own writer decides on. */
export const SessionCommand = z.discriminatedUnion("type", [
  /**
   * `aheadOf`: puts an edited message back into the queue, ahead of these. It also goes back into a paused queue, which
   * stays paused; with neither a running turn nor a paused queue it is an ordinary send.
   */
  message("session:send", {
    ...prompt,
    aheadOf: z.optional(z.array(CommandId).check(z.maxLength(QUEUE_ITEMS_MAX))),
  }),
  /** Into the running turn, where the agent can take it; without a turn it is an ordinary send. */
  message("session:steer", prompt),
  /** The list as it is to be. `seen`: what the editor had before it, so that what came since is kept. */
  message("session:queue-edit", {
    ...sessionOnly,
    items: z.array(QueueItem).check(z.maxLength(QUEUE_ITEMS_MAX)),
    seen: z.optional(z.array(CommandId).check(z.maxLength(QUEUE_ITEMS_MAX))),
  }),
  /** A held queue goes on. */
  message("session:queue-resume", sessionOnly),
  /** Stops the running turn; when that has ended, this waiting message goes next. */
  message("session:send-now", { ...sessionOnly, queuedId: CommandId }),
  /**
   * Sends the last message again after its turn failed or was interrupted. `afresh`, after `AGENT_SESSION_REFUSED`: in a
   * new agent session, without the agent's memory of this one.
   */
  message("session:retry", { ...sessionOnly, afresh: z.optional(z.boolean()) }),
  message("session:cancel", sessionOnly),
  message("session:kill", sessionOnly),
  /** The session is not to be woken by this wait any more. */
  message("session:wait-cancel", { ...sessionOnly, waitId: z.string().check(z.minLength(1), z.maxLength(200)) }),
  message("session:archive", sessionOnly),
  message("session:unarchive", sessionOnly),
  /** For good: what was said in it, and where the agent offers that, the agent's own copy. */
  message("session:delete", sessionOnly),
  message("session:rename", {
    ...sessionOnly,
    title: z.string().check(z.trim(), z.minLength(1), z.maxLength(TITLE_CHARS_MAX)),
  }),
  message("session:configure", {
    ...sessionOnly,
    configId: z.string().check(z.maxLength(200)),
    value: z.union([z.string(), z.boolean()]),
  }),
  /** `reason`: why it is denied; the agent gets it in the running turn where it takes messages then, else as the next one. */
  message("permission:respond", {
    ...sessionOnly,
    permissionId: PermissionId,
    optionId: z.optional(z.string()),
    outcome: z.optional(z.literal("cancelled")),
    reason: z.optional(z.string().check(z.trim(), z.minLength(1), z.maxLength(REASON_CHARS_MAX))),
  }),
]);
export type SessionCommand = z.infer<typeof SessionCommand>;

/** What anyone may ask of the server: the page, the command line and MCP tools all send these and nothing else. */
export const ClientMessage = z.discriminatedUnion("type", [
  message("project:add", { path: z.string().check(z.minLength(1), z.maxLength(PATH_CHARS_MAX)) }),
  message("project:remove", { projectId: ProjectId }),
  message("project:list", {}),
  /** Which directories the path could go on to while it is typed. */
  message("directories:list", { path: z.string().check(z.maxLength(PATH_CHARS_MAX)) }),
  /** How the agents that this session started are doing. */
  message("session:children", { sessionId: SessionId }),
  message("session:list", { projectId: ProjectId, includeArchived: z.optional(z.boolean()) }),
  message("session:create", {
    projectId: ProjectId,
    cliType: CliType,
    title: z.optional(z.string().check(z.trim(), z.minLength(1), z.maxLength(TITLE_CHARS_MAX))),
    options: z.optional(z.record(z.string(), Json)),
    /** False: the session is there at once and its agent starts behind it; the row's `start` says how that goes. */
    waitForAgent: z.optional(z.boolean()),
  }),
  /** Deletes a session whose agent has never been there and in which nothing was written; any other stays as it is. */
  message("session:discard", sessionOnly),
  message("session:open", { ...sessionOnly, after: z.optional(z.int().check(z.nonnegative())), limit }),
  /** A piece of a text too long for its entry: of the call's own output, or of one of its parts as JSON. */
  message("session:output", {
    ...sessionOnly,
    entryId: EntryId,
    part: z.optional(z.int().check(z.gte(0))),
    from: z.optional(z.int().check(z.gte(0))),
    limit: z.optional(z.int().check(z.gte(1), z.lte(OUTPUT_PIECE_CHARS_MAX))),
  }),
  /** `until`: everything from that entry on, or as much of it as one answer holds; `limit` then counts nothing. */
  message("session:page", { ...sessionOnly, before: EntryId, limit, until: z.optional(EntryId) }),
  /** This client has shown the session up to `seq`; `showing` says that it goes on to, or that it no longer does. */
  message("session:seen", {
    ...sessionOnly,
    seq: z.int().check(z.gte(0)),
    showing: z.optional(z.boolean()),
  }),
  message("search", searchFields),
  message("session:close", sessionOnly),
  /** Without `attachments` those of before stay: they are large, and change less often than the text. */
  message("session:draft", { ...sessionOnly, content: z.string().check(z.maxLength(DRAFT_CHARS_MAX)), attachments }),
  /** Files of the session's or the project's directory, best match first. */
  message("files:search", {
    sessionId: z.optional(SessionId),
    projectId: z.optional(ProjectId),
    query: z.string().check(z.maxLength(FILE_QUERY_CHARS_MAX)),
    limit: z.optional(z.int().check(z.minimum(1), z.maximum(FILES_FOUND_MAX))),
  }),
  /** `restart` replaces a process that no longer reacts. */
  message("session:reconnect", {
    cliType: CliType,
    sessionId: z.optional(SessionId),
    restart: z.optional(z.boolean()),
  }),
  /** Asks for any answer: a server that is there and hangs gives none. */
  message("ping", {}),
  /** What is open in any session: everything that waits for the user, and what works. */
  message("inbox:list", {}),
  /** How these sessions ended their last answers. */
  message("session:results", { sessionIds: z.array(SessionId).check(z.maxLength(QUOTED_SESSIONS_MAX)) }),
  message("agent:list", {}),
  /** The catalog's version, unless one is named; updating is installing another. */
  message("agent:install", { cliType: CliType, version: z.optional(ExactVersion) }),
  message("agent:install-cancel", { cliType: CliType }),
  message("agent:uninstall", { cliType: CliType }),
  /** Back to the version that was in use before. */
  message("agent:rollback", { cliType: CliType }),
  /** For processes that are started from then on; kept over restarts, and goes before config.json. */
  message("agent:topology", { cliType: CliType, process: ProcessTopology }),
  message("agent:authenticate", { cliType: CliType, methodId: z.string().check(z.minLength(1), z.maxLength(200)) }),
  message("elicitation:respond", {
    sessionId: z.optional(SessionId),
    elicitationId: ElicitationId,
    action: QuestionAction,
    /** With `accept`, the answers to a form by the names of its fields. */
    content: z.optional(z.record(z.string(), Json)),
  }),
  message("terminal:input", {
    terminalId: z.string().check(z.maxLength(200)),
    data: z.string().check(z.maxLength(TERMINAL_INPUT_CHARS_MAX)),
  }),
  message("terminal:resize", {
    terminalId: z.string().check(z.maxLength(200)),
    columns: z.int().check(z.minimum(2), z.maximum(TERMINAL_CELLS_MAX)),
    rows: z.int().check(z.minimum(2), z.maximum(TERMINAL_CELLS_MAX)),
  }),
  message("terminal:close", { terminalId: z.string().check(z.maxLength(200)) }),
  /** What the agent has in the project's directory and we have not. */
  message("import:list", importFrom),
  message("import:start", {
    ...importFrom,
    agentSessionIds: z
      .array(z.string().check(z.minLength(1), z.maxLength(1_000)))
      .check(z.minLength(1), z.maxLength(IMPORT_SESSIONS_MAX)),
  }),
  message("import:cancel", { importId: z.string().check(z.minLength(1), z.maxLength(200)) }),
  message("policy:get", policyOf),
  /** Absent keeps; `mode: null` goes back to what the wider scope says. `rules` replaces all, then the rest changes some. */
  message("policy:set", {
    ...policyOf,
    mode: z.optional(z.nullable(PermissionMode)),
    rules: z.optional(rules),
    add: z.optional(rules),
    remove: z.optional(z.array(RuleId).check(z.maxLength(RULES_MAX))),
  }),
  /** What requests of the past would have been answered with this mode, and with these rules beside the present ones. */
  message("policy:preview", { ...policyOf, mode: z.optional(PermissionMode), rules: z.optional(rules), limit }),
  message("policy:audit", { ...policyOf, limit }),
  /** The tool servers of config.json, and which of them sessions of the project get. */
  message("mcp:list", { projectId: ProjectId }),
  /** For sessions that are started or brought back from then on. */
  message("mcp:choose", {
    projectId: ProjectId,
    name: z.string().check(z.minLength(1), z.maxLength(TOOL_SERVER_NAME_CHARS_MAX)),
    enabled: z.boolean(),
  }),
  ...SessionCommand.def.options,
]);
export type ClientMessage = z.infer<typeof ClientMessage>;

/** An answer to a question of a session's agent. */
export type QuestionResponse = Extract<ClientMessage, { type: "elicitation:respond" }>;
