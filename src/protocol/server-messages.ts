import { z } from "zod/mini";
import { childrenFields } from "./children.ts";
import { ChildInfo, ChildStatus } from "./delegation.ts";
import { directoriesFields } from "./directories.ts";
import { Entry, Part } from "./entry.ts";
import { ErrorCode } from "./errors.ts";
import { FactBody } from "./facts.ts";
import { CliType, ElicitationId, EntryId, ProjectId, Seq, SessionId } from "./ids.ts";
import { InboxItem, SessionResult } from "./inbox.ts";
import { AuditEntry, PermissionMode, PolicyRule, PolicyScope, PreviewItem } from "./permission-policy.ts";
import { AgentQuestion, QuestionAction } from "./question.ts";
import { SearchHit } from "./search.ts";
import { SessionFields, SessionRow } from "./session-schema.ts";
import { StorageState } from "./storage.ts";
import { ToolServer } from "./tool-server.ts";

export const Project = z.object({ id: ProjectId, path: z.string(), name: z.string(), addedAt: z.string() });
export type Project = z.infer<typeof Project>;

export const AgentStatus = z.enum(["idle", "starting", "connected", "disconnected", "reconnecting"]);
export type AgentStatus = z.infer<typeof AgentStatus>;

/** `agent`: it signs in by itself when asked; `terminal`: its own login runs in a terminal; `environment`: a variable to set. */
export const SignInMethod = z.object({
  id: z.string(),
  name: z.string(),
  description: z.optional(z.string()),
  kind: z.enum(["agent", "terminal", "environment"]),
});
export type SignInMethod = z.infer<typeof SignInMethod>;

/** While a crashed agent waits to be started again: when that is, as ISO 8601. */
const NextTryAt = z.optional(z.string());

/** How the process of one session alone stands. */
export const OwnProcess = z.object({
  cliType: CliType,
  sessionId: SessionId,
  status: AgentStatus,
  message: z.optional(z.string()),
  nextTryAt: NextTryAt,
});
export type OwnProcess = z.infer<typeof OwnProcess>;

/** One process for all sessions of an agent, or one for each. */
export const ProcessTopology = z.enum(["shared", "per-session"]);
export type ProcessTopology = z.infer<typeof ProcessTopology>;

export const AgentInfo = z.object({
  id: CliType,
  name: z.string(),
  status: AgentStatus,
  /** Whether it could be started now, and if not, what the user can do about it. */
  availability: z.enum(["ready", "needs-install", "needs-sign-in", "failed"]),
  message: z.optional(z.string()),
  nextTryAt: NextTryAt,
  /** How its next process is started. */
  process: z.optional(ProcessTopology),
  capabilities: z.record(z.string(), z.boolean()),
  signIn: z.optional(z.array(SignInMethod)),
  description: z.optional(z.string()),
  /** What the catalog offers, what of it we installed, and what `agent:rollback` would go back to. */
  version: z.optional(z.string()),
  installedVersion: z.optional(z.string()),
  previousVersion: z.optional(z.string()),
  /** Whether `agent:install` can bring it. */
  installable: z.optional(z.boolean()),
  /** What to do to have it, when it is not there. */
  hint: z.optional(z.string()),
});
export type AgentInfo = z.infer<typeof AgentInfo>;

/** What a follower needs besides the entries to stand where the session stands. */
const standing = {
  sessionId: SessionId,
  ...SessionFields.shape,
  draft: z.optional(z.string()),
  draftAttachments: z.optional(z.array(Part)),
};

/** Whose policy a message is about; one of the ids, by the scope. */
const policyOf = {
  scope: PolicyScope,
  sessionId: z.optional(SessionId),
  projectId: z.optional(ProjectId),
  cliType: z.optional(CliType),
};

/** Which import, how far it is. */
const importOf = { importId: z.string(), projectId: ProjectId, cliType: CliType, total: z.int() };

const message = <Type extends string, Shape extends z.core.$ZodShape>(type: Type, shape: Shape) =>
  z.object({ type: z.literal(type), requestId: z.optional(z.string()), ...shape });

export const SessionHistory = message("session:history", {
  ...standing,
  entries: z.array(Entry),
  hasMore: z.boolean(),
});
export type SessionHistory = z.infer<typeof SessionHistory>;
export const SessionResumed = message("session:resumed", standing);
export type SessionResumed = z.infer<typeof SessionResumed>;
export const SessionPage = message("session:page", {
  sessionId: SessionId,
  before: EntryId,
  entries: z.array(Entry),
  hasMore: z.boolean(),
});
export type SessionPage = z.infer<typeof SessionPage>;

/** A piece of a text that was too long for its entry; `part` as it was asked for. */
export const SessionOutput = message("session:output", {
  sessionId: SessionId,
  entryId: EntryId,
  part: z.optional(z.int()),
  from: z.int(),
  content: z.string(),
  totalChars: z.int(),
});
export type SessionOutput = z.infer<typeof SessionOutput>;
/** Answers `files:search`; `isPartial` when the directory holds more files than are looked at. */
export const FilesFound = message("files:found", {
  sessionId: z.optional(SessionId),
  projectId: z.optional(ProjectId),
  query: z.string(),
  files: z.array(z.object({ path: z.string(), uri: z.string() })),
  isPartial: z.boolean(),
});
export type FilesFound = z.infer<typeof FilesFound>;

/** A fact of an agent that was started by another one. */
const ChildUpdate = z.intersection(z.object({ seq: Seq }), FactBody);

/** Messages that are not facts: greetings, answers, lists and states. */
export const PlainServerMessage = z.discriminatedUnion("type", [
  message("hello", {
    version: z.string(),
    protocol: z.int(),
    projects: z.array(Project),
    agents: z.array(AgentInfo),
    /** Of agents that have a process for each session. */
    ownProcesses: z.optional(z.array(OwnProcess)),
    /** Questions of agents that belong to no session. */
    questions: z.optional(z.array(AgentQuestion)),
    storage: z.optional(StorageState),
    /** The newest report of a run that ended unexpectedly, by its name. */
    crashReport: z.optional(z.string()),
    /** What the server found wrong at its start, each with what to do: settings it cannot use, a damaged database. */
    startProblems: z.optional(z.array(z.string())),
  }),
  /** Every client hears when nothing can be stored any more, and when it can again. */
  message("storage:state", StorageState.shape),
  message("project:added", { project: Project }),
  message("project:removed", { projectId: ProjectId }),
  message("project:list", { projects: z.array(Project) }),
  message("directories:list", directoriesFields),
  message("session:list", { projectId: ProjectId, sessions: z.array(SessionRow) }),
  message("session:created", { sessionId: SessionId, projectId: ProjectId, session: SessionRow }),
  message("session:changed", SessionRow.shape),
  message("session:deleted", { sessionId: SessionId }),
  /** Answers `session:children`. */
  message("session:children", childrenFields),
  message("search:results", { hits: z.array(SearchHit) }),
  SessionHistory,
  SessionResumed,
  SessionPage,
  SessionOutput,
  message("session:draft", { sessionId: SessionId, content: z.string(), attachments: z.optional(z.array(Part)) }),
  FilesFound,
  message("agent:status", {
    cliType: CliType,
    sessionId: z.optional(SessionId),
    status: AgentStatus,
    message: z.optional(z.string()),
    nextTryAt: NextTryAt,
  }),
  /** The permissions and questions of all sessions; from then on the facts keep it current. */
  message("inbox", { items: z.array(InboxItem) }),
  /** Answers `session:results`; a session that has said nothing is left out. */
  message("session:results", { results: z.array(SessionResult) }),
  message("agent:list", { agents: z.array(AgentInfo) }),
  /** An agent was started by a session's agent, or, with no parent, by a program outside. */
  message("agent_created", { parentSessionId: z.nullable(SessionId), agentId: SessionId, info: ChildInfo }),
  /** For followers of the parent: a fact of the child. */
  message("agent_update", { parentSessionId: z.nullable(SessionId), agentId: SessionId, update: ChildUpdate }),
  message("agent_status", {
    parentSessionId: z.nullable(SessionId),
    agentId: SessionId,
    status: ChildStatus,
    info: ChildInfo,
  }),
  /** The last one of each install has the phase `done`, `failed` or `cancelled`. */
  message("agent:install-progress", {
    cliType: CliType,
    phase: z.enum(["preparing", "downloading", "testing", "switching", "done", "failed", "cancelled"]),
    progress: z.number().check(z.minimum(0), z.maximum(1)),
    message: z.string(),
  }),
  /** Without a session; a session's own are facts of its log. */
  message("elicitation:request", AgentQuestion.shape),
  message("elicitation:resolved", { elicitationId: ElicitationId, action: QuestionAction }),
  message("terminal:opened", { terminalId: z.string(), title: z.string() }),
  message("terminal:output", { terminalId: z.string(), data: z.string() }),
  message("terminal:exited", { terminalId: z.string(), exitCode: z.nullable(z.int()) }),
  /**
   * `brings`: whether the agent repeats what was said, or only remembers it. `isCut`: there are more than it told.
   * `deletedHere`: the user had it and deleted it; it comes back only when it is named.
   */
  message("import:found", {
    projectId: ProjectId,
    cliType: CliType,
    brings: z.enum(["words", "memory"]),
    sessions: z.array(
      z.object({
        agentSessionId: z.string(),
        title: z.optional(z.string()),
        updatedAt: z.optional(z.string()),
        deletedHere: z.optional(z.boolean()),
      }),
    ),
    known: z.int(),
    isCut: z.boolean(),
  }),
  message("import:started", importOf),
  /** `sessions`: the rows that were added since the last one; every client hears of them here and not one by one. */
  message("import:progress", { ...importOf, done: z.int(), sessions: z.array(SessionRow) }),
  message("import:done", {
    ...importOf,
    adopted: z.int(),
    known: z.int(),
    cancelled: z.boolean(),
    failedCount: z.int(),
    failed: z.array(z.object({ agentSessionId: z.string(), title: z.optional(z.string()), message: z.string() })),
    problem: z.optional(z.string()),
  }),
  /** `mode` is the scope's own, `inherited` what holds without it; every client hears of a change. */
  message("policy:state", {
    ...policyOf,
    mode: z.nullable(PermissionMode),
    inherited: PermissionMode,
    rules: z.array(PolicyRule),
  }),
  message("policy:previewed", { ...policyOf, items: z.array(PreviewItem) }),
  message("policy:audit", { ...policyOf, entries: z.array(AuditEntry) }),
  /** Every client hears of a change. */
  message("mcp:servers", { projectId: ProjectId, servers: z.array(ToolServer) }),
  message("ok", { seq: z.optional(Seq) }),
  message("error", {
    code: ErrorCode,
    message: z.string(),
    details: z.optional(z.string()),
    /** What is wrong with an answer, by the name of the field. */
    fields: z.optional(z.record(z.string(), z.string())),
    sessionId: z.optional(SessionId),
    cliType: z.optional(CliType),
  }),
]);
export type PlainServerMessage = z.infer<typeof PlainServerMessage>;
export const PLAIN_TYPES: readonly PlainServerMessage["type"][] = PlainServerMessage.def.options.flatMap(
  (option) => option.shape.type.def.values,
);

/** A fact on the wire: its body and its place. The requester's copy of an answer repeats the `requestId`. */
export const FactMessage = z.intersection(
  z.object({ sessionId: SessionId, seq: Seq, requestId: z.optional(z.string()) }),
  FactBody,
);
export type FactMessage = FactBody & { sessionId: SessionId; seq: number; requestId?: string | undefined };

export type ServerMessage = PlainServerMessage | FactMessage;
