import type { FirstUse } from "../lib/first-use.ts";
import type { ClientMessage, QuestionResponse } from "../protocol/client-messages.ts";
import { REFUSE, type Refusal, RefusalError } from "../protocol/errors.ts";
import type { ProjectId } from "../protocol/ids.ts";
import { FILES_FOUND_DEFAULT } from "../protocol/limits.ts";
import type { PersonRef } from "../protocol/person-ref.ts";
import type { AgentInfo, PlainServerMessage } from "../protocol/server-messages.ts";
import type { Answer } from "../sessions/answer.ts";
import type { Attempts } from "../sessions/attempts.ts";
import type { FileChanges } from "../sessions/file-changes.ts";
import { inboxItems } from "../sessions/inbox-items.ts";
import type { ScheduleService } from "../sessions/schedules/schedule-service.ts";
import type { SessionService } from "../sessions/session-service.ts";
import type { SnippetService } from "../sessions/snippet-service.ts";
import type { ImportMessage, ImportService } from "../sessions/transfer/import-service.ts";
import type { UsageReports } from "../sessions/usage-reports.ts";
import type { WorktreeService } from "../sessions/worktree-service.ts";
import type { FileSearch } from "../workspace/file-search.ts";
import type { ProjectService } from "../workspace/project-service.ts";
import type { ProjectTools } from "../workspace/project-tools.ts";

export interface MessageDeps {
  readonly sessions: SessionService;
  readonly projects: ProjectService;
  readonly tools: ProjectTools;
  readonly agents: AgentDirectory;
  readonly files: Pick<FileSearch, "search">;
  readonly changes: FileChanges;
  readonly worktrees: Pick<WorktreeService, "answer">;
  readonly attempts: FirstUse<Attempts>;
  /** Other machines where agents run, as config.json names them. */
  readonly places: { answer(message: AboutPlaces): Promise<Answer> };
  readonly terminals: TerminalDirectory;
  readonly schedules: Pick<ScheduleService, "answer">;
  readonly services: {
    answer(message: ServiceMessage): Promise<Answer>;
    consents(message: ConsentMessage): Promise<Answer>;
  };
  readonly snippets: Pick<SnippetService, "answer">;
  readonly usage: Pick<UsageReports, "answer">;
  readonly notices: { answer(message: NoticeMessage): Promise<Answer> };
  readonly builtinModel: { answer(message: ModelMessage): Promise<Answer> };
  readonly imports: FirstUse<ImportService>;
  readonly publish: (message: PlainServerMessage) => void;
}

/** Messages about following a session are handled by the connection; all others are answered here. */
type Answerable = Exclude<
  ClientMessage,
  {
    type:
      | "session:open"
      | "session:close"
      | "session:seen"
      | "changes:open"
      | "changes:close"
      | "terminal:attach"
      | "terminal:detach"
      | "terminal:ack";
  }
>;
/** Sign-ins have terminals, too: input, size and end go to the owner of the terminal. */
export type ProjectTerminalMessage = Extract<Answerable, { type: "terminal:list" | "terminal:open" }>;

/** One client of terminals: the client that typed last decides the size. */
export type TerminalClient = object;

/** Terminal requests of clients. Refusals are thrown as `RefusalError`. */
export interface TerminalDirectory {
  answer(message: ProjectTerminalMessage): Promise<Answer>;
  /** Null: it is not a project's terminal. */
  forward(message: TerminalMessage, client: TerminalClient): Promise<Answer> | null;
  attach(
    message: TerminalAttach,
    client: TerminalClient,
    send: TerminalSend,
  ): Promise<{ readonly attached: PlainServerMessage; readonly reader: AttachedTerminal }>;
}

export type TerminalAttach = Extract<ClientMessage, { type: "terminal:attach" }>;

/** The output for a client that shows a terminal. The bytes are sent, or copied, during the call. */
export interface TerminalSend {
  readonly message: (message: PlainServerMessage) => void;
  readonly bytes: (frame: Uint8Array<ArrayBuffer>) => void;
}

export interface AttachedTerminal extends Disposable {
  acknowledged(offset: number): void;
}

type ConsentMessage = Extract<Answerable, { type: "service:consents" | "service:revoke" }>;
export type ServiceMessage = Exclude<Extract<Answerable, { type: `service:${string}` }>, ConsentMessage>;
export type NoticeMessage = Extract<Answerable, { type: `notify:${string}` }>;
export type ModelMessage = Extract<Answerable, { type: `model:${string}` }>;

/** On whose behalf a message is answered. Whether they may send it is decided before. */
export interface Actor {
  /** For facts; undefined while there is only the owner. */
  readonly person: PersonRef | undefined;
  /** The projects that they may look at; null: all. */
  readonly within: readonly ProjectId[] | null;
}

const OWNER_ALONE: Actor = { person: undefined, within: null };

export async function answerMessage(
  deps: MessageDeps,
  message: Answerable,
  actor: Actor = OWNER_ALONE,
): Promise<Answer> {
  const { sessions, agents } = deps;
  const { person, within } = actor;
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
      return reply({ type: "search:results", hits: [...(await sessions.search(message, within))] });
    case "session:create":
      return sessions.create(message);
    case "session:branch":
      return sessions.branch(message, person);
    case "session:pack":
      return sessions.pack(message);
    case "session:mark":
      return sessions.mark(message.sessionId, message.unread);
    case "session:discard":
      return sessions.discard(message.sessionId);
    case "session:reconnect":
      return agents.reconnect(message);
    case "agent:sign-out":
      return agents.signOut(message.cliType);
    case "agent:authenticate":
      return agents.authenticate(message);
    case "agent:install":
    case "agent:uninstall":
    case "agent:rollback":
      return sessions.once(message.commandId, () => agents.install(message));
    case "agent:topology":
      return sessions.once(message.commandId, () => agents.chooseTopology(message));
    case "settings:agents":
    case "settings:save-agent":
    case "settings:remove-agent":
    case "settings:save-server":
    case "settings:remove-server":
    case "settings:test-agent":
    case "settings:test-server":
      return agents.settings(message);
    case "place:list":
    case "place:save":
    case "place:remove":
    case "place:check":
    case "place:invite":
    case "place:revoke":
      return deps.places.answer(message);
    case "agent:options":
    case "agent:choose":
    case "agent:favourite":
      return agents.options(message);
    case "agent:install-cancel":
      return agents.install(message);
    case "elicitation:respond":
      return answerQuestion(deps, message, person);
    case "terminal:input":
    case "terminal:resize":
    case "terminal:close":
      return agents.terminal(message);
    case "files:search":
      return searchFiles(deps, message);
    case "changes:patch":
    case "changes:decide":
    case "changes:cancel":
    case "changes:undo":
    case "changes:viewed":
    case "workdir:commit":
    case "checkpoint:list":
    case "checkpoint:preview":
    case "checkpoint:restore":
    case "checkpoint:settle":
    case "files:list":
    case "files:read":
    case "files:edit":
      return deps.changes.answer(message, person);
    case "attempts:start":
    case "attempts:compare":
    case "attempts:keep":
      return deps.attempts.use().answer(message, person);
    case "worktree:list":
    case "worktree:options":
    case "worktree:remove":
    case "worktree:return":
    case "worktree:purge":
    case "worktree:repair":
    case "worktree:setup":
    case "worktree:move-session":
    case "merge:preview":
    case "merge:run":
    case "merge:commit":
    case "merge:ask-agent":
    case "publish:preview":
    case "publish:run":
      return deps.worktrees.answer(message, person);
    case "terminal:list":
    case "terminal:open":
      return deps.terminals.answer(message);
    case "service:list":
    case "service:start":
    case "service:stop":
    case "service:restart":
      return deps.services.answer(message);
    case "schedule:list":
    case "schedule:save":
    case "schedule:enable":
    case "schedule:remove":
    case "schedule:run":
    case "schedule:runs":
    case "schedule:preview":
      return deps.schedules.answer(message);
    case "service:consents":
    case "service:revoke":
      return deps.services.consents(message);
    case "usage:get":
      return deps.usage.answer(message);
    case "snippet:list":
    case "snippet:save":
    case "snippet:remove":
      return deps.snippets.answer(message);
    case "notify:list":
    case "notify:save":
    case "notify:remove":
    case "notify:test":
      return deps.notices.answer(message);
    case "model:get":
    case "model:save":
    case "model:remove":
    case "model:test":
    case "model:list":
      return deps.builtinModel.answer(message);
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
      return sessions.execute(message, person);
  }
}

function isImport(message: Answerable): message is ImportMessage {
  return message.type.startsWith("import:");
}

/** Starting runs once; status requests and stopping may be repeated. */
function answerImport({ sessions, imports }: MessageDeps, message: ImportMessage): Promise<Answer> {
  if (message.type !== "import:start") return imports.use().answer(message);
  return sessions.once(message.commandId, () => imports.use().answer(message));
}

/** Parts of a session: older entries, or more of a long output. */
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
      return sessions.once(message.commandId, () => removeProject(deps, message.projectId));
    default:
      return message satisfies never;
  }
}

function reply(message: PlainServerMessage): Answer {
  return { kind: "message", message, published: false };
}

/** A question of a session is answered by that session, even if the response does not name it. */
function answerQuestion(
  { sessions, agents }: MessageDeps,
  response: QuestionResponse,
  person: PersonRef | undefined,
): Promise<Answer> {
  const sessionId = sessions.askingSession(response);
  if (sessionId !== null) return sessions.execute({ ...response, sessionId }, person);
  return sessions.once(response.commandId, async () => agents.respond(response));
}

async function addProject(deps: MessageDeps, path: string): Promise<Answer> {
  const added = await deps.projects.add(path);
  if (!added.ok) return { kind: "refused", refusal: added.refusal };
  return announce(deps, { type: "project:added", project: added.project });
}

async function removeProject(deps: MessageDeps, projectId: Parameters<ProjectService["remove"]>[0]): Promise<Answer> {
  if (!(await deps.projects.remove(projectId))) return { kind: "refused", refusal: REFUSE.projectNotFound() };
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
  let root: string | null = null;
  try {
    root =
      sessionId === undefined
        ? (deps.projects.list().find(({ id }) => id === projectId)?.path ?? null)
        : await deps.sessions.directoryOf(sessionId);
    if (root === null) return refused(sessionId === undefined ? REFUSE.projectNotFound() : REFUSE.sessionNotFound());
    const found = await deps.files.search(root, query, limit);
    return reply({
      type: "files:found",
      ...(sessionId !== undefined && { sessionId }),
      ...(projectId !== undefined && { projectId }),
      query,
      ...found,
    });
  } catch (error) {
    if (error instanceof RefusalError) return refused(error.refusal);
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

/** The user's MCP servers in a project: lists them, and enables or disables one. */
async function answerAboutTools(
  { projects, tools, publish }: ToolDeps,
  message: Extract<ClientMessage, { type: "mcp:list" | "mcp:choose" }>,
): Promise<Answer> {
  const { projectId } = message;
  if (!projects.list().some(({ id }) => id === projectId))
    return { kind: "refused", refusal: REFUSE.projectNotFound() };
  const servers = await (message.type === "mcp:list"
    ? tools.list(projectId)
    : tools.choose(projectId, message.name, message.enabled));
  if (!servers) return { kind: "refused", refusal: REFUSE.invalidMessage("name: config.json has no such tool server") };
  const state: PlainServerMessage = { type: "mcp:servers", projectId, servers: [...servers] };
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
export type AboutSettings = Extract<ClientMessage, { type: `settings:${string}` }>;
export type AboutPlaces = Extract<ClientMessage, { type: `place:${string}` }>;
export type AboutOptions = Extract<ClientMessage, { type: "agent:options" | "agent:choose" | "agent:favourite" }>;
export type TerminalMessage = Extract<ClientMessage, { type: "terminal:input" | "terminal:resize" | "terminal:close" }>;

/** Requests about agents, apart from any session. */
export interface AgentDirectory {
  list(): readonly AgentInfo[];
  /** Answers `reconnecting` at once, and the result when it is known. */
  reconnect(message: Reconnect): Promise<Answer>;
  /** Runs one of the agent's sign-in methods; `terminal:opened` if that happens in a terminal. */
  authenticate(message: Authenticate): Promise<Answer>;
  /** Every client receives the new list. */
  signOut(cliType: AgentInfo["id"]): Promise<Answer>;
  terminal(message: TerminalMessage): Answer;
  /** Every client receives the new list. */
  chooseTopology(message: ChooseTopology): Promise<Answer>;
  /** Shows, changes and tests the agents and tool servers of config.json. */
  settings(message: AboutSettings): Promise<Answer>;
  /** What new sessions of an agent start with. */
  options(message: AboutOptions): Promise<Answer>;
  /** The user's answer to a question outside any session. */
  respond(response: QuestionResponse): Answer;
  /** Answers when it is done; progress is broadcast. */
  install(message: InstallMessage): Promise<Answer>;
}
