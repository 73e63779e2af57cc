import type { ChildStatus } from "../../protocol/delegation.ts";
import type { CliType, ProjectId, SessionId } from "../../protocol/ids.ts";
import type { OwnStanding } from "../../protocol/people.ts";
import { canAt, type PlaceCapability } from "../../protocol/place-capabilities.ts";
import { splitPlace } from "../../protocol/place-path.ts";
import type { AgentQuestion } from "../../protocol/question.ts";
import type { Schedule } from "../../protocol/schedules.ts";
import type { AgentInfo, Project } from "../../protocol/server-messages.ts";
import type { AgentStatus } from "../../protocol/session-messages.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import { type StorageState, WRITABLE } from "../../protocol/storage.ts";
import type { Worktree } from "../../protocol/worktrees.ts";

export interface AgentState {
  readonly status: AgentStatus;
  readonly message?: string | undefined;
  /** When it is restarted automatically, if scheduled. */
  readonly nextTryAt?: string | undefined;
  /** The error code if it could not be started for a new session. */
  readonly startFailure?: string | undefined;
}

/** The server state that sidebar and tabs show. Plain data, folded from messages. */
export interface ShellState {
  /** In order of adding. */
  readonly projects: readonly Project[];
  readonly sessions: ReadonlyMap<SessionId, SessionRow>;
  /** Archived ones, as far as they were requested. */
  readonly archived: ReadonlyMap<SessionId, SessionRow>;
  readonly agents: readonly AgentInfo[];
  /** Sessions with their own agent process, and its state. */
  readonly ownAgents: ReadonlyMap<SessionId, AgentState>;
  /** Of agents that a session started, as far as it changed since this page was opened. */
  readonly childStatus: ReadonlyMap<SessionId, ChildStatus>;
  /** Projects whose sessions are still loading; null before the server's greeting. */
  readonly awaited: ReadonlySet<ProjectId> | null;
  readonly protocol: number | null;
  readonly storage: StorageState;
  /** The report of a run that ended unexpectedly, until it is deleted. */
  readonly crashReport: string | null;
  /** Problems found at the server's start. */
  readonly startProblems: readonly string[];
  /** Who this page is; null while there is only the owner. */
  readonly person: OwnStanding | null;
  /** Questions of agents outside any session, oldest first. */
  readonly questions: readonly AgentQuestion[];
  /** Of the projects whose schedules were asked for. */
  readonly schedules: ReadonlyMap<ProjectId, readonly Schedule[]>;
  /** Of the projects whose worktrees were asked for. */
  readonly worktrees: ReadonlyMap<ProjectId, readonly Worktree[]>;
}

export const EMPTY_SHELL: ShellState = {
  projects: [],
  sessions: new Map(),
  archived: new Map(),
  agents: [],
  ownAgents: new Map(),
  childStatus: new Map(),
  awaited: null,
  protocol: null,
  storage: WRITABLE,
  crashReport: null,
  startProblems: [],
  person: null,
  questions: [],
  schedules: new Map(),
  worktrees: new Map(),
};

/** True when the sessions of every project are loaded: only then a missing one does not exist. */
export function isComplete(state: ShellState): boolean {
  return state.awaited !== null && state.awaited.size === 0;
}

export function archivedOf(state: ShellState, projectId: ProjectId): readonly SessionRow[] {
  return [...state.archived.values()].filter((row) => row.projectId === projectId).sort(newestFirst);
}

/** A known session, archived or not. */
export function rowOf({ sessions, archived }: ShellState, id: SessionId): SessionRow | undefined {
  return sessions.get(id) ?? archived.get(id);
}

/** Whether it works where the project is, which may be another machine. */
export function canIn({ projects }: ShellState, projectId: ProjectId, capability: PlaceCapability): boolean {
  return canAt(projects.find(({ id }) => id === projectId)?.path ?? "", capability);
}

/** The name of the machine that the project is on; null for this one. */
export function placeNameOf({ projects }: ShellState, projectId: ProjectId): string | null {
  return splitPlace(projects.find(({ id }) => id === projectId)?.path ?? "")?.place ?? null;
}

/** The known overlaps of the worktree that a session works in. */
export function worktreeOf({ worktrees }: ShellState, row: SessionRow): Worktree | undefined {
  const id = row.worktree?.worktreeId;
  return id && worktrees.get(row.projectId)?.find(({ worktreeId }) => worktreeId === id);
}

/** Where a session works; empty while that is not known. */
export function directoryOf(state: ShellState, row: SessionRow): string {
  const worktree = worktreeOf(state, row);
  return worktree?.cwd ?? worktree?.path ?? state.projects.find(({ id }) => id === row.projectId)?.path ?? "";
}

/** Most recent activity first; equal times keep a stable order by id. */
export function newestFirst(a: SessionRow, b: SessionRow): number {
  return compare(b.lastActiveAt, a.lastActiveAt) || compare(a.id, b.id);
}

export function agentOf(state: ShellState, cliType: CliType): AgentInfo | undefined {
  return state.agents.find(({ id }) => id === cliType);
}

/** The state of the agent behind a session: its own process if it has one, otherwise the shared one. */
export function agentStateOf(state: ShellState, session: SessionRow): AgentState {
  const own = state.ownAgents.get(session.id);
  const agent = agentOf(state, session.cliType);
  // The state of an ended own process does not apply to the shared one that serves the session now.
  const isOwn = own !== undefined && (own.status !== "idle" || agent?.process !== "shared");
  const standing = (isOwn ? own : agent) ?? { status: "idle" };
  const { start } = session;
  // The process may be running already: a new session's agent is ready once it has the conversation.
  if (start?.state === "starting") return { status: "starting", message: startingMessage(standing) };
  if (start?.state === "failed")
    return { status: "disconnected", message: start.error.message, startFailure: start.error.code };
  return standing;
}

/** The message of a slow start. */
function startingMessage({ status, message }: AgentState): string | undefined {
  return status === "starting" ? message : undefined;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
