import { z } from "zod/mini";
import { AgentSetting, ToolServerName, ToolServerSetting } from "./agent-settings.ts";
import { Attempt } from "./attempt-ref.ts";
import { ATTEMPT_REQUESTS } from "./attempts.ts";
import {
  ChangesScope,
  CheckpointId,
  COMMIT_MESSAGE_CHARS_MAX,
  DECISION_ITEMS_MAX,
  DecisionItem,
  DIRECTORY_ENTRIES_MAX,
  FILE_PIECE_BYTES_MAX,
  FilePath,
  FilesVersion,
  UndoId,
} from "./changes.ts";
import { Part } from "./entry.ts";
import { ExactVersion } from "./exact-version.ts";
import { CliType, CommandId, ElicitationId, EntryId, PermissionId, ProjectId, SessionId } from "./ids.ts";
import { QUOTED_SESSIONS_MAX } from "./inbox.ts";
import { Json } from "./json.ts";
import {
  ATTACHMENTS_MAX,
  DRAFT_CHARS_MAX,
  FILE_QUERY_CHARS_MAX,
  FILES_FOUND_MAX,
  IMPORT_SESSIONS_MAX,
  LABEL_CHARS_MAX,
  LABELS_MAX,
  MODEL_ID_CHARS_MAX,
  OUTPUT_PIECE_CHARS_MAX,
  PAGE_ENTRIES_MAX,
  PATH_CHARS_MAX,
  PROMPT_CHARS_MAX,
  QUEUE_ITEMS_MAX,
  REASON_CHARS_MAX,
  TITLE_CHARS_MAX,
} from "./limits.ts";
import { MODEL_REQUESTS } from "./model-draft.ts";
import { NOTICE_REQUESTS } from "./notices.ts";
import { PermissionMode, PolicyScope, RULES_MAX, RuleDraft, RuleId } from "./permission-policy.ts";
import { PlaceName, PlaceSetting } from "./places.ts";
import { ProcessTopology } from "./process-topology.ts";
import { QuestionAction } from "./question.ts";
import { SCHEDULE_REQUESTS } from "./schedules.ts";
import { searchFields } from "./search.ts";
import { QueueItem } from "./session-parts.ts";
import { SNIPPET_REQUESTS } from "./snippets.ts";
import { TERMINAL_CELLS_MAX, TERMINAL_INPUT_CHARS_MAX, TERMINAL_REQUESTS } from "./terminals.ts";
import { TOOL_SERVER_NAME_CHARS_MAX } from "./tool-server.ts";
import { USAGE_REQUESTS } from "./usage.ts";
import { WorktreeId } from "./worktree-ref.ts";
import { NewWorktree, WORKTREE_REQUESTS } from "./worktrees.ts";

const REQUEST_ID_CHARS_MAX = 200;
const envelope = {
  /** Correlates, within one connection: the one answer repeats it. */
  requestId: z.optional(z.string().check(z.minLength(1), z.maxLength(REQUEST_ID_CHARS_MAX))),
  /** Makes a command act once, even over reconnects and restarts. */
  commandId: z.optional(CommandId),
};
const limit = z.optional(z.int().check(z.minimum(1), z.maximum(PAGE_ENTRIES_MAX)));
const message = <Type extends string, Shape extends z.core.$ZodShape>(type: Type, shape: Shape) =>
  z.object({ type: z.literal(type), ...envelope, ...shape });

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

const workplace = z.union([z.literal(false), z.object({ worktreeId: WorktreeId }), z.object({ create: NewWorktree })]);
const branchFrom = {
  ...sessionOnly,
  at: z.optional(EntryId),
  before: z.optional(z.boolean()),
  cliType: z.optional(CliType),
};

/** The commands a session's own writer decides on. */
export const SessionCommand = z.discriminatedUnion("type", [
  /**
   * `aheadOf`: puts an edited message back into the queue, ahead of these. It also goes back into a paused queue,
   * which stays paused; with neither a running turn nor a paused queue it is an ordinary send.
   */
  message("session:send", {
    ...prompt,
    aheadOf: z.optional(z.array(CommandId).check(z.maxLength(QUEUE_ITEMS_MAX))),
    /** While another program has the conversation open: the message waits until it is closed there. */
    whenFree: z.optional(z.boolean()),
  }),
  /**
   * While another program has the conversation open: whether the queue waits for it to close, and whether new messages
   * there are read.
   */
  message("session:elsewhere", {
    ...sessionOnly,
    wait: z.optional(z.boolean()),
    follow: z.optional(z.boolean()),
  }),
  /** Into the running turn, if the agent supports that; without a turn it is an ordinary send. */
  message("session:steer", prompt),
  /** The new list. `seen`: the list that the editor had before, so that messages added since are kept. */
  message("session:queue-edit", {
    ...sessionOnly,
    items: z.array(QueueItem).check(z.maxLength(QUEUE_ITEMS_MAX)),
    seen: z.optional(z.array(CommandId).check(z.maxLength(QUEUE_ITEMS_MAX))),
  }),
  /** A paused queue continues. */
  message("session:queue-resume", sessionOnly),
  /** Stops the running turn; this queued message is sent after it has ended. */
  message("session:send-now", { ...sessionOnly, queuedId: CommandId }),
  /**
   * Sends the last message again after its turn failed or was interrupted. `afresh`, after `AGENT_SESSION_REFUSED`: in a
   * new agent session, without the agent's memory of this one.
   */
  message("session:retry", { ...sessionOnly, afresh: z.optional(z.boolean()) }),
  /** Of a session at a usage limit: continue when the limit ends (`then`), or try at once (`now`). */
  message("session:resume-limit", { ...sessionOnly, when: z.enum(["then", "now"]) }),
  /** The session is not to be continued after its limit: its messages are sent as usual again. */
  message("session:dismiss-limit", sessionOnly),
  message("session:cancel", sessionOnly),
  /** Stops one sub-agent, by the call that stands for it; the turn goes on. */
  message("session:stop-subagent", {
    ...sessionOnly,
    toolCallId: z.string().check(z.minLength(1), z.maxLength(1_000)),
  }),
  message("session:kill", sessionOnly),
  /** The session is not woken by this wait any more. */
  message("session:wait-cancel", { ...sessionOnly, waitId: z.string().check(z.minLength(1), z.maxLength(200)) }),
  message("session:archive", sessionOnly),
  message("session:unarchive", sessionOnly),
  /** Permanently, with its transcript and, where the agent offers that, the agent's own copy. */
  message("session:delete", sessionOnly),
  message("session:rename", {
    ...sessionOnly,
    title: z.string().check(z.trim(), z.minLength(1), z.maxLength(TITLE_CHARS_MAX)),
  }),
  /** Pins it, gives it labels, or dismisses its failure; absent fields are unchanged. */
  message("session:organize", {
    ...sessionOnly,
    pinned: z.optional(z.boolean()),
    labels: z.optional(
      z.array(z.string().check(z.trim(), z.minLength(1), z.maxLength(LABEL_CHARS_MAX))).check(z.maxLength(LABELS_MAX)),
    ),
    dismissed: z.optional(z.boolean()),
  }),
  /**
   * The agent lets go of the conversation, which then continues in a terminal; answered by `session:handed-back` when the
   * command there works. `stopTurn`: a running turn is stopped first.
   */
  message("session:handback", { ...sessionOnly, stopTurn: z.optional(z.boolean()) }),
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

/**
 * Everything that can be requested from the server: the page, the command line and MCP tools all send these and nothing
 * else.
 */
export const ClientMessage = z.discriminatedUnion("type", [
  message("project:add", { path: z.string().check(z.minLength(1), z.maxLength(PATH_CHARS_MAX)) }),
  message("project:remove", { projectId: ProjectId }),
  message("project:list", {}),
  /** Directories that complete the path being typed. */
  message("directories:list", { path: z.string().check(z.maxLength(PATH_CHARS_MAX)) }),
  /** The state of the agents that this session started. */
  message("session:children", { sessionId: SessionId }),
  message("session:list", { projectId: ProjectId, includeArchived: z.optional(z.boolean()) }),
  message("session:create", {
    projectId: ProjectId,
    cliType: CliType,
    title: z.optional(z.string().check(z.trim(), z.minLength(1), z.maxLength(TITLE_CHARS_MAX))),
    options: z.optional(z.record(z.string(), Json)),
    /**
     * False: the session is returned at once and its agent starts in the background; the row's `start` has the
     * progress.
     */
    waitForAgent: z.optional(z.boolean()),
    /** Where it works: in the project (by default), in a new worktree, or in an existing one. */
    worktree: z.optional(workplace),
    /** It is one of several at a task. */
    attempt: z.optional(Attempt),
  }),
  /**
   * A new session that starts with another one's conversation: up to the end of the turn of `at`, or with `before` up
   * to that message, or all of it. `cliType` of another agent hands the work over. `content` is its first message.
   */
  message("session:branch", {
    ...branchFrom,
    content: z.optional(z.string().check(z.maxLength(PROMPT_CHARS_MAX))),
    attachments,
    options: z.optional(
      z.object({
        /** By default it works where the source does. */
        worktree: z.optional(workplace),
        title: z.optional(z.string().check(z.trim(), z.minLength(1), z.maxLength(TITLE_CHARS_MAX))),
      }),
    ),
  }),
  /**
   * The text that an agent got with the message `entryId`; without that, the text that it would get of a branch from
   * there.
   */
  message("session:pack", { ...branchFrom, entryId: z.optional(EntryId) }),
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
  /** The user marks it unread or read without opening it. */
  message("session:mark", { ...sessionOnly, unread: z.boolean() }),
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
  /** What agents changed in the session's working directory. From then on `changes:state` comes with every change. */
  message("changes:open", { ...sessionOnly, scope: ChangesScope }),
  message("changes:close", sessionOnly),
  /** The places where one file differs. `whole`: the whole file as context, or a difference that is large. */
  message("changes:patch", { ...sessionOnly, scope: ChangesScope, path: FilePath, whole: z.optional(z.boolean()) }),
  /**
   * Keeps or takes back changes as they were shown: `expect` is the version of the files then. All of the scope without
   * `items`. Keeping touches no file. While a turn runs in the directory discarding is refused, or waits for its end when
   * `wait` says so.
   */
  message("changes:decide", {
    ...sessionOnly,
    scope: ChangesScope,
    decision: z.enum(["keep", "discard"]),
    items: z.optional(z.array(DecisionItem).check(z.minLength(1), z.maxLength(DECISION_ITEMS_MAX))),
    expect: FilesVersion,
    wait: z.optional(z.boolean()),
  }),
  /** A discard that waits is not carried out; one that could not be goes from the list. */
  message("changes:cancel", { ...sessionOnly, waitId: UndoId }),
  message("changes:undo", { ...sessionOnly, undoId: UndoId }),
  message("changes:viewed", { ...sessionOnly, path: FilePath, expect: FilesVersion, viewed: z.boolean() }),
  /**
   * Commits to the user's repository, with their hooks and signing. Other staged content stays staged. Without `items`
   * everything that differs from the last commit.
   */
  message("workdir:commit", {
    ...sessionOnly,
    items: z.optional(z.array(DecisionItem).check(z.minLength(1), z.maxLength(DECISION_ITEMS_MAX))),
    message: z.string().check(z.trim(), z.minLength(1), z.maxLength(COMMIT_MESSAGE_CHARS_MAX)),
    expect: FilesVersion,
  }),
  message("checkpoint:list", sessionOnly),
  message("checkpoint:preview", { ...sessionOnly, checkpointId: CheckpointId }),
  /** Without `paths`, what the preview lists as `own`. `stopTurn`: a turn that runs in the directory is stopped first. */
  message("checkpoint:restore", {
    ...sessionOnly,
    checkpointId: CheckpointId,
    paths: z.optional(z.array(FilePath).check(z.minLength(1), z.maxLength(DECISION_ITEMS_MAX))),
    expect: FilesVersion,
    stopTurn: z.optional(z.boolean()),
    /** The work goes on in a new session of the same agent. It is made first: when that is refused, no file is touched. */
    newSession: z.optional(z.boolean()),
  }),
  /** Ends a restore or discard that was cut off. */
  message("checkpoint:settle", { ...sessionOnly, way: z.enum(["finish", "put-back"]) }),
  /** A directory of the session's or the project's files; the empty path is the top. */
  message("files:list", {
    sessionId: z.optional(SessionId),
    projectId: z.optional(ProjectId),
    path: z.string().check(z.maxLength(PATH_CHARS_MAX)),
    limit: z.optional(z.int().check(z.minimum(1), z.maximum(DIRECTORY_ENTRIES_MAX * 20))),
  }),
  /** `at`: as the checkpoint has it. `from` and `limit` in bytes. */
  message("files:read", {
    sessionId: z.optional(SessionId),
    projectId: z.optional(ProjectId),
    path: FilePath,
    at: z.optional(CheckpointId),
    from: z.optional(z.int().check(z.gte(0))),
    limit: z.optional(z.int().check(z.gte(1), z.lte(FILE_PIECE_BYTES_MAX))),
  }),
  /** Opens a file in the editor of config.json, on the machine of the server. */
  message("files:edit", {
    sessionId: z.optional(SessionId),
    projectId: z.optional(ProjectId),
    path: FilePath,
    line: z.optional(z.int().check(z.gte(1))),
  }),
  /** `restart` replaces a process that no longer reacts. */
  message("session:reconnect", {
    cliType: CliType,
    sessionId: z.optional(SessionId),
    restart: z.optional(z.boolean()),
  }),
  /** Requests any answer: a server that hangs gives none. */
  message("ping", {}),
  /** Everything open in any session: what waits for the user, and what is working. */
  message("inbox:list", {}),
  /** The last answers of these sessions. */
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
  /** What config.json says of agents and tool servers, without its secrets. */
  message("settings:agents", {}),
  /** An agent of the user, or additions to one of the catalog. Applies to processes started from then on. */
  message("settings:save-agent", { cliType: CliType, setting: AgentSetting }),
  message("settings:remove-agent", { cliType: CliType }),
  /** `was`: its name so far. Sessions get it when they start next. */
  message("settings:save-server", {
    name: ToolServerName,
    was: z.optional(ToolServerName),
    setting: ToolServerSetting,
  }),
  message("settings:remove-server", { name: ToolServerName }),
  /** Starts the agent as it would be with these settings, or as it is, and asks it who it is. Stores nothing. */
  message("settings:test-agent", { cliType: CliType, setting: z.optional(AgentSetting) }),
  /** Starts or calls the tool server and asks for its tools. `was`: the one whose hidden values are meant. */
  message("settings:test-server", {
    name: ToolServerName,
    was: z.optional(ToolServerName),
    setting: ToolServerSetting,
  }),
  /** The places of config.json, and what is known of the connections to them. Connects to nothing. */
  message("place:list", {}),
  /** A new place, or other settings of a known one, which apply at once. Sessions there stay as they are. */
  message("place:save", { name: PlaceName, isNew: z.boolean(), setting: PlaceSetting }),
  message("place:remove", { name: PlaceName }),
  /**
   * Tries a place: as it would be with these settings, by a connection of its own that changes nothing; or, without
   * them, as it is, by the connection that sessions use.
   */
  message("place:check", { name: PlaceName, setting: z.optional(PlaceSetting) }),
  /** A link by which one machine joins as a place that dials in, once. */
  message("place:invite", { name: PlaceName }),
  /** Cuts the runner of a place that dials in: its certificate and all links are refused from now on. */
  message("place:revoke", { name: PlaceName }),
  /** What its sessions can be set to, as far as it has told, and what new ones start with. */
  message("agent:options", { cliType: CliType }),
  /** New sessions of the agent start with this value. */
  message("agent:choose", {
    cliType: CliType,
    configId: z.string().check(z.minLength(1), z.maxLength(200)),
    value: z.union([z.string().check(z.maxLength(1_000)), z.boolean()]),
  }),
  /** Puts a model of the agent first wherever one is chosen, or no longer. Answered by `agent:options`. */
  message("agent:favourite", {
    cliType: CliType,
    model: z.string().check(z.minLength(1), z.maxLength(MODEL_ID_CHARS_MAX)),
    favourite: z.boolean(),
  }),
  message("agent:authenticate", { cliType: CliType, methodId: z.string().check(z.minLength(1), z.maxLength(200)) }),
  /** The agent signs out, where it offers that. Running turns continue as far as the agent allows it. */
  message("agent:sign-out", { cliType: CliType }),
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
  /** Conversations that the agent has in the project's directory and that are not imported. */
  message("import:list", importFrom),
  message("import:start", {
    ...importFrom,
    agentSessionIds: z
      .array(z.string().check(z.minLength(1), z.maxLength(1_000)))
      .check(z.minLength(1), z.maxLength(IMPORT_SESSIONS_MAX)),
  }),
  message("import:cancel", { importId: z.string().check(z.minLength(1), z.maxLength(200)) }),
  message("policy:get", policyOf),
  /**
   * Absent fields are unchanged; `mode: null` returns to the wider scope's mode. `rules` replaces all, then the others
   * add and remove some.
   */
  message("policy:set", {
    ...policyOf,
    mode: z.optional(z.nullable(PermissionMode)),
    rules: z.optional(rules),
    add: z.optional(rules),
    remove: z.optional(z.array(RuleId).check(z.maxLength(RULES_MAX))),
  }),
  /**
   * How past requests would have been answered with this mode, and with these rules in addition to the present ones.
   */
  message("policy:preview", { ...policyOf, mode: z.optional(PermissionMode), rules: z.optional(rules), limit }),
  message("policy:audit", { ...policyOf, limit }),
  /** The tool servers of config.json, and which of them sessions of the project get. */
  message("mcp:list", { projectId: ProjectId }),
  /** For sessions that are started or restored from then on. */
  message("mcp:choose", {
    projectId: ProjectId,
    name: z.string().check(z.minLength(1), z.maxLength(TOOL_SERVER_NAME_CHARS_MAX)),
    enabled: z.boolean(),
  }),
  message("attempts:start", ATTEMPT_REQUESTS["attempts:start"]),
  message("attempts:compare", ATTEMPT_REQUESTS["attempts:compare"]),
  message("attempts:keep", ATTEMPT_REQUESTS["attempts:keep"]),
  message("worktree:list", WORKTREE_REQUESTS["worktree:list"]),
  message("worktree:options", WORKTREE_REQUESTS["worktree:options"]),
  message("worktree:remove", WORKTREE_REQUESTS["worktree:remove"]),
  message("worktree:return", WORKTREE_REQUESTS["worktree:return"]),
  message("worktree:purge", WORKTREE_REQUESTS["worktree:purge"]),
  message("worktree:repair", WORKTREE_REQUESTS["worktree:repair"]),
  message("worktree:setup", WORKTREE_REQUESTS["worktree:setup"]),
  message("worktree:move-session", WORKTREE_REQUESTS["worktree:move-session"]),
  message("merge:preview", WORKTREE_REQUESTS["merge:preview"]),
  message("merge:run", WORKTREE_REQUESTS["merge:run"]),
  message("merge:commit", WORKTREE_REQUESTS["merge:commit"]),
  message("merge:ask-agent", WORKTREE_REQUESTS["merge:ask-agent"]),
  message("publish:preview", WORKTREE_REQUESTS["publish:preview"]),
  message("publish:run", WORKTREE_REQUESTS["publish:run"]),
  message("schedule:list", SCHEDULE_REQUESTS["schedule:list"]),
  message("schedule:save", SCHEDULE_REQUESTS["schedule:save"]),
  message("schedule:enable", SCHEDULE_REQUESTS["schedule:enable"]),
  message("schedule:remove", SCHEDULE_REQUESTS["schedule:remove"]),
  message("schedule:run", SCHEDULE_REQUESTS["schedule:run"]),
  message("schedule:runs", SCHEDULE_REQUESTS["schedule:runs"]),
  message("schedule:preview", SCHEDULE_REQUESTS["schedule:preview"]),
  message("usage:get", USAGE_REQUESTS["usage:get"]),
  message("snippet:list", SNIPPET_REQUESTS["snippet:list"]),
  message("snippet:save", SNIPPET_REQUESTS["snippet:save"]),
  message("snippet:remove", SNIPPET_REQUESTS["snippet:remove"]),
  message("notify:list", NOTICE_REQUESTS["notify:list"]),
  message("notify:save", NOTICE_REQUESTS["notify:save"]),
  message("notify:remove", NOTICE_REQUESTS["notify:remove"]),
  message("notify:test", NOTICE_REQUESTS["notify:test"]),
  message("model:get", MODEL_REQUESTS["model:get"]),
  message("model:save", MODEL_REQUESTS["model:save"]),
  message("model:remove", MODEL_REQUESTS["model:remove"]),
  message("model:test", MODEL_REQUESTS["model:test"]),
  message("model:list", MODEL_REQUESTS["model:list"]),
  message("terminal:list", TERMINAL_REQUESTS["terminal:list"]),
  message("terminal:open", TERMINAL_REQUESTS["terminal:open"]),
  message("terminal:attach", TERMINAL_REQUESTS["terminal:attach"]),
  message("terminal:detach", TERMINAL_REQUESTS["terminal:detach"]),
  message("terminal:ack", TERMINAL_REQUESTS["terminal:ack"]),
  message("service:list", TERMINAL_REQUESTS["service:list"]),
  message("service:start", TERMINAL_REQUESTS["service:start"]),
  message("service:stop", TERMINAL_REQUESTS["service:stop"]),
  message("service:restart", TERMINAL_REQUESTS["service:restart"]),
  message("service:consents", TERMINAL_REQUESTS["service:consents"]),
  message("service:revoke", TERMINAL_REQUESTS["service:revoke"]),
  ...SessionCommand.def.options,
]);
export type ClientMessage = z.infer<typeof ClientMessage>;

/** An answer to a question of a session's agent. */
export type QuestionResponse = Extract<ClientMessage, { type: "elicitation:respond" }>;
