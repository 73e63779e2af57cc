import type { SessionId } from "../../protocol/ids.ts";
import type { PlainServerMessage, Project, ServerMessage } from "../../protocol/server-messages.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import { WRITABLE } from "../../protocol/storage.ts";
import { rowOf, type ShellState } from "./shell-state.ts";

/** Folds every server message into what the sidebar and the tabs show. Pure. */
export function foldShell(state: ShellState, message: ServerMessage): ShellState {
  switch (message.type) {
    case "hello":
      return greeted(state, message);
    case "project:list":
      return withProjects(state, message.projects);
    case "project:added":
      return withProjects(state, [...state.projects.filter(({ id }) => id !== message.project.id), message.project]);
    case "project:removed":
      return withProjects(
        state,
        state.projects.filter(({ id }) => id !== message.projectId),
      );
    case "session:list":
      return listed(state, message);
    case "session:created":
      return withRow(state, message.session);
    case "session:changed":
      return withRow(state, message);
    case "import:progress":
      return {
        ...state,
        sessions: new Map([...state.sessions, ...message.sessions.map((row) => [row.id, row] as const)]),
      };
    case "session:archived":
      return moved(state, message.sessionId, true);
    case "session:unarchived":
      return moved(state, message.sessionId, false);
    case "session:deleted":
      return withoutRow(state, message.sessionId);
    case "session:title-updated":
      return changedRow(state, message.sessionId, { title: message.title });
    case "session:turn":
      return changedRow(state, message.sessionId, { turn: message.turn });
    case "elicitation:request":
      // A session's own questions are shown in its frame.
      return "seq" in message ? state : { ...state, questions: [...state.questions, message] };
    case "elicitation:resolved":
      return { ...state, questions: state.questions.filter((one) => one.elicitationId !== message.elicitationId) };
    case "person:standing":
      return { ...state, person: message.person ?? null };
    case "storage:state":
      return { ...state, storage: message };
    case "schedule:list":
      return { ...state, schedules: new Map(state.schedules).set(message.projectId, message.schedules) };
    case "worktree:list":
      return { ...state, worktrees: new Map(state.worktrees).set(message.projectId, message.worktrees) };
    case "agent:list":
      return { ...state, agents: message.agents };
    case "agent:limits": {
      const { type: _, cliType, requestId: __, ...limits } = message;
      return { ...state, agents: state.agents.map((agent) => (agent.id === cliType ? { ...agent, limits } : agent)) };
    }
    case "agent_status":
      return { ...state, childStatus: new Map(state.childStatus).set(message.agentId, message.status) };
    case "agent:status":
      return withAgentStatus(state, message);
    default:
      return state;
  }
}

type Plain<Type extends PlainServerMessage["type"]> = Extract<PlainServerMessage, { type: Type }>;

function greeted(state: ShellState, message: Plain<"hello">): ShellState {
  const {
    projects,
    agents,
    protocol,
    questions = [],
    ownProcesses = [],
    storage = WRITABLE,
    crashReport = null,
    startProblems = [],
    person = null,
  } = message;
  const ownAgents = new Map(
    ownProcesses.map(({ sessionId, status, message: words, nextTryAt }) => [
      sessionId,
      { status, message: words, nextTryAt },
    ]),
  );
  const awaited = new Set(projects.map(({ id }) => id));
  const standing = { agents, protocol, storage, crashReport, startProblems, awaited, questions, ownAgents, person };
  return { ...withProjects(state, projects), ...standing };
}

function withProjects(state: ShellState, projects: readonly Project[]): ShellState {
  const ids = new Set(projects.map(({ id }) => id));
  const sessions = new Map([...state.sessions].filter(([, row]) => ids.has(row.projectId)));
  const archived = new Map([...state.archived].filter(([, row]) => ids.has(row.projectId)));
  const awaited = state.awaited === null ? null : new Set([...state.awaited].filter((id) => ids.has(id)));
  return { ...state, projects, sessions, archived, awaited };
}

function listed(state: ShellState, { projectId, sessions: rows }: Plain<"session:list">): ShellState {
  const awaited = state.awaited === null ? null : new Set([...state.awaited].filter((id) => id !== projectId));
  const listedAs = (known: ShellState["sessions"], isArchived: boolean) => {
    const others = [...known].filter(([, row]) => row.projectId !== projectId);
    const own = rows.filter(({ archived }) => archived === isArchived).map((row) => [row.id, row] as const);
    return new Map([...others, ...own]);
  };
  return { ...state, awaited, sessions: listedAs(state.sessions, false), archived: listedAs(state.archived, true) };
}

function withRow(state: ShellState, session: SessionRow): ShellState {
  const place = session.archived ? "archived" : "sessions";
  const left = state[session.archived ? "sessions" : "archived"].has(session.id);
  const rest = left ? withoutRow(state, session.id) : state;
  return { ...rest, [place]: new Map(rest[place]).set(session.id, session) };
}

function withoutRow(state: ShellState, id: SessionId): ShellState {
  if (rowOf(state, id) === undefined) return state;
  const others = (known: ShellState["sessions"]) => new Map([...known].filter(([other]) => other !== id));
  return { ...state, sessions: others(state.sessions), archived: others(state.archived) };
}

function moved(state: ShellState, id: SessionId, archived: boolean): ShellState {
  return changedRow(state, id, { archived });
}

function changedRow(state: ShellState, id: SessionId, change: Partial<SessionRow>): ShellState {
  const row = rowOf(state, id);
  return row === undefined ? state : withRow(state, { ...row, ...change });
}

function withAgentStatus(
  state: ShellState,
  { cliType, sessionId, status, message, nextTryAt }: Plain<"agent:status">,
): ShellState {
  if (sessionId !== undefined) {
    return { ...state, ownAgents: new Map(state.ownAgents).set(sessionId, { status, message, nextTryAt }) };
  }
  const agents = state.agents.map((agent) => (agent.id === cliType ? { ...agent, status, message, nextTryAt } : agent));
  return { ...state, agents };
}
