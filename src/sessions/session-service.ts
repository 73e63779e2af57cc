import type { AbsenceWatch } from "../lib/absence-watch.ts";
import type { AgentChoices } from "../ports/agent-choices.ts";
import type { AgentSession, Agents } from "../ports/agents.ts";
import type { ProjectStore } from "../ports/project-store.ts";
import type { SearchIndex } from "../ports/search-index.ts";
import type { AgentBinding, SessionLog } from "../ports/session-log.ts";
import { isoTime, type World } from "../ports/world.ts";
import type { ClientMessage, QuestionResponse, SessionCommand } from "../protocol/client-messages.ts";
import { REFUSE, RefusalError } from "../protocol/errors.ts";
import type { Fact, FactBody } from "../protocol/facts.ts";
import { type CliType, type ProjectId, SessionId } from "../protocol/ids.ts";
import { PAGE_ENTRIES_DEFAULT } from "../protocol/limits.ts";
import type { SearchHit, SearchRequest } from "../protocol/search.ts";
import type {
  PlainServerMessage,
  SessionHistory,
  SessionOutput,
  SessionPage,
  SessionResumed,
  SessionRow,
} from "../protocol/server-messages.ts";
import { UNTITLED } from "../protocol/session-state.ts";
import { type Answer, writeAnswer } from "./answer.ts";
import { applyChoices } from "./apply-choices.ts";
import { CommandReceipts } from "./command-receipts.ts";
import { configureSession } from "./configure-session.ts";
import { deleteSession } from "./delete-session.ts";
import { EarlyEvents } from "./early-events.ts";
import { keepDraft } from "./keep-draft.ts";
import { outputOf } from "./output-piece.ts";
import type { PolicyMessage, PolicyService } from "./policy/policy-service.ts";
import { refuseStart } from "./policy/refuse-rules.ts";
import { hasQuestion } from "./questions/observe-question.ts";
import { UnwatchedQuestions } from "./questions/unwatched-questions.ts";
import { retrySignedOut } from "./retry-signed-out.ts";
import { Session } from "./session.ts";
import { sessionStanding } from "./session-standing.ts";
import { ShownSessions } from "./shown-sessions.ts";

export interface SessionServiceDeps {
  readonly world: World;
  readonly log: SessionLog;
  readonly search: SearchIndex;
  readonly projects: ProjectStore;
  readonly agents: Agents;
  readonly policy: PolicyService;
  readonly choices: AgentChoices;
  readonly stallMs: number;
  /** Knows how long no client was there. */
  readonly absence: AbsenceWatch;
  /** Facts that are on disk now: followers are to be woken. */
  readonly onCommitted: (sessionId: SessionId, facts: readonly Fact[]) => void;
  /** For every client. */
  readonly publish: (message: PlainServerMessage) => void;
  readonly onError: (error: unknown) => void;
}

type Create = Extract<ClientMessage, { type: "session:create" }>;
type Seen = Extract<ClientMessage, { type: "session:seen" }>;

/** A new session is made for whoever asked, who waits for it. */
const NEVER = new AbortController().signal;

/** After these the session's row in lists looks different. */
const ROW_FACTS: ReadonlySet<FactBody["type"]> = new Set<FactBody["type"]>([
  "session:turn",
  "session:title-updated",
  "session:archived",
  "session:unarchived",
  // The row says what the session has cost.
  "session:config",
]);

/** The only door to sessions: the page, the command line and MCP tools all act through it. */
export class SessionService {
  readonly #deps: SessionServiceDeps;
  readonly #sessions = new Map<SessionId, Session>();
  readonly #receipts: CommandReceipts;
  readonly #shown = new ShownSessions();
  readonly #unwatched: UnwatchedQuestions;

  constructor(deps: SessionServiceDeps) {
    this.#deps = deps;
    this.#receipts = new CommandReceipts(deps.log, deps.world);
    this.#unwatched = new UnwatchedQuestions(deps.absence, (id, event) => this.#session(id)?.observe(event));
  }

  /** Turns that an earlier run of the server left open end as interrupted, with what had arrived. */
  recover(): number {
    const unfinished = this.#deps.log.unfinished();
    for (const id of unfinished) this.#session(id)?.flush();
    return unfinished.length;
  }

  create(command: Create): Promise<Answer> {
    return this.once(command.commandId, () => this.#create(command));
  }

  execute(command: SessionCommand | (QuestionResponse & { sessionId: SessionId })): Promise<Answer> {
    return this.once(command.commandId, async () => {
      const session = this.#session(command.sessionId);
      if (!session) return { kind: "refused", refusal: REFUSE.sessionNotFound() };
      const drop = () => this.#sessions.delete(session.id);
      if (command.type === "session:delete") return deleteSession(session, command.commandId, { ...this.#deps, drop });
      return command.type === "session:configure"
        ? configureSession(session, command, this.#deps.choices)
        : session.dispatch(command);
    });
  }

  /** Whose question it is, which an answer may leave out; null when it is no session's. */
  askerOf({ sessionId, elicitationId }: QuestionResponse): SessionId | null {
    const isAsking = ({ state }: Session) => hasQuestion(state, elicitationId);
    return sessionId ?? [...this.#sessions.values()].find(isAsking)?.id ?? null;
  }

  /** Modes and rules: everyone hears of a change, and what waits for the user is judged by it at once. */
  policy(message: PolicyMessage): Promise<Answer> {
    if (message.type !== "policy:set") return this.#deps.policy.answer(message);
    return this.once(message.commandId, async () => {
      const answer = await this.#deps.policy.answer(message);
      if (answer.kind !== "message") return answer;
      this.#deps.publish(answer.message);
      for (const session of this.#sessions.values()) session.judgeAgain();
      return answer;
    });
  }

  /** A command sent twice acts once: the first outcome answers both, even over a restart. */
  once(commandId: string | undefined, act: () => Promise<Answer>): Promise<Answer> {
    return this.#receipts.once(commandId, act);
  }

  search(request: SearchRequest): readonly SearchHit[] {
    return this.#deps.search.search(request, this.#deps.world.now());
  }

  /** A viewer shows the session as it stood at `seq`, or no longer does. */
  seen({ sessionId, seq, showing }: Seen, viewer: object): Answer {
    if (!this.exists(sessionId)) return { kind: "refused", refusal: REFUSE.sessionNotFound() };
    if (showing === true) this.#shown.show(viewer, sessionId);
    else this.#shown.hide(viewer, sessionId);
    if (showing !== false && this.#deps.log.markSeen(sessionId, seq)) this.#publishRow(sessionId);
    return { kind: "ok" };
  }

  /** A viewer is gone, whatever it looked at. */
  viewerLeft(viewer: object): void {
    this.#shown.hide(viewer);
  }

  list(projectId: ProjectId, includeArchived: boolean): readonly SessionRow[] | null {
    return this.#deps.projects.get(projectId) ? this.#deps.log.rows(projectId, includeArchived) : null;
  }

  /** Where a reader starts: whole, or from its own cursor when everything after it is kept. Starts no agent. */
  open(
    sessionId: SessionId,
    after: number | undefined,
    limit = PAGE_ENTRIES_DEFAULT,
  ): SessionHistory | SessionResumed | null {
    const session = this.#session(sessionId);
    if (!session) return null;
    session.flush();
    const standing = sessionStanding(sessionId, session.state, this.#deps.log.drafts.read(sessionId));
    if (after !== undefined && this.#deps.log.canResume(sessionId, after))
      return { type: "session:resumed", ...standing };
    const page = this.#deps.log.page(sessionId, null, limit) ?? { entries: [], hasMore: false };
    return {
      type: "session:history",
      ...standing,
      entries: [...page.entries, ...session.state.open],
      hasMore: page.hasMore,
    };
  }

  page(command: Extract<ClientMessage, { type: "session:page" }>): SessionPage | null {
    const { sessionId, before, limit = PAGE_ENTRIES_DEFAULT, until = null } = command;
    const page = this.#deps.log.page(sessionId, before, limit, until);
    return page && { type: "session:page", sessionId, before, entries: [...page.entries], hasMore: page.hasMore };
  }

  output(command: Extract<ClientMessage, { type: "session:output" }>): SessionOutput | null {
    const session = this.#session(command.sessionId);
    session?.flush();
    return outputOf(this.#deps.log, session?.state.open ?? [], command);
  }

  /** Sessions in memory, for the status page. */
  loaded(): readonly { id: SessionId; turn: SessionRow["turn"]; agentState: AgentBinding["state"] }[] {
    return [...this.#sessions.values()].map(({ id, state, agentState }) => ({ id, turn: state.turn, agentState }));
  }

  /** The user has signed in: turns that failed for want of it are tried again by themselves. */
  continueAfterSignIn(cliType: CliType): void {
    retrySignedOut(this.#sessions.values(), cliType).catch(this.#deps.onError);
  }

  /** Where the session's agent works. */
  cwdOf(sessionId: SessionId): string | null {
    return this.#deps.log.load(sessionId)?.binding.cwd ?? null;
  }

  exists(sessionId: SessionId): boolean {
    return this.#deps.log.row(sessionId) !== null;
  }

  saveDraft(message: Extract<ClientMessage, { type: "session:draft" }>): Answer {
    return keepDraft(this.#deps.log, message);
  }

  /** What still waits is stored; called when the agents are gone and nothing more can come. */
  flush(): void {
    for (const session of this.#sessions.values()) session.flush();
  }

  async #create(command: Create): Promise<Answer> {
    const { projects, agents, world, choices } = this.#deps;
    const { projectId, cliType } = command;
    const project = projects.get(projectId);
    if (!project) return { kind: "refused", refusal: REFUSE.projectNotFound() };
    if (!agents.find(cliType)) return { kind: "refused", refusal: REFUSE.agentUnknown(cliType) };
    const refusal = refuseStart(command.options?.["policy"]);
    if (refusal) return { kind: "refused", refusal };
    const sessionId = SessionId.parse(`${cliType}:${world.newId()}`);
    const early = new EarlyEvents();
    try {
      const cwd = project.path;
      const agent = await agents.attach({ sessionId, cliType, cwd, restore: null, sink: early.sink, signal: NEVER });
      await applyChoices(agent, () => early.options, choices.of(cliType), this.#deps.onError);
      return this.#store(command, sessionId, cwd, agent, early);
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      return { kind: "refused", refusal: error.refusal };
    }
  }

  /** The row and the receipt are one transaction: sent again after a crash, the command makes no second session. */
  #store(command: Create, id: SessionId, cwd: string, agent: AgentSession, early: EarlyEvents): Answer {
    const { log, world } = this.#deps;
    const { projectId, cliType, title, commandId } = command;
    const createdAt = isoTime(world);
    const row: SessionRow = {
      id,
      projectId,
      cliType,
      title: title ?? UNTITLED,
      createdAt,
      lastActiveAt: createdAt,
      archived: false,
      turn: { state: "idle" },
    };
    const message = { type: "session:created", sessionId: id, projectId, session: row } as const;
    const answer: Answer = { kind: "message", message, published: true };
    const binding = {
      agentSessionId: agent.agentSessionId,
      createdAt,
      cwd,
      state: "active",
      since: createdAt,
    } as const;
    log.create(
      row,
      binding,
      commandId === undefined ? null : { commandId, answer: writeAnswer(answer), at: createdAt },
    );
    this.#deps.policy.start(id, command.options?.["policy"]);
    this.#deps.publish(message);
    this.#session(id)?.adopt(agent, early, title);
    return answer;
  }

  /** What the agent took is how its next session starts. */
  #session(sessionId: SessionId): Session | null {
    const known = this.#sessions.get(sessionId);
    if (known) return known;
    const stored = this.#deps.log.load(sessionId);
    if (!stored) return null;
    const isShown = (id: SessionId) => this.#shown.has(id);
    const onCommitted = (id: SessionId, facts: readonly Fact[]) => this.#committed(id, facts);
    const session = new Session({ ...this.#deps, isShown, onCommitted }, stored);
    this.#sessions.set(sessionId, session);
    // Loaded from disk it has no agent, so a turn or a question found open belongs to a process that is gone.
    if (stored.row.turn.state !== "idle" || stored.state.pending.length + stored.state.visits.length > 0)
      session.observe({ type: "lost", reason: "The server stopped while this turn was running.", state: "crashed" });
    return session;
  }

  #committed(sessionId: SessionId, facts: readonly Fact[]): void {
    this.#unwatched.hear(sessionId, facts);
    this.#deps.onCommitted(sessionId, facts);
    if (facts.some((fact) => ROW_FACTS.has(fact.type))) this.#publishRow(sessionId);
  }

  #publishRow(sessionId: SessionId): void {
    const row = this.#deps.log.row(sessionId);
    if (row) this.#deps.publish({ type: "session:changed", ...row });
  }
}
