import type { ClientMessage, QuestionResponse } from "../protocol/client-messages.ts";
import { REFUSE, type Refusal } from "../protocol/errors.ts";
import { FILES_FOUND_DEFAULT } from "../protocol/limits.ts";
import type { AgentInfo, PlainServerMessage } from "../protocol/server-messages.ts";
import type { Answer } from "../sessions/answer.ts";
import { inboxItems } from "../sessions/inbox-items.ts";
import type { SessionService } from "../sessions/session-service.ts";
import type { ImportMessage, ImportService } from "../sessions/transfer/import-service.ts";
import type { FileSearch } from "../workspace/file-search.ts";
import type { ProjectService } from "../workspace/project-service.ts";
import type { ProjectTools } from "../workspace/project-tools.ts";

export interface MessageDeps {
  readonly sessions: SessionService;
  readonly projects: ProjectService;
  readonly tools: ProjectTools;
  readonly agents: AgentDirectory;
  readonly files: FileSearch;
  readonly imports: ImportService;
  readonly publish: (message: PlainServerMessage) => void;
}

/** Messages about following a session are the connection's own; everything else is answered here. */
type Answerable = Exclude<ClientMessage, { type: "session:open" | "session:close" | "session:seen" }>;

export async function answerMessage(deps: MessageDeps, message: Answerable): Promise<Answer> {
  const { sessions, agents } = deps;
  if (isImport(message)) return answerImport(deps, message);
  switch (message.type) {
    case "project:list":
    case "directories:list":
    case "project:add":
    case "project:remove":
      return answerAboutProjects(deps, message);
    case "session:list":
      return listSessions(deps, message);
    case "session:children": {
      const children = await sessions.children(message.sessionId);
      return children ? reply(children) : { kind: "refused", refusal: REFUSE.sessionNotFound() };
    }
    case "session:page":
    case "session:output":
      return readSession(deps, message);
    case "session:draft":
      return sessions.saveDraft(message);
    case "search":
      return reply({ type: "search:results", hits: [...sessions.search(message)] });
    case "session:create":
      return sessions.create(message);
    case "session:discard":
      return sessions.discard(message.sessionId);
    case "session:reconnect":
      return agents.reconnect(message);
    case "agent:authenticate":
      return agents.authenticate(message);
    case "agent:install":
    case "agent:uninstall":
    case "agent:rollback":
      return sessions.once(message.commandId, () => agents.install(message));
    case "agent:topology":
      return sessions.once(message.commandId, async () => agents.chooseTopology(message));
    case "agent:install-cancel":
      return agents.install(message);
    case "elicitation:respond":
      return answerQuestion(deps, message);
    case "terminal:input":
    case "terminal:resize":
    case "terminal:close":
      return agents.terminal(message);
    case "files:search":
      return searchFiles(deps, message);
    case "policy:get":
    case "policy:set":
    case "policy:preview":
    case "policy:audit":
      return sessions.policy(message);
    case "mcp:list":
    case "mcp:choose":
      return answerAboutTools(deps, message);
    case "ping":
      return Promise.resolve({ kind: "ok" });
    case "inbox:list":
      return reply({ type: "inbox", items: await inboxItems(sessions.loaded()) });
    case "session:results":
      return reply({ type: "session:results", results: await sessions.results(message.sessionIds) });
    case "agent:list":
      return reply({ type: "agent:list", agents: [...agents.list()] });
    default:
      return sessions.execute(message);
  }
}

function isImport(message: Answerable): message is ImportMessage {
  return message.type.startsWith("import:");
}

/** Starting acts once; asking and stopping may be repeated. */
function answerImport({ sessions, imports }: MessageDeps, message: ImportMessage): Promise<Answer> {
  if (message.type !== "import:start") return imports.answer(message);
  return sessions.once(message.commandId, () => imports.answer(message));
}

/** Pieces of what was said: older entries, or more of a long output. */
async function readSession(
  { sessions }: MessageDeps,
  message: Extract<Answerable, { type: "session:page" | "session:output" }>,
): Promise<Answer> {
  if (!(await sessions.exists(message.sessionId))) return { kind: "refused", refusal: REFUSE.sessionNotFound() };
  const isPage = message.type === "session:page";
  const read = await (isPage ? sessions.page(message) : sessions.output(message));
  if (read) return reply(read);
  const problem = isPage ? "before, until: no such entry" : "entryId: no such output";
  return { kind: "refused", refusal: REFUSE.invalidMessage(problem) };
}

async function listSessions(
  { sessions }: MessageDeps,
  message: Extract<Answerable, { type: "session:list" }>,
): Promise<Answer> {
  const { projectId, includeArchived = false } = message;
  const rows = await sessions.list(projectId, includeArchived);
  if (!rows) return { kind: "refused", refusal: REFUSE.projectNotFound() };
  return reply({ type: "session:list", projectId, sessions: [...rows] });
}

type AboutProjects = Extract<Answerable, { type: "directories:list" | `project:${string}` }>;

async function answerAboutProjects(deps: MessageDeps, message: AboutProjects): Promise<Answer> {
  const { sessions, projects } = deps;
  switch (message.type) {
    case "project:list":
      return reply({ type: "project:list", projects: [...projects.list()] });
    case "directories:list":
      return reply({ type: "directories:list", ...(await projects.directories(message.path)) });
    case "project:add":
      return sessions.once(message.commandId, () => addProject(deps, message.path));
    case "project:remove":
      return sessions.once(message.commandId, async () => removeProject(deps, message.projectId));
    default:
      return message satisfies never;
  }
}

function reply(message: PlainServerMessage): Answer {
  return { kind: "message", message, published: false };
}

/** A question of a session's is answered by that session, even when the answer leaves out whose it is. */
function answerQuestion({ sessions, agents }: MessageDeps, response: QuestionResponse): Promise<Answer> {
  const sessionId = sessions.askerOf(response);
  if (sessionId !== null) return sessions.execute({ ...response, sessionId });
  return sessions.once(response.commandId, async () => agents.respond(response));
}

async function addProject(deps: MessageDeps, path: string): Promise<Answer> {
  const added = await deps.projects.add(path);
  if (!added.ok) return { kind: "refused", refusal: added.refusal };
  return announce(deps, { type: "project:added", project: added.project });
}

function removeProject(deps: MessageDeps, projectId: Parameters<ProjectService["remove"]>[0]): Answer {
  if (!deps.projects.remove(projectId)) return { kind: "refused", refusal: REFUSE.projectNotFound() };
  return announce(deps, { type: "project:removed", projectId });
}

async function searchFiles(
  deps: MessageDeps,
  message: Extract<ClientMessage, { type: "files:search" }>,
): Promise<Answer> {
  const { sessionId, projectId, query, limit = FILES_FOUND_DEFAULT } = message;
  const refused = (refusal: Refusal): Answer => ({ kind: "refused", refusal });
  if ((sessionId === undefined) === (projectId === undefined))
    return refused(REFUSE.invalidMessage("sessionId: pass either a session or a project to search in"));
  const root =
    sessionId === undefined
      ? (deps.projects.list().find(({ id }) => id === projectId)?.path ?? null)
      : await deps.sessions.cwdOf(sessionId);
  if (root === null) return refused(sessionId === undefined ? REFUSE.projectNotFound() : REFUSE.sessionNotFound());
  try {
    const found = await deps.files.search(root, query, limit);
    return reply({
      type: "files:found",
      ...(sessionId !== undefined && { sessionId }),
      ...(projectId !== undefined && { projectId }),
      query,
      ...found,
    });
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return refused(REFUSE.projectPathInvalid(`Cannot read ${root}. Check that the directory still exists.`));
  }
}

function announce(deps: MessageDeps, message: PlainServerMessage): Answer {
  deps.publish(message);
  return { kind: "message", message, published: true };
}

interface ToolDeps {
  readonly projects: ProjectService;
  readonly tools: ProjectTools;
  readonly publish: (message: PlainServerMessage) => void;
}

/** The user's tool servers in a project: which there are, and switching one on or off. */
function answerAboutTools(
  { projects, tools, publish }: ToolDeps,
  message: Extract<ClientMessage, { type: "mcp:list" | "mcp:choose" }>,
): Answer {
  const { projectId } = message;
  if (!projects.list().some(({ id }) => id === projectId))
    return { kind: "refused", refusal: REFUSE.projectNotFound() };
  const isKnown = message.type === "mcp:list" || tools.choose(projectId, message.name, message.enabled);
  if (!isKnown) return { kind: "refused", refusal: REFUSE.invalidMessage("name: config.json has no such tool server") };
  const state: PlainServerMessage = { type: "mcp:servers", projectId, servers: [...tools.list(projectId)] };
  const published = message.type === "mcp:choose";
  if (published) publish(state);
  return { kind: "message", message: state, published };
}

type Reconnect = Extract<ClientMessage, { type: "session:reconnect" }>;

export type Authenticate = Extract<ClientMessage, { type: "agent:authenticate" }>;
export type InstallMessage = Extract<
  ClientMessage,
  { type: "agent:install" | "agent:install-cancel" | "agent:uninstall" | "agent:rollback" }
>;
type ChooseTopology = Extract<ClientMessage, { type: "agent:topology" }>;
export type TerminalMessage = Extract<ClientMessage, { type: `terminal:${string}` }>;

/** What a client may ask about agents as such, apart from any session. */
export interface AgentDirectory {
  list(): readonly AgentInfo[];
  /** Answers `reconnecting` at once, and how it went when that is known. */
  reconnect(message: Reconnect): Promise<Answer>;
  /** Walks one of the agent's own sign-in methods; `terminal:opened` when that happens in a terminal. */
  authenticate(message: Authenticate): Promise<Answer>;
  terminal(message: TerminalMessage): Answer;
  /** Every client gets the new list. */
  chooseTopology(message: ChooseTopology): Answer;
  /** The user's answer to a question that belongs to no session. */
  respond(response: QuestionResponse): Answer;
  /** Answers when it is done; how far it is comes to everyone on the way. */
  install(message: InstallMessage): Promise<Answer>;
}
