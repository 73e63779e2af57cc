import type { ChildStatus } from "../../protocol/delegation.ts";
import type { CliType, ProjectId, SessionId } from "../../protocol/ids.ts";
import type { AgentQuestion } from "../../protocol/question.ts";
import type { AgentInfo, AgentStatus, Project } from "../../protocol/server-messages.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import { type StorageState, WRITABLE } from "../../protocol/storage.ts";

export interface AgentStanding {
  readonly status: AgentStatus;
  readonly message?: string | undefined;
  /** While it waits to be started again: when that is. */
  readonly nextTryAt?: string | undefined;
  /** The code of the error, when it could not be started for a new session. */
  readonly startFailure?: string | undefined;
}

/** The server state that sidebar and tabs show. Plain data, folded from messages. */
export interface ShellState {
  /** In order of adding. */
  readonly projects: readonly Project[];
  readonly sessions: ReadonlyMap<SessionId, SessionRow>;
  /** Archived ones, as far as they were asked for. */
  readonly archived: ReadonlyMap<SessionId, SessionRow>;
  readonly agents: readonly AgentInfo[];
  /** Sessions whose agent is a process of their own, and how that one stands. */
  readonly ownAgents: ReadonlyMap<SessionId, AgentStanding>;
  /** Of agents that a session started, as far as it changed since this page was opened. */
  readonly childStatus: ReadonlyMap<SessionId, ChildStatus>;
  /** Projects whose sessions are still asked for; null before the server's greeting. */
  readonly awaited: ReadonlySet<ProjectId> | null;
  readonly protocol: number | null;
  readonly storage: StorageState;
  /** The report of a run that ended unexpectedly, until it is deleted. */
  readonly crashReport: string | null;
  /** What the server found wrong at its start. */
  readonly startProblems: readonly string[];
  /** Questions of agents that belong to no session, oldest first. */
  readonly questions: readonly AgentQuestion[];
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
  questions: [],
};

/** True when the sessions of every project are loaded: only then a missing one does not exist. */
export function isComplete(state: ShellState): boolean {
  return state.awaited !== null && state.awaited.size === 0;
}

export function archivedOf(state: ShellState, projectId: ProjectId): readonly SessionRow[] {
  return [...state.archived.values()].filter((row) => row.projectId === projectId).sort(newestFirst);
}

/** A session that is known here, archived or not. */
export function rowOf({ sessions, archived }: ShellState, id: SessionId): SessionRow | undefined {
  return sessions.get(id) ?? archived.get(id);
}

/** Most recent activity first; equal times keep a stable order by id. */
export function newestFirst(a: SessionRow, b: SessionRow): number {
  return compare(b.lastActiveAt, a.lastActiveAt) || compare(a.id, b.id);
}

export function agentOf(state: ShellState, cliType: CliType): AgentInfo | undefined {
  return state.agents.find(({ id }) => id === cliType);
}

/** How the agent behind a session stands: its own process when it has one, else the one it shares. */
export function agentStandingOf(state: ShellState, session: SessionRow): AgentStanding {
  const own = state.ownAgents.get(session.id);
  const agent = agentOf(state, session.cliType);
  // A process of its own that has ended says nothing about the shared one that serves the session since.
  const isOwn = own !== undefined && (own.status !== "idle" || agent?.process !== "shared");
  const standing = (isOwn ? own : agent) ?? { status: "idle" };
  const { start } = session;
  // The process may be there already: for a new session the agent is there when it holds the conversation.
  if (start?.state === "starting") return { status: "starting", message: startingMessage(standing) };
  if (start?.state === "failed")
    return { status: "disconnected", message: start.error.message, startFailure: start.error.code };
  return standing;
}

/** What is said of a slow start. */
function startingMessage({ status, message }: AgentStanding): string | undefined {
  return status === "starting" ? message : undefined;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
