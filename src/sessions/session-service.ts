import type { AbsenceWatch } from "../lib/absence-watch.ts";
import { FirstUse } from "../lib/first-use.ts";
import { reporting } from "../lib/reporting.ts";
import { TaskQueue } from "../lib/task-queue.ts";
import type { AgentChoices } from "../ports/agent-choices.ts";
import type { AgentHistories } from "../ports/agent-history.ts";
import type { AgentEvent, Agents } from "../ports/agents.ts";
import type { BranchStore } from "../ports/branch-store.ts";
import type { ProjectStore } from "../ports/project-store.ts";
import type { SearchedProjects, SearchIndex } from "../ports/search-index.ts";
import {
  type Draft,
  NO_AGENT_SESSION,
  type OutputPiece,
  type OutputRange,
  type SessionLog,
  type StoredSession,
} from "../ports/session-log.ts";
import type { SessionWriters } from "../ports/session-writers.ts";
import type { Storage } from "../ports/storage.ts";
import type { Workdirs } from "../ports/workdirs.ts";
import type { WorktreePlace, Worktrees } from "../ports/worktrees.ts";
import { isoTime, type World } from "../ports/world.ts";
import { CHECKPOINTS_LISTED_MAX } from "../protocol/changes.ts";
import type { ClientMessage, QuestionResponse, SessionCommand } from "../protocol/client-messages.ts";
import type { LimitsResume } from "../protocol/conversations.ts";
import type { Entry } from "../protocol/entry.ts";
import { ErrorCode, REFUSE, type Refusal, RefusalError } from "../protocol/errors.ts";
import { type Fact, ROW_FACTS } from "../protocol/facts.ts";
import {
  type CliType,
  CommandId,
  cliTypeOf,
  type ElicitationId,
  type EntryId,
  type ProjectId,
  SessionId,
  type TurnId,
} from "../protocol/ids.ts";
import type { SessionResult } from "../protocol/inbox.ts";
import { OUTPUT_PIECE_CHARS_MAX, PAGE_ENTRIES_DEFAULT } from "../protocol/limits.ts";
import { OWNER_ID } from "../protocol/people.ts";
import type { PersonRef } from "../protocol/person-ref.ts";
import type { SearchHit, SearchRequest } from "../protocol/search.ts";
import type { PlainServerMessage, Project, SessionOutput } from "../protocol/server-messages.ts";
import type { SessionHistory, SessionPage, SessionResumed } from "../protocol/session-messages.ts";
import type { Turn } from "../protocol/session-parts.ts";
import { isTurnActive, type SessionRow, type SessionState, sessionFieldsOf } from "../protocol/session-schema.ts";
import { Recovery, retrySignedOut } from "./agent/recovery.ts";
import { type Answer, writeAnswer } from "./answer.ts";
import { CommandReceipts } from "./command-receipts.ts";
import type { Delegations } from "./delegation/delegations.ts";
import { lastLineOf, summarizeChildren } from "./delegation/summarize-children.ts";
import { ConversationPacks } from "./handover/conversation-packs.ts";
import type { Branch, SessionBrancher } from "./handover/session-brancher.ts";
import type { PolicyMessage, PolicyService } from "./policy/policy-service.ts";
import type { WaitCommand } from "./rules/decide-waits.ts";
import { findQuestion, findVisit } from "./rules/open-requests.ts";
import type { AuthoredSend } from "./rules/queue.ts";
import { refuseAttachments } from "./rules/refuse-attachments.ts";
import type { WorkdirEvent } from "./rules/session-context.ts";
import type { LimitCommand } from "./rules/usage-limits.ts";
import { RunningLimits, type RunningMax } from "./running-limits.ts";
import type { Move, Session } from "./session.ts";
import { type CreatedFor, SessionMaker } from "./session-maker.ts";
import { handBack } from "./writers/hand-back.ts";
import { WriterWatch } from "./writers/writer-watch.ts";

/** Loaded with the first use, in that step (decision 149). */
const LATER = {
  session: (): typeof import("./session.ts") => require("./session.ts"),
  brancher: (): typeof import("./handover/session-brancher.ts") => require("./handover/session-brancher.ts"),
};

interface SessionServiceDeps {
  readonly world: World;
  readonly log: SessionLog;
  readonly storage: Storage;
  readonly search: SearchIndex;
  readonly projects: ProjectStore;
  readonly agents: Agents;
  readonly policy: PolicyService;
  readonly choices: AgentChoices;
  readonly writers: SessionWriters;
  /** Messages from outside are read like imported ones. */
  readonly histories: AgentHistories;
  readonly workdirs: Workdirs;
  readonly worktrees: Pick<Worktrees, "create" | "find" | "giveBack" | "madeFor" | "used">;
  /** A worktree was made for a session. */
  readonly onWorktreeMade: (project: Project, place: WorktreePlace) => void;
  /** The directory of a session without a worktree. */
  readonly directoryFor: (projectPath: string, sessionId: SessionId) => string;
  readonly delegations: Delegations;
  readonly branches: BranchStore;
  readonly stallMs: number;
  /** What happens to a session when its usage limit ends. */
  readonly limitsResume: LimitsResume;
  /** How many sessions may work at the same time; any number without it. */
  readonly runningMax?: RunningMax;
  /** Where sessions of a project run: `here`, or the name of a place. */
  readonly placeOf?: (projectId: ProjectId) => string;
  /** Measures how long no client was connected. */
  readonly absence: AbsenceWatch;
  /** Whether a client shows the session live. */
  readonly isWatched: (sessionId: SessionId) => boolean;
  /** Stored facts: wakes followers. */
  readonly onCommitted: (sessionId: SessionId, facts: readonly Fact[]) => void;
  /** A session was created; its facts follow. */
  readonly onCreated?: (sessionId: SessionId) => void;
  /** A session was killed or archived, by anyone. */
  readonly onEnded?: (sessionId: SessionId) => void;
  /** A session was deleted. */
  readonly onDeleted?: (row: SessionRow) => void;
  /** For every client. */
  readonly publish: (message: PlainServerMessage) => void;
  readonly onError: (error: unknown) => void;
}

type Create = Extract<ClientMessage, { type: "session:create" }>;
type Ending = Extract<SessionCommand, { type: "session:kill" | "session:archive" | "session:delete" }>;
/** The last answer is quoted only if it is among this many newest entries. */
const RESULT_ENTRIES_READ_MAX = 20;
/** Of a message that names a checkpoint. */
const ASKED_CHARS_MAX = 200;
const STOP_TURN_WAIT_MS = 10_000;

type SessionCreated = Extract<PlainServerMessage, { type: "session:created" }>;
type SessionChildren = Extract<PlainServerMessage, { type: "session:children" }>;
type Seen = Extract<ClientMessage, { type: "session:seen" }>;

/** The only entry point to sessions: the page, the command line and MCP tools all use it. */
export class SessionService {
  readonly #deps: SessionServiceDeps;
  readonly #sessions = new Map<SessionId, Session>();
  /** Sessions that are being loaded, until they are in `#sessions`. */
  readonly #loading = new Map<SessionId, Promise<Session | null>>();
  readonly #rows = new TaskQueue();
  /** Pending publications of sessions that are being created. */
  readonly #held = new Map<SessionId, (() => void)[]>();
  /** Sessions that are being moved to another place: messages to them wait. */
  readonly #moving = new Map<SessionId, Promise<void>>();
  /** Branches that are stored and not yet published. */
  readonly #presenting = new Set<SessionId>();
  readonly #recovery = new Recovery();
  readonly #receipts: CommandReceipts;
  readonly #maker: SessionMaker;
  readonly #brancher: FirstUse<SessionBrancher>;
  readonly #packs: ConversationPacks;
  readonly #shown = new ShownSessions();
  readonly #unwatched: UnwatchedQuestions;
  readonly #writerWatch: WriterWatch;
  readonly #running: RunningLimits;

  constructor(deps: SessionServiceDeps) {
    this.#deps = deps;
    const { runningMax: max = { perPerson: null, perPlace: null }, placeOf = () => "here" } = deps;
    this.#running = new RunningLimits({ max, placeOf, sessions: () => this.#sessions.values() });
    this.#receipts = new CommandReceipts(deps);
    this.#maker = new SessionMaker({
      ...deps,
      load: (sessionId) => this.#session(sessionId),
      onMade: (id) => this.#release(id),
    });
    this.#writerWatch = new WriterWatch({
      ...deps,
      load: (sessionId) => this.#session(sessionId),
      shown: () => this.#shown.all(),
      goOn: async (sessionId) => {
        await this.execute({ type: "session:queue-resume", sessionId });
      },
    });
    this.#packs = new ConversationPacks({ store: deps.branches, log: deps.log, agents: deps.agents });
    this.#brancher = new FirstUse(
      () =>
        new (LATER.brancher().SessionBrancher)({
          ...deps,
          packs: this.#packs,
          load: (sessionId) => this.#session(sessionId),
        }),
    );
    this.#unwatched = new UnwatchedQuestions(deps.absence, (id, event) => {
      this.#observe(id, event).catch(deps.onError);
    });
  }

  /** Where turns were running when an earlier server stopped. */
  async unfinishedDirectories(): Promise<readonly string[]> {
    const ids = await this.#deps.log.unfinished();
    return (await Promise.all(ids.map((id) => this.cwdOf(id)))).filter((cwd) => cwd !== null);
  }

  /** For turns that were running when an earlier server stopped. */
  async recover(): Promise<{ goOn: number; interrupted: number }> {
    const load = (id: SessionId) => this.#session(id);
    const watch = (id: SessionId, asked: ElicitationId) => this.#unwatched.watch(id, asked);
    const recovered = await this.#recovery.run({ ...this.#deps, load, watch });
    this.#writerWatch.start(await this.#deps.log.away());
    for (const id of await this.#deps.delegations.forgotten()) this.#end(id, "session:kill").catch(this.#deps.onError);
    return recovered;
  }

  /** All clients and agents are gone. */
  stop(): void {
    this.#writerWatch.stop();
  }

  /** The next server has the sessions, or will have them. */
  leave(): void {
    for (const session of this.#sessions.values()) session.leave();
  }

  /** `isRemembered`: its place is the user's choice, and offered for the next session. */
  create(command: Create, createdFor?: CreatedFor, { isRemembered = !createdFor } = {}): Promise<Answer> {
    return this.once(command.commandId, () => this.#maker.make(command, createdFor, isRemembered));
  }

  /** The page has closed a session that never started: its agent is not needed, and the row would be empty. */
  async discard(sessionId: SessionId): Promise<Answer> {
    const session = await this.#session(sessionId);
    if (await session?.isBlank()) await this.execute({ type: "session:delete", sessionId });
    return { kind: "ok" };
  }

  /** Retries to start the agent of a session that was created without waiting for it; false for any other session. */
  startAgain(sessionId: SessionId): boolean {
    const session = this.#sessions.get(sessionId);
    if (session?.startState?.state !== "failed") return false;
    session.start();
    return true;
  }

  /** `person`: which of several people sent it. */
  execute(
    sent: SessionCommand | AuthoredSend | WaitCommand | LimitCommand | (QuestionResponse & { sessionId: SessionId }),
    person?: PersonRef,
  ): Promise<Answer> {
    const command = person ? { ...sent, person } : sent;
    return this.once(command.commandId, async () => {
      const session = this.#sessions.get(command.sessionId) ?? (await this.#session(command.sessionId));
      if (!session) return { kind: "refused", refusal: REFUSE.sessionNotFound() };
      const moving = this.#moving.get(command.sessionId);
      if (moving) await moving;
      if (PROMPTING.has(command.type) && session.state.worktree !== null) {
        const refusal = await refusalOf(session.checkPlace());
        if (refusal) return { kind: "refused", refusal };
      }
      if (command.type === "session:handback") return this.#handBack(session, command.stopTurn === true);
      if (PROMPTING.has(command.type) && !isTurnActive(session.state.turn)) {
        const busy = session.lookForWriter();
        const mayWait = command.type === "session:send" && command.whenFree === true;
        if (busy && !mayWait) return { kind: "refused", refusal: busy };
      }
      if (command.type === "session:configure") return this.#configure(session, command);
      if (command.type === "session:delete") {
        await this.#endChildren(command);
        const drop = () => this.#sessions.delete(session.id);
        const row = await this.#deps.log.row(session.id);
        const deleted = await deleteSession(session, command.commandId, { ...this.#deps, drop });
        if (row) this.#deps.onDeleted?.(row);
        return deleted;
      }
      const admitted = PROMPTING.has(command.type) ? this.#running.admit(session, starterOf(command, person)) : null;
      if (admitted && "code" in admitted) return { kind: "refused", refusal: admitted };
      using _admitted = admitted;
      const answer = await session.dispatch(command);
      if (command.type !== "session:kill" && command.type !== "session:archive") return answer;
      this.#deps.onEnded?.(command.sessionId);
      await this.#endChildren(command);
      return answer;
    });
  }

  /** The current state of a session, in memory or not. */
  async view(sessionId: SessionId): Promise<Omit<StoredSession, "continuation"> | null> {
    const row = await this.#deps.log.row(sessionId);
    const session = this.#sessions.get(sessionId);
    if (!session || !row) return this.#deps.log.load(sessionId);
    return { row, state: session.state, binding: session.binding };
  }

  /** A notice of ours in a session. */
  notice(sessionId: SessionId, content: string): void {
    this.#observe(sessionId, { type: "notice", severity: "warning", content }).catch(this.#deps.onError);
  }

  /** The session of a question, which an answer may omit; null if it belongs to none. */
  askingSession({ sessionId, elicitationId }: QuestionResponse): SessionId | null {
    const isAsking = ({ state }: Session) =>
      (findQuestion(state, elicitationId) ?? findVisit(state, elicitationId)) !== undefined;
    return sessionId ?? [...this.#sessions.values()].find(isAsking)?.id ?? null;
  }

  /** Modes and rules: changes are published, and open requests are evaluated again at once. */
  policy(message: PolicyMessage): Promise<Answer> {
    if (message.type !== "policy:set") return this.#deps.policy.answer(message);
    return this.once(message.commandId, async () => {
      const answer = await this.#deps.policy.answer(message);
      if (answer.kind !== "message") return answer;
      this.#deps.publish(answer.message);
      for (const session of this.#sessions.values()) session.reevaluateRequests();
      return answer;
    });
  }

  /** A command sent twice runs once: the first outcome answers both, even after a restart. */
  once(commandId: string | undefined, act: () => Promise<Answer>): Promise<Answer> {
    return this.#receipts.once(commandId, act);
  }

  /** The command already has an outcome, which a repetition returns. */
  async isDone(commandId: string): Promise<boolean> {
    return (await this.#deps.log.receipt(commandId)) !== null;
  }

  /** Stores what a caller's key was first used for, also across restarts; false if it was used for something else. */
  async claimKey(key: string, digest: string): Promise<boolean> {
    const { log, world, storage } = this.#deps;
    if ((await log.receipt(key)) === null && storage.refusal() === null)
      await log.saveReceipt({ commandId: key, answer: digest, at: isoTime(world) });
    return ((await log.receipt(key)) ?? digest) === digest;
  }

  /** `within`: only these projects are searched. */
  search(request: SearchRequest, within: SearchedProjects = null): Promise<readonly SearchHit[]> {
    return this.#deps.search.search(request, this.#deps.world.now(), within);
  }

  /** A viewer shows the session at `seq`, or hides it. `marks`: it counts as read then. */
  async seen({ sessionId, seq, showing }: Seen, viewer: object, marks = true): Promise<Answer> {
    // At once: a viewer that leaves during the disk read must not count as viewing forever.
    if (showing === true) this.#shown.show(viewer, sessionId);
    else this.#shown.hide(viewer, sessionId);
    if (!(await this.exists(sessionId))) {
      this.#shown.hide(viewer, sessionId);
      return { kind: "refused", refusal: REFUSE.sessionNotFound() };
    }
    // Text held back without viewers is due now.
    if (showing === true) await this.#sessions.get(sessionId)?.flush();
    if (!marks || showing === false || this.#deps.storage.refusal() !== null) return { kind: "ok" };
    if (await this.#deps.log.markSeen(sessionId, seq)) this.#publishRow(sessionId);
    return { kind: "ok" };
  }

  /** The user marks it unread or read. */
  async mark(sessionId: SessionId, isUnread: boolean): Promise<Answer> {
    const unwritable = this.#deps.storage.refusal();
    if (unwritable !== null) return { kind: "refused", refusal: unwritable };
    if (!(await this.exists(sessionId))) return { kind: "refused", refusal: REFUSE.sessionNotFound() };
    if (await this.#deps.log.markUnread(sessionId, isUnread)) this.#publishRow(sessionId);
    return { kind: "ok" };
  }

  /** A viewer has left, whatever it showed. */
  viewerLeft(viewer: object): void {
    this.#shown.hide(viewer);
  }

  async list(projectId: ProjectId, includeArchived: boolean): Promise<readonly SessionRow[] | null> {
    if (!(await this.#deps.projects.get(projectId))) return null;
    const rows = await this.#deps.log.rows(projectId, includeArchived);
    return rows.map((row) => this.#withStart(row));
  }

  /** The state of the agents that a session started; null for an unknown session. */
  async children(sessionId: SessionId): Promise<SessionChildren | null> {
    if (!(await this.exists(sessionId))) return null;
    const { delegations, log } = this.#deps;
    await Promise.all((await delegations.childrenOf(sessionId)).map((id) => this.#sessions.get(id)?.flush()));
    const children = await summarizeChildren({ delegations, log, view: (id) => this.view(id) }, sessionId);
    return { type: "session:children", sessionId, children, ...(await delegations.spending(sessionId)) };
  }

  /** The ends of the last answers of these sessions. */
  async results(sessionIds: readonly SessionId[]): Promise<SessionResult[]> {
    const results = await Promise.all(
      sessionIds.map(async (sessionId) => {
        const entries = (await this.#deps.log.page(sessionId, null, RESULT_ENTRIES_READ_MAX))?.entries ?? [];
        return { sessionId, lastLine: lastLineOf([...entries, ...(this.#sessions.get(sessionId)?.state.open ?? [])]) };
      }),
    );
    return results.filter(({ lastLine }) => lastLine !== "");
  }

  /**
   * Where a reader starts: with a history, or from its own cursor if everything after it is kept. Starts no agent,
   * except for a session of an older app whose messages were never read.
   */
  async open(
    sessionId: SessionId,
    after: number | undefined,
    limit = PAGE_ENTRIES_DEFAULT,
  ): Promise<SessionHistory | SessionResumed | null> {
    const session = await this.#session(sessionId);
    if (!session) return null;
    if (!isTurnActive(session.state.turn)) session.lookForWriter();
    await session.flush();
    session.recall().catch(this.#deps.onError);
    const { log } = this.#deps;
    const draft = await log.drafts.read(sessionId);
    if (after !== undefined && (await log.canResume(sessionId, after)))
      return { type: "session:resumed", ...sessionFields(sessionId, session.state, draft) };
    for (;;) {
      const { state } = session;
      const page = (await log.page(sessionId, null, limit)) ?? { entries: [], hasMore: false };
      // Entries that settle while the page is read would be in neither of the two, or in both.
      if (session.state !== state) continue;
      const entries = [...page.entries, ...state.open];
      const origin = (await log.row(sessionId))?.origin;
      return {
        type: "session:history",
        ...sessionFields(sessionId, state, draft),
        ...(origin && { origin }),
        entries,
        hasMore: page.hasMore,
      };
    }
  }

  async page(command: Extract<ClientMessage, { type: "session:page" }>): Promise<SessionPage | null> {
    const { sessionId, before, limit = PAGE_ENTRIES_DEFAULT, until = null } = command;
    const page = await this.#deps.log.page(sessionId, before, limit, until);
    return page && { type: "session:page", sessionId, before, entries: [...page.entries], hasMore: page.hasMore };
  }

  async output(command: Extract<ClientMessage, { type: "session:output" }>): Promise<SessionOutput | null> {
    const session = await this.#session(command.sessionId);
    await session?.flush();
    return outputOf(this.#deps.log, session?.state.open ?? [], command);
  }

  /** One entry; null for an unknown one. */
  async entry(sessionId: SessionId, entryId: EntryId): Promise<Entry | null> {
    const session = await this.#session(sessionId);
    await session?.flush();
    const open = session?.state.open.find((one) => one.entryId === entryId);
    return open ?? this.#deps.log.settledEntry(sessionId, entryId);
  }

  /** Sessions in memory: those with an agent, or that a client has opened. */
  loaded(): readonly Pick<Session, "id" | "state" | "binding" | "isAttached" | "flush" | "tryFlush">[] {
    return [...this.#sessions.values()];
  }

  /** The user has signed in: turns that failed without it are retried automatically. */
  continueAfterSignIn(cliType: CliType): void {
    for (const { id, startState } of this.#sessions.values())
      if (
        cliTypeOf(id) === cliType &&
        startState?.state === "failed" &&
        startState.error.code === "AGENT_AUTH_REQUIRED"
      )
        this.startAgain(id);
    retrySignedOut(this.#sessions.values(), cliType).catch(this.#deps.onError);
  }

  /** The files that a session works on have changed. */
  async observeFiles(sessionId: SessionId, event: WorkdirEvent): Promise<void> {
    (await this.#session(sessionId))?.observeFiles(event);
  }

  /** The user decided about files: the open changes of sessions in that directory are counted again. */
  async recount(cwd: string): Promise<void> {
    const there = [...this.#sessions.values()].filter(({ state, binding }) => state.changes && binding.cwd === cwd);
    await Promise.all(there.map((session) => session.recount()));
  }

  /** Stops the turn of a session and waits for its end, with a limit. */
  async stopTurn(sessionId: SessionId): Promise<void> {
    const session = await this.#session(sessionId);
    if (!session) return;
    await this.execute({ type: "session:cancel", sessionId });
    await Promise.race([session.turnOver(), Bun.sleep(STOP_TURN_WAIT_MS)]);
  }

  /**
   * A new session that starts with another one's conversation. Its first message is sent once, however often this is
   * repeated.
   */
  async branch(command: Branch, person?: PersonRef): Promise<Answer> {
    const answer = await this.once(command.commandId, async () => {
      const made = await this.#brancher.use().make(command);
      if (made.kind === "message" && made.message.type === "session:created")
        await this.#present(made.message, command, person);
      return made;
    });
    // A server that was killed in between had stored the session and not yet sent its message.
    const sessionId = answer.kind === "repeated" ? SessionId.safeParse(answer.message["sessionId"]).data : undefined;
    if (sessionId !== undefined) await this.#sendFirst(sessionId, command, person);
    return answer;
  }

  /** What happens in it is published after the session itself. */
  async #present(message: SessionCreated, command: Branch, person: PersonRef | undefined): Promise<void> {
    const { sessionId } = message;
    this.#presenting.add(sessionId);
    try {
      if (!(await this.#sendFirst(sessionId, command, person))) await this.#startBranch(sessionId);
    } finally {
      this.#presenting.delete(sessionId);
      // Last: the sender must have the answer before it receives the published message.
      this.#deps.publish(message);
      this.#deps.onCreated?.(sessionId);
      this.#release(sessionId);
    }
  }

  /** False when there is nothing to send. */
  async #sendFirst(
    sessionId: SessionId,
    { content = "", attachments = [] }: Branch,
    person: PersonRef | undefined,
  ): Promise<boolean> {
    if (content === "" && attachments.length === 0) return false;
    const commandId = CommandId.parse(`first-${sessionId.slice(sessionId.indexOf(":") + 1)}`);
    const first = { content, ...(attachments.length > 0 && { attachments }) };
    const sent = await this.execute({ type: "session:send", sessionId, commandId, ...first }, person);
    // Nothing that the user wrote is lost.
    if (sent.kind === "refused") await this.#deps.log.drafts.save(sessionId, content, attachments);
    return sent.kind !== "refused";
  }

  /** Like `branch`, at a turn: before it, or after it. */
  async branchAtTurn(sessionId: SessionId, turnId: TurnId, phase: "before" | "after"): Promise<Answer> {
    const at = await this.#deps.branches.entryOfTurn(sessionId, turnId);
    if (at === null)
      return { kind: "refused", refusal: REFUSE.branchPoint("This turn is not part of the conversation.") };
    return this.branch({ type: "session:branch", sessionId, at, ...(phase === "before" && { before: true }) });
  }

  /** Its agent starts ahead of the first message, unless it continues with its own memory. */
  async #startBranch(sessionId: SessionId): Promise<void> {
    const session = await this.#session(sessionId);
    if (session?.binding.agentSessionId === NO_AGENT_SESSION) session.start();
  }

  /** The context pack of an agent, sent or as a preview. */
  async pack(query: Extract<ClientMessage, { type: "session:pack" }>): Promise<Answer> {
    try {
      return { kind: "message", message: await this.#brancher.use().pack(query), published: false };
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      return { kind: "refused", refusal: error.refusal };
    }
  }

  /**
   * Moves a session to another place, which is prepared while messages to it wait. Refused while a turn runs. When
   * anything fails, the session stays where it is.
   */
  async move(
    sessionId: SessionId,
    prepare: (cwd: string) => Promise<Pick<Move, "place" | "projectPath" | "content">>,
  ): Promise<void> {
    const session = await this.#session(sessionId);
    if (!session) throw new RefusalError(REFUSE.sessionNotFound());
    await session.flush();
    if (this.#moving.has(sessionId) || isTurnActive(session.state.turn)) throw new RefusalError(REFUSE.workdirBusy());
    const moved = Promise.withResolvers<void>();
    this.#moving.set(sessionId, moved.promise);
    try {
      const to = await prepare(session.binding.cwd);
      await session.move(to);
    } finally {
      this.#moving.delete(sessionId);
      moved.resolve();
    }
  }

  /** Closes the agent of a session, for example before its directory is removed; the next message starts it again. */
  async releaseAgent(sessionId: SessionId): Promise<void> {
    await this.#sessions.get(sessionId)?.release();
  }

  /** The session's directory. Rejects with a refusal when it does not exist; null for an unknown session. */
  async directoryOf(sessionId: SessionId): Promise<string | null> {
    const row = await this.#deps.log.row(sessionId);
    if (row?.worktree) await (await this.#session(sessionId))?.checkPlace();
    return this.cwdOf(sessionId);
  }

  /** The working directory of the session's agent. */
  async cwdOf(sessionId: SessionId): Promise<string | null> {
    return (await this.#deps.log.load(sessionId))?.binding.cwd ?? null;
  }

  /** The beginnings of the user's messages in the newest turns. */
  askedByTurn(sessionId: SessionId): Promise<ReadonlyMap<TurnId, string>> {
    return this.#deps.log.askedByTurn(sessionId, { turnsMax: CHECKPOINTS_LISTED_MAX, charsMax: ASKED_CHARS_MAX });
  }

  /** Being created: its agent may already request what it was offered. */
  isMaking(sessionId: SessionId): boolean {
    return this.#maker.isMaking(sessionId);
  }

  async exists(sessionId: SessionId): Promise<boolean> {
    return (await this.#deps.log.row(sessionId)) !== null;
  }

  /** Null for an unknown session. */
  row(sessionId: SessionId): Promise<SessionRow | null> {
    return this.#deps.log.row(sessionId);
  }

  saveDraft(message: Extract<ClientMessage, { type: "session:draft" }>): Promise<Answer> {
    return keepDraft(this.#deps.log, message);
  }

  /** Stores everything pending; called when the agents have ended and nothing more can arrive. */
  async flush(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => session.flush()));
  }

  async #handBack(session: Session, stopTurn: boolean): Promise<Answer> {
    const done = await handBack(session, stopTurn, { ...this.#deps, stopTurn: () => this.stopTurn(session.id) });
    if ("code" in done) return { kind: "refused", refusal: done };
    const message = { type: "session:handed-back", sessionId: session.id, ...done } as const;
    return { kind: "message", message, published: false };
  }

  /** An option set for an agent's child, or for one of several attempts, is not the user's choice for the next session. */
  #configure(session: Session, command: Extract<SessionCommand, { type: "session:configure" }>): Promise<Answer> {
    const { choices, delegations } = this.#deps;
    return configureSession(session, command, async (cliType, value) => {
      const isAttempt = (await this.row(session.id))?.attempt !== undefined;
      if (!isAttempt && (await delegations.parentOf(session.id)) === undefined)
        await choices.remember(cliType, command.configId, value);
    });
  }

  /** Ends what an ended session has started; archives and deletes it with the session. */
  async #endChildren({ type, sessionId }: Ending): Promise<void> {
    const how = type === "session:kill" ? type : "session:archive";
    await Promise.all((await this.#deps.delegations.endingWith(sessionId)).map((id) => this.#end(id, how)));
  }

  async #end(sessionId: SessionId, type: "session:kill" | "session:archive"): Promise<void> {
    const session = await this.view(sessionId);
    if (!session || session.row.archived || (type === "session:kill" && session.binding.state === "closed")) return;
    await this.execute({ type, sessionId });
  }

  /** In memory from the first use on. Concurrent callers wait for the same load and continue in order. */
  async #session(sessionId: SessionId): Promise<Session | null> {
    const known = this.#sessions.get(sessionId);
    if (known) return known;
    const loading = this.#loading.get(sessionId) ?? this.#load(sessionId);
    this.#loading.set(sessionId, loading);
    try {
      return await loading;
    } finally {
      this.#loading.delete(sessionId);
    }
  }

  async #observe(sessionId: SessionId, event: AgentEvent): Promise<void> {
    (await this.#session(sessionId))?.observe(event);
  }

  async #load(sessionId: SessionId): Promise<Session | null> {
    const { log } = this.#deps;
    const stored = await log.load(sessionId);
    if (!stored) return null;
    const outcomes = stored.continuation.processId === null ? new Map() : await log.permissionOutcomes(sessionId);
    const isShown = (id: SessionId) => this.#shown.has(id);
    // Stored facts stay stored: a failing listener must not undo them.
    const onCommitted = reporting(this.#committed.bind(this), this.#deps.onError);
    const onStart = (id: SessionId) => this.#publishRow(id);
    const session = await LATER.session().Session.load(
      { ...this.#deps, packs: this.#packs, isShown, onCommitted, onStart },
      stored,
    );
    this.#sessions.set(sessionId, session);
    this.#recovery.found(session, stored, outcomes);
    return session;
  }

  /** Messages about a session are published after the session itself. */
  #announce(sessionId: SessionId, publish: () => void): void {
    if (!this.#maker.isMaking(sessionId) && !this.#presenting.has(sessionId)) publish();
    else this.#held.set(sessionId, [...(this.#held.get(sessionId) ?? []), publish]);
  }

  #release(sessionId: SessionId): void {
    const held = this.#held.get(sessionId) ?? [];
    this.#held.delete(sessionId);
    for (const publish of held) publish();
  }

  #committed(sessionId: SessionId, facts: readonly Fact[]): void {
    this.#announce(
      sessionId,
      reporting(() => this.#publishFacts(sessionId, facts), this.#deps.onError),
    );
  }

  #publishFacts(sessionId: SessionId, facts: readonly Fact[]): void {
    this.#unwatched.onFacts(sessionId, facts);
    this.#writerWatch.onFacts(sessionId, facts);
    this.#deps.onCommitted(sessionId, facts);
    if (facts.some((fact) => ROW_FACTS.has(fact.type))) this.#publishRow(sessionId);
    for (const fact of facts) if (fact.type === "session:turn") this.#publishFailure(sessionId, fact.turn);
  }

  /** For clients that do not follow the session; followers have it from the end of the turn. */
  #publishFailure(sessionId: SessionId, { state, error }: Turn): void {
    if (state !== "idle" || !error) return;
    const code = ErrorCode.safeParse(error.code).data ?? "INTERNAL_ERROR";
    this.#deps.publish({ type: "error", code, message: error.message, sessionId });
  }

  /** One after another: the row that was read last is published last. */
  #publishRow(sessionId: SessionId): void {
    const publish = async () => {
      const row = await this.#deps.log.row(sessionId);
      if (row) this.#deps.publish({ type: "session:changed", ...this.#withStart(row) });
    };
    this.#announce(sessionId, () => this.#rows.run(publish).catch(this.#deps.onError));
  }

  #withStart(row: SessionRow): SessionRow {
    const start = this.#sessions.get(row.id)?.startState;
    return start ? { ...row, start } : row;
  }
}

/** Who makes the session work. */
function starterOf(command: object, person: PersonRef | undefined) {
  return "author" in command ? null : (person?.id ?? OWNER_ID);
}

/** Commands that send something to the agent. */
const PROMPTING: ReadonlySet<string> = new Set<SessionCommand["type"]>([
  "session:send",
  "session:steer",
  "session:retry",
  "session:queue-resume",
  "session:send-now",
  "session:resume-limit",
]);

async function refusalOf(task: Promise<void>): Promise<Refusal | null> {
  try {
    await task;
    return null;
  } catch (error) {
    if (error instanceof RefusalError) return error.refusal;
    throw error;
  }
}

/** The agent applies a choice: the value it then reports is the answer. It is remembered for next time. */
async function configureSession(
  session: Session,
  command: Extract<SessionCommand, { type: "session:configure" }>,
  remember: (cliType: CliType, value: string | boolean) => Promise<void>,
): Promise<Answer> {
  try {
    await session.configure(command);
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    return { kind: "refused", refusal: error.refusal };
  }
  await remember(cliTypeOf(session.id), command.value);
  await session.flush();
  return { kind: "config", sessionId: session.id, config: session.state.config, seq: session.state.seq };
}

interface DeletionDeps {
  readonly world: World;
  readonly publish: (message: PlainServerMessage) => void;
  readonly onError: (error: unknown) => void;
  /** Removes the session from memory. */
  readonly drop: () => void;
}

/** Deleted here at once, for everyone; the agent's own copy is deleted in the background. */
async function deleteSession(session: Session, commandId: string | undefined, deps: DeletionDeps): Promise<Answer> {
  const { world, publish, onError, drop } = deps;
  const message = { type: "session:deleted", sessionId: session.id } as const;
  const answer: Answer = { kind: "message", message, published: true };
  await session.delete(commandId === undefined ? null : { commandId, answer: writeAnswer(answer), at: isoTime(world) });
  drop();
  session.end().catch((error) => {
    // An agent that is unavailable or refuses is not our fault.
    if (!(error instanceof RefusalError)) onError(error);
  });
  publish(message);
  return answer;
}

/** Drafts are stored like messages, with the same limits. */
async function keepDraft(log: SessionLog, message: Extract<ClientMessage, { type: "session:draft" }>): Promise<Answer> {
  const { sessionId, content, attachments } = message;
  const isKnown = (await log.row(sessionId)) !== null;
  const refusal = isKnown ? refuseAttachments(attachments ?? [], undefined) : REFUSE.sessionNotFound();
  if (refusal) return { kind: "refused", refusal };
  await log.drafts.save(sessionId, content, attachments);
  return { kind: "ok" };
}

/** A piece of a text too long for its entry; older entries contain it themselves. */
async function outputOf(
  log: SessionLog,
  open: readonly Entry[],
  command: Extract<ClientMessage, { type: "session:output" }>,
): Promise<SessionOutput | null> {
  const { sessionId, entryId, part, from = 0, limit = OUTPUT_PIECE_CHARS_MAX } = command;
  const range = { entryId, part: part ?? null, from, charsMax: limit };
  const entry = open.find((one) => one.entryId === entryId) ?? (await log.settledEntry(sessionId, entryId));
  const piece = (await log.output(sessionId, range)) ?? pieceOf(entry, range);
  return piece && { type: "session:output", sessionId, entryId, ...(part !== undefined && { part }), from, ...piece };
}

/** A piece of the entry's own content; null if it has none of that kind. */
function pieceOf(entry: Entry | null, { part, from, charsMax }: OutputRange): OutputPiece | null {
  const whole = entry && (part === null ? resultOf(entry) : partOf(entry, part));
  return whole === null ? null : { content: whole.slice(from, from + charsMax), totalChars: whole.length };
}

function resultOf(entry: Entry): string | null {
  return entry.type === "tool-call" ? (entry.result ?? null) : null;
}

function partOf(entry: Entry, index: number): string | null {
  const part = entry.type === "tool-call" || entry.type === "assistant" ? entry.parts?.[index] : undefined;
  return part === undefined ? null : JSON.stringify(part);
}

/** A session's fields for a follower, besides the entries. */
function sessionFields(
  sessionId: SessionId,
  state: SessionState,
  draft: Draft,
): Omit<SessionResumed, "type" | "requestId"> {
  return {
    sessionId,
    ...sessionFieldsOf(state),
    ...(draft.content !== "" && { draft: draft.content }),
    ...(draft.attachments.length > 0 && { draftAttachments: [...draft.attachments] }),
  };
}

/** Which sessions are shown now, and by whom: a viewer may show several side by side. */
class ShownSessions {
  readonly #shown = new Map<object, ReadonlySet<SessionId>>();

  /** This viewer shows it from now on, until it hides it or leaves. */
  show(viewer: object, sessionId: SessionId): void {
    this.#shown.set(viewer, new Set(this.#shown.get(viewer)).add(sessionId));
  }

  /** Without a session: everything the viewer showed. */
  hide(viewer: object, sessionId?: SessionId): void {
    const left = new Set(this.#shown.get(viewer));
    if (sessionId !== undefined) left.delete(sessionId);
    if (sessionId === undefined || left.size === 0) this.#shown.delete(viewer);
    else this.#shown.set(viewer, left);
  }

  all(): readonly SessionId[] {
    return [...this.#shown.values()].flatMap((shown) => [...shown]);
  }

  has(sessionId: SessionId): boolean {
    return [...this.#shown.values()].some((shown) => shown.has(sessionId));
  }
}

type OnUnwatched = (sessionId: SessionId, event: Extract<AgentEvent, { type: "question-unwatched" }>) => void;

/** Open questions of sessions while no client is connected: they are declined rather than left open. */
class UnwatchedQuestions {
  readonly #absence: AbsenceWatch;
  readonly #onUnwatched: OnUnwatched;

  constructor(absence: AbsenceWatch, onUnwatched: OnUnwatched) {
    this.#absence = absence;
    this.#onUnwatched = onUnwatched;
  }

  /** Must be called with stored facts. */
  onFacts(sessionId: SessionId, facts: readonly Fact[]): void {
    for (const fact of facts) {
      if (fact.type === "elicitation:resolved") this.#absence.forget(fact.elicitationId);
      if (fact.type !== "elicitation:request") continue;
      this.watch(sessionId, fact.elicitationId);
    }
  }

  /** Watches an open question. */
  watch(sessionId: SessionId, elicitationId: ElicitationId): void {
    const event = { type: "question-unwatched", elicitationId } as const;
    this.#absence.watch(elicitationId, () => this.#onUnwatched(sessionId, event));
  }
}
