import { z } from "zod/mini";
import { agentSettingsFields, testedFields } from "./agent-settings.ts";
import { ATTEMPT_ANSWERS } from "./attempts.ts";
import { MODEL_ANSWERS } from "./builtin-model.ts";
import { CheckpointId, CheckpointInfo, DirectoryEntry, FilePatch, RestorePreview, UndoId } from "./changes.ts";
import { childrenFields } from "./children.ts";
import { AgentLimits, ContextCounts, OtherWriter } from "./conversations.ts";
import { ChildInfo, ChildStatus } from "./delegation.ts";
import { directoriesFields } from "./directories.ts";
import { Part } from "./entry.ts";
import { ErrorCode } from "./errors.ts";
import { FactBody } from "./facts.ts";
import { CliType, ElicitationId, EntryId, ProjectId, Seq, SessionId } from "./ids.ts";
import { InboxItem, SessionResult } from "./inbox.ts";
import { NOTICE_ANSWERS } from "./notices.ts";
import { OwnStanding } from "./people.ts";
import { AuditEntry, PermissionMode, PolicyRule, PolicyScope, PreviewItem } from "./permission-policy.ts";
import { PersonRef } from "./person-ref.ts";
import { joinLinkFields, placeStandingFields, ShownPlace } from "./places.ts";
import { ProcessTopology } from "./process-topology.ts";
import { Project } from "./project.ts";
import { AgentQuestion, QuestionAction } from "./question.ts";
import { SCHEDULE_ANSWERS } from "./schedules.ts";
import { SearchHit } from "./search.ts";
import {
  AgentStatus,
  ChangesStateMessage,
  FilesFound,
  message,
  SessionHistory,
  SessionPage,
  SessionResumed,
} from "./session-messages.ts";
import { ConfigOption } from "./session-parts.ts";
import { SessionRow } from "./session-schema.ts";
import { SNIPPET_ANSWERS } from "./snippets.ts";
import { StorageState } from "./storage.ts";
import { TERMINAL_ANSWERS } from "./terminals.ts";
import { ToolServer } from "./tool-server.ts";
import { USAGE_ANSWERS } from "./usage.ts";
import { WORKTREE_ANSWERS } from "./worktrees.ts";

export type { Project };

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

export const AgentInfo = z.object({
  id: CliType,
  name: z.string(),
  status: AgentStatus,
  /** Whether it could be started now, and if not, what the user can do. */
  availability: z.enum(["ready", "needs-install", "needs-sign-in", "failed"]),
  message: z.optional(z.string()),
  nextTryAt: NextTryAt,
  /** How its next process is started. */
  process: z.optional(ProcessTopology),
  capabilities: z.record(z.string(), z.boolean()),
  signIn: z.optional(z.array(SignInMethod)),
  /** `agent:sign-out` makes it forget its account. */
  signOut: z.optional(z.literal(true)),
  description: z.optional(z.string()),
  /** What the catalog offers, what of it we installed, and what `agent:rollback` would go back to. */
  version: z.optional(z.string()),
  installedVersion: z.optional(z.string()),
  previousVersion: z.optional(z.string()),
  /** Whether `agent:install` can bring it. */
  installable: z.optional(z.boolean()),
  /** What to do to have it, when it is not there. */
  hint: z.optional(z.string()),
  /** Its account, as far as the agent has reported it. */
  limits: z.optional(AgentLimits),
});
export type AgentInfo = z.infer<typeof AgentInfo>;

/** The owner of a policy; one of the ids is set, by the scope. */
const policyOf = {
  scope: PolicyScope,
  sessionId: z.optional(SessionId),
  projectId: z.optional(ProjectId),
  cliType: z.optional(CliType),
};

/** Which import, and its progress. */
const importOf = { importId: z.string(), projectId: ProjectId, cliType: CliType, total: z.int() };

/** Answers `session:pack`. */
export const SessionPack = message("session:pack", {
  sessionId: SessionId,
  /** Absent: nothing was sent yet. */
  entryId: z.optional(EntryId),
  content: z.string(),
  context: ContextCounts,
});
export type SessionPack = z.infer<typeof SessionPack>;

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
export const ChangesPatch = message("changes:patch", {
  sessionId: SessionId,
  path: z.string(),
  version: z.string(),
  patch: FilePatch,
});
export type ChangesPatch = z.infer<typeof ChangesPatch>;
export const CheckpointPreview = message("checkpoint:preview", { sessionId: SessionId, ...RestorePreview.shape });
export type CheckpointPreview = z.infer<typeof CheckpointPreview>;
/** Answers `files:list`. */
export const FilesListing = message("files:listing", {
  path: z.string(),
  entries: z.array(DirectoryEntry),
  /** More than `entries` holds. */
  total: z.int(),
});
export type FilesListing = z.infer<typeof FilesListing>;
/** Answers `files:read`: a piece of a file, as text; `binary` when it is none. */
export const FilesText = message("files:text", {
  path: z.string(),
  from: z.int(),
  content: z.string(),
  totalBytes: z.int(),
  /** Where the next piece starts; absent at the end. */
  next: z.optional(z.int()),
  binary: z.boolean(),
  /** When it was last changed, as ISO 8601; absent for a file of a checkpoint. */
  modifiedAt: z.optional(z.string()),
});
export type FilesText = z.infer<typeof FilesText>;

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
    /** Problems that the server found at its start, each with advice: invalid settings, a damaged database. */
    startProblems: z.optional(z.array(z.string())),
    /** Who this client is; absent while there is nobody but the owner. */
    person: z.optional(OwnStanding),
  }),
  /** Who this client is, or that there is only the owner now. */
  message("person:standing", { person: z.optional(OwnStanding) }),
  /** Every client is notified when nothing can be stored any more, and when it can again. */
  message("storage:state", StorageState.shape),
  message("project:added", { project: Project }),
  message("project:removed", { projectId: ProjectId }),
  message("project:list", { projects: z.array(Project) }),
  message("directories:list", directoriesFields),
  message("session:list", { projectId: ProjectId, sessions: z.array(SessionRow) }),
  message("session:created", { sessionId: SessionId, projectId: ProjectId, session: SessionRow }),
  message("session:changed", SessionRow.shape),
  message("session:deleted", { sessionId: SessionId }),
  /** Answers `session:handback`: the command that continues the conversation in a terminal. */
  message("session:handed-back", { sessionId: SessionId, command: z.string() }),
  /** Answers `session:children`. */
  message("session:children", childrenFields),
  message("search:results", { hits: z.array(SearchHit) }),
  SessionHistory,
  SessionResumed,
  SessionPage,
  SessionOutput,
  SessionPack,
  /** For followers: who shows the session now. Only where there is more than one person. */
  message("session:presence", { sessionId: SessionId, people: z.array(PersonRef) }),
  message("session:draft", { sessionId: SessionId, content: z.string(), attachments: z.optional(z.array(Part)) }),
  FilesFound,
  ChangesStateMessage,
  ChangesPatch,
  message("checkpoint:list", { sessionId: SessionId, checkpoints: z.array(CheckpointInfo) }),
  CheckpointPreview,
  /** `safety` holds the files as they were before; `undoId` takes it back. */
  message("checkpoint:restored", {
    sessionId: SessionId,
    safety: CheckpointId,
    undoId: UndoId,
    files: z.int(),
    /** The session in which the work continues, if one was requested. */
    newSessionId: z.optional(SessionId),
  }),
  /** `output`: what Git and the user's hooks printed. */
  message("workdir:committed", { sessionId: SessionId, commit: z.string(), output: z.string() }),
  FilesListing,
  FilesText,
  message("agent:status", {
    cliType: CliType,
    sessionId: z.optional(SessionId),
    status: AgentStatus,
    message: z.optional(z.string()),
    nextTryAt: NextTryAt,
  }),
  /** The permissions and questions of all sessions; afterwards facts keep the list current. */
  message("inbox", { items: z.array(InboxItem) }),
  /** Answers `session:results`; sessions without an answer are left out. */
  message("session:results", { results: z.array(SessionResult) }),
  message("agent:list", { agents: z.array(AgentInfo) }),
  message("settings:agents", agentSettingsFields),
  /** Answers `place:list`, and everything that changes them. `path`: the file, `problems`: mistakes in it. */
  message("place:list", { path: z.string(), places: z.array(ShownPlace), problems: z.array(z.string()) }),
  /** Answers `place:invite`. */
  message("place:invited", joinLinkFields),
  /** The connection to a place has changed. */
  message("place:state", { name: z.string(), ...placeStandingFields }),
  /** Answers `settings:test-agent`, `settings:test-server` and `place:check`. */
  message("settings:tested", testedFields),
  /**
   * Answers `agent:options`, `agent:choose` and `agent:favourite`; `currentValue` is what a new session starts with.
   */
  message("agent:options", {
    cliType: CliType,
    options: z.array(ConfigOption),
    /** Models that the user wants to find first. */
    favourites: z.optional(z.array(z.string())),
    /** The model of the session of this agent that was used last. */
    lastModel: z.optional(z.string()),
  }),
  /** How much of an agent's account is used, after a change. */
  message("agent:limits", { cliType: CliType, ...AgentLimits.shape }),
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
  message("terminal:output", TERMINAL_ANSWERS["terminal:output"]),
  message("terminal:exited", { terminalId: z.string(), exitCode: z.nullable(z.int()) }),
  /**
   * `brings`: whether the agent replays the messages, or only remembers them. `isCut`: the list is incomplete.
   * `deletedHere`: the user deleted it here; it is imported only when it is named.
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
        /** Another program has it open now. */
        writer: z.optional(OtherWriter),
      }),
    ),
    known: z.int(),
    isCut: z.boolean(),
  }),
  message("import:started", importOf),
  /** `sessions`: the rows that were added since the last one; every client gets them here instead of one by one. */
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
  /** `mode` is the scope's own, `inherited` the one without it; every client receives changes. */
  message("policy:state", {
    ...policyOf,
    mode: z.nullable(PermissionMode),
    inherited: PermissionMode,
    rules: z.array(PolicyRule),
  }),
  message("policy:previewed", { ...policyOf, items: z.array(PreviewItem) }),
  message("policy:audit", { ...policyOf, entries: z.array(AuditEntry) }),
  /** Every client receives changes. */
  message("mcp:servers", { projectId: ProjectId, servers: z.array(ToolServer) }),
  message("attempts:started", ATTEMPT_ANSWERS["attempts:started"]),
  message("attempts:compared", ATTEMPT_ANSWERS["attempts:compared"]),
  message("attempts:kept", ATTEMPT_ANSWERS["attempts:kept"]),
  message("worktree:list", WORKTREE_ANSWERS["worktree:list"]),
  message("worktree:options", WORKTREE_ANSWERS["worktree:options"]),
  message("worktree:moved", WORKTREE_ANSWERS["worktree:moved"]),
  message("merge:preview", WORKTREE_ANSWERS["merge:preview"]),
  message("merge:committed", WORKTREE_ANSWERS["merge:committed"]),
  message("merge:done", WORKTREE_ANSWERS["merge:done"]),
  message("publish:preview", WORKTREE_ANSWERS["publish:preview"]),
  message("publish:done", WORKTREE_ANSWERS["publish:done"]),
  message("usage:report", USAGE_ANSWERS["usage:report"]),
  message("snippet:list", SNIPPET_ANSWERS["snippet:list"]),
  message("schedule:list", SCHEDULE_ANSWERS["schedule:list"]),
  message("schedule:runs", SCHEDULE_ANSWERS["schedule:runs"]),
  message("schedule:preview", SCHEDULE_ANSWERS["schedule:preview"]),
  message("notify:targets", NOTICE_ANSWERS["notify:targets"]),
  message("model:settings", MODEL_ANSWERS["model:settings"]),
  message("model:tested", MODEL_ANSWERS["model:tested"]),
  message("model:listed", MODEL_ANSWERS["model:listed"]),
  message("terminal:list", TERMINAL_ANSWERS["terminal:list"]),
  message("terminal:attached", TERMINAL_ANSWERS["terminal:attached"]),
  message("service:list", TERMINAL_ANSWERS["service:list"]),
  message("service:consents", TERMINAL_ANSWERS["service:consents"]),
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
