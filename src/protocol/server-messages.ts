import { z } from "zod";
import { Entry } from "./entry.ts";
import { ErrorCode } from "./errors.ts";
import { FactBody, Seq } from "./facts.ts";
import { CliType, EntryId, ProjectId, SessionId } from "./ids.ts";
import { AuditEntry, PermissionMode, PolicyRule, PolicyScope, PreviewItem } from "./permission-policy.ts";
import { PendingPermission, QueueItem, SessionConfig, Turn } from "./session-parts.ts";

export const Project = z.object({ id: ProjectId, path: z.string(), name: z.string(), addedAt: z.string() });
export type Project = z.infer<typeof Project>;

export const SessionRow = z.object({
  id: SessionId,
  projectId: ProjectId,
  title: z.string(),
  lastActiveAt: z.string(),
  createdAt: z.string(),
  cliType: CliType,
  archived: z.boolean(),
  turn: Turn,
  parentId: SessionId.optional(),
  unread: z.boolean().optional(),
});
export type SessionRow = z.infer<typeof SessionRow>;

export const AgentStatus = z.enum(["idle", "starting", "connected", "disconnected", "reconnecting"]);
export type AgentStatus = z.infer<typeof AgentStatus>;

/** `agent`: it signs in by itself when asked; `terminal`: its own login runs in a terminal; `environment`: a variable to set. */
export const SignInMethod = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  kind: z.enum(["agent", "terminal", "environment"]),
});
export type SignInMethod = z.infer<typeof SignInMethod>;

/** A page the agent asks the user to visit; nothing is opened before the user says so. */
export const PageRequest = z.object({
  elicitationId: z.string(),
  cliType: CliType,
  agentName: z.string(),
  message: z.string(),
  url: z.string(),
});
export type PageRequest = z.infer<typeof PageRequest>;

const ConsentAction = z.enum(["accept", "decline", "cancel"]);

export const AgentInfo = z.object({
  id: CliType,
  name: z.string(),
  status: AgentStatus,
  /** Whether it could be started now, and if not, what the user can do about it. */
  availability: z.enum(["ready", "needs-install", "needs-sign-in"]),
  message: z.string().optional(),
  capabilities: z.record(z.string(), z.boolean()),
  signIn: z.array(SignInMethod).optional(),
  description: z.string().optional(),
  /** What the catalog offers, what of it we installed, and what `agent:rollback` would go back to. */
  version: z.string().optional(),
  installedVersion: z.string().optional(),
  previousVersion: z.string().optional(),
  /** Whether `agent:install` can bring it. */
  installable: z.boolean().optional(),
  /** What to do to have it, when it is not there. */
  hint: z.string().optional(),
});
export type AgentInfo = z.infer<typeof AgentInfo>;

/** What a follower needs besides the entries to stand where the session stands. */
const standing = {
  sessionId: SessionId,
  seq: Seq,
  turn: Turn,
  pending: z.array(PendingPermission),
  queue: z.array(QueueItem),
  queuePaused: z.boolean(),
  config: SessionConfig,
  title: z.string(),
  titleSource: z.enum(["none", "derived", "agent", "user"]),
  archived: z.boolean(),
  draft: z.string().optional(),
};

/** Whose policy a message is about; one of the ids, by the scope. */
const policyOf = {
  scope: PolicyScope,
  sessionId: SessionId.optional(),
  projectId: ProjectId.optional(),
  cliType: CliType.optional(),
};

const message = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.object({ type: z.literal(type), requestId: z.string().optional(), ...shape });

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

/** Messages that are not facts: greetings, answers, lists and states. */
export const PlainServerMessage = z.discriminatedUnion("type", [
  message("hello", {
    version: z.string(),
    protocol: z.int(),
    projects: z.array(Project),
    agents: z.array(AgentInfo),
    pageRequests: z.array(PageRequest).optional(),
  }),
  message("project:added", { project: Project }),
  message("project:removed", { projectId: ProjectId }),
  message("project:list", { projects: z.array(Project) }),
  message("session:list", { projectId: ProjectId, sessions: z.array(SessionRow) }),
  message("session:created", { sessionId: SessionId, projectId: ProjectId, session: SessionRow }),
  message("session:changed", SessionRow.shape),
  SessionHistory,
  SessionResumed,
  SessionPage,
  message("session:draft", { sessionId: SessionId, content: z.string() }),
  message("agent:status", {
    cliType: CliType,
    sessionId: SessionId.optional(),
    status: AgentStatus,
    message: z.string().optional(),
  }),
  message("agent:list", { agents: z.array(AgentInfo) }),
  /** The last one of each install has the phase `done`, `failed` or `cancelled`. */
  message("agent:install-progress", {
    cliType: CliType,
    phase: z.enum(["preparing", "downloading", "testing", "switching", "done", "failed", "cancelled"]),
    progress: z.number().min(0).max(1),
    message: z.string(),
  }),
  message("elicitation:request", { mode: z.literal("url"), ...PageRequest.shape }),
  message("elicitation:resolved", { elicitationId: z.string(), action: ConsentAction }),
  message("terminal:opened", { terminalId: z.string(), title: z.string() }),
  message("terminal:output", { terminalId: z.string(), data: z.string() }),
  message("terminal:exited", { terminalId: z.string(), exitCode: z.int().nullable() }),
  /** `mode` is the scope's own, `inherited` what holds without it; every client hears of a change. */
  message("policy:state", {
    ...policyOf,
    mode: PermissionMode.nullable(),
    inherited: PermissionMode,
    rules: z.array(PolicyRule),
  }),
  message("policy:previewed", { ...policyOf, items: z.array(PreviewItem) }),
  message("policy:audit", { ...policyOf, entries: z.array(AuditEntry) }),
  message("ok", { seq: Seq.optional() }),
  message("error", {
    code: ErrorCode,
    message: z.string(),
    details: z.string().optional(),
    sessionId: SessionId.optional(),
    cliType: CliType.optional(),
  }),
]);
export type PlainServerMessage = z.infer<typeof PlainServerMessage>;

/** A fact on the wire: its body and its place. The requester's copy of an answer repeats the `requestId`. */
export const FactMessage = z.intersection(
  z.object({ sessionId: SessionId, seq: Seq, requestId: z.string().optional() }),
  FactBody,
);
export type FactMessage = FactBody & { sessionId: SessionId; seq: number; requestId?: string | undefined };

export type ServerMessage = PlainServerMessage | FactMessage;
