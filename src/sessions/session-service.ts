import type { AbsenceWatch } from "../lib/absence-watch.ts";
import { reporting } from "../lib/reporting.ts";
import { TaskQueue } from "../lib/task-queue.ts";
import type { AgentChoices } from "../ports/agent-choices.ts";
import type { AgentEvent, Agents } from "../ports/agents.ts";
import type { ProjectStore } from "../ports/project-store.ts";
import type { SearchIndex } from "../ports/search-index.ts";
import type { Draft, OutputPiece, OutputRange, SessionLog, StoredSession } from "../ports/session-log.ts";
import type { Storage } from "../ports/storage.ts";
import { isoTime, type World } from "../ports/world.ts";
import type { ClientMessage, QuestionResponse, SessionCommand } from "../protocol/client-messages.ts";
import type { Entry } from "../protocol/entry.ts";
import { ErrorCode, REFUSE, RefusalError } from "../protocol/errors.ts";
import { type Fact, ROW_FACTS } from "../protocol/facts.ts";
import { type CliType, cliTypeOf, type ElicitationId, type ProjectId, type SessionId } from "../protocol/ids.ts";
import type { SessionResult } from "../protocol/inbox.ts";
import { OUTPUT_PIECE_CHARS_MAX, PAGE_ENTRIES_DEFAULT } from "../protocol/limits.ts";
import type { SearchHit, SearchRequest } from "../protocol/search.ts";
import type {
  PlainServerMessage,
  SessionHistory,
  SessionOutput,
  SessionPage,
  SessionResumed,
} from "../protocol/server-messages.ts";
import type { Turn } from "../protocol/session-parts.ts";
import { type SessionRow, type SessionState, sessionFieldsOf } from "../protocol/session-schema.ts";
import { Recovery, retrySignedOut } from "./agent/recovery.ts";
import { type Answer, writeAnswer } from "./answer.ts";
import { CommandReceipts } from "./command-receipts.ts";
import type { Delegations } from "./delegation/delegations.ts";
import { lastLineOf, summarizeChildren } from "./delegation/summarize-children.ts";
import type { PolicyMessage, PolicyService } from "./policy/policy-service.ts";
import type { WaitCommand } from "./rules/decide-waits.ts";
import { findQuestion, findVisit } from "./rules/open-requests.ts";
import type { AuthoredSend } from "./rules/queue.ts";
import { refuseAttachments } from "./rules/refuse-attachments.ts";
import { Session } from "./session.ts";
import { type CreatedFor, SessionMaker } from "./session-maker.ts";

interface SessionServiceDeps {
  readonly world: World;
  readonly log: SessionLog;
  readonly storage: Storage;
  readonly search: SearchIndex;
  readonly projects: ProjectStore;
  readonly agents: Agents;
  readonly policy: PolicyService;
  readonly choices: AgentChoices;
  readonly delegations: Delegations;
  readonly stallMs: number;
  /** Knows how long no client was there. */
  readonly absence: AbsenceWatch;
  /** Whether a client draws the session as it comes. */
  readonly isWatched: (sessionId: SessionId) => boolean;
  /** Facts that are on disk now: followers are to be woken. */
  readonly onCommitted: (sessionId: SessionId, facts: readonly Fact[]) => void;
  /** A session was made; its facts follow. */
  readonly onCreated?: (sessionId: SessionId) => void;
  /** A session was killed or archived, by whomever. */
  readonly onEnded?: (sessionId: SessionId) => void;
  /** For every client. */
  readonly publish: (message: PlainServerMessage) => void;
  readonly onError: (error: unknown) => void;
}

type Create = Extract<ClientMessage, { type: "session:create" }>;
type Ending = Extract<SessionCommand, { type: "session:kill" | "session:archive" | "session:delete" }>;
/** The last answer is among this many of a session's newest entries, or it is not quoted. */
const RESULT_ENTRIES_READ_MAX = 20;

type SessionChildren = Extract<PlainServerMessage, { type: "session:children" }>;
type Seen = Extract<ClientMessage, { type: "session:seen" }>;

/** The only door to sessions: the page, the command line and MCP tools all act through it. */
export class SessionService {
  readonly #deps: SessionServiceDeps;
  readonly #sessions = new Map<SessionId, Session>();
  /** Sessions that are being read, until they are in `#sessions`. */
  readonly #loading = new Map<SessionId, Promise<Session | null>>();
  readonly #rows = new TaskQueue();
  /** What is to be published of sessions that are being made. */
  readonly #held = new Map<SessionId, (() => void)[]>();
  readonly #recovery = new Recovery();
  readonly #receipts: CommandReceipts;
  readonly #maker: SessionMaker;
  readonly #shown = new ShownSessions();
  readonly #unwatched: UnwatchedQuestions;

  constructor(deps: SessionServiceDeps) {
    this.#deps = deps;
    this.#receipts = new CommandReceipts(deps);
    this.#maker = new SessionMaker({
      ...deps,
      load: (sessionId) => this.#session(sessionId),
      onMade: (id) => this.#release(id),
    });
    this.#unwatched = new UnwatchedQuestions(deps.absence, (id, event) => {
      this.#observe(id, event).catch(deps.onError);
    });
  }

  /** For turns that an earlier run of the server did not see the end of. */
  async recover(): Promise<{ goOn: number; interrupted: number }> {
    const load = (id: SessionId) => this.#session(id);
    const watch = (id: SessionId, asked: ElicitationId) => this.#unwatched.watch(id, asked);
    const recovered = await this.#recovery.run({ ...this.#deps, load, watch });
    for (const id of this.#deps.delegations.forgotten()) this.#end(id, "session:kill").catch(this.#deps.onError);
    return recovered;
  }

  create(command: Create, createdFor?: CreatedFor): Promise<Answer> {
    return this.once(command.commandId, () => this.#maker.make(command, createdFor));
  }

  /** The page has closed a session that never came to be: its agent is not needed, and the row would say nothing. */
  async discard(sessionId: SessionId): Promise<Answer> {
    const session = await this.#session(sessionId);
    if (await session?.isBlank()) await this.execute({ type: "session:delete", sessionId });
    return { kind: "ok" };
  }

  /** Tries again to start the agent of a session that was made without waiting for it; false for any other session. */
  startAgain(sessionId: SessionId): boolean {
    const session = this.#sessions.get(sessionId);
    if (session?.startState?.state !== "failed") return false;
    session.start();
    return true;
  }

  execute(
    command: SessionCommand | AuthoredSend | WaitCommand | (QuestionResponse & { sessionId: SessionId }),
  ): Promise<Answer> {
    return this.once(command.commandId, async () => {
      const session = this.#sessions.get(command.sessionId) ?? (await this.#session(command.sessionId));
      if (!session) return { kind: "refused", refusal: REFUSE.sessionNotFound() };
      if (command.type === "session:configure") return this.#configure(session, command);
      if (command.type === "session:delete") {
        await this.#endChildren(command);
        const drop = () => this.#sessions.delete(session.id);
        return deleteSession(session, command.commandId, { ...this.#deps, drop });
      }
      const answer = await session.dispatch(command);
      if (command.type !== "session:kill" && command.type !== "session:archive") return answer;
      this.#deps.onEnded?.(command.sessionId);
      await this.#endChildren(command);
      return answer;
    });
  }

  /** A session as it stands now, whether it is in memory or not. */
  async view(sessionId: SessionId): Promise<Omit<StoredSession, "continuation"> | null> {
    const row = await this.#deps.log.row(sessionId);
    const session = this.#sessions.get(sessionId);
    if (!session || !row) return this.#deps.log.load(sessionId);
    return { row, state: session.state, binding: session.binding };
  }

  /** Words of ours, in the session they are about. */
  notice(sessionId: SessionId, content: string): void {
    this.#observe(sessionId, { type: "notice", severity: "warning", content }).catch(this.#deps.onError);
  }

  /** Whose question it is, which an answer may leave out; null when it is no session's. */
  askerOf({ sessionId, elicitationId }: QuestionResponse): SessionId | null {
    const isAsking = ({ state }: Session) =>
      (findQuestion(state, elicitationId) ?? findVisit(state, elicitationId)) !== undefined;
    return sessionId ?? [...this.#sessions.values()].find(isAsking)?.id ?? null;
  }

  /** Modes and rules: everyone hears of a change, and what waits for the user is judged by it at once. */
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

  /** A command sent twice acts once: the first outcome answers both, even over a restart. */
  once(commandId: string | undefined, act: () => Promise<Answer>): Promise<Answer> {
    return this.#receipts.once(commandId, act);
  }

  /** The command has its outcome already: sent again, it only repeats that. */
  async isDone(commandId: string): Promise<boolean> {
    return (await this.#deps.log.receipt(commandId)) !== null;
  }

  /** Keeps what a caller's key was first used for, also over a restart; false when it was used for something else. */
  async claimKey(key: string, digest: string): Promise<boolean> {
    const { log, world, storage } = this.#deps;
    if ((await log.receipt(key)) === null && storage.refusal() === null)
      await log.saveReceipt({ commandId: key, answer: digest, at: isoTime(world) });
    return ((await log.receipt(key)) ?? digest) === digest;
  }

  search(request: SearchRequest): readonly SearchHit[] {
    return this.#deps.search.search(request, this.#deps.world.now());
  }

  /** A viewer shows the session as it stood at `seq`, or no longer does. */
  async seen({ sessionId, seq, showing }: Seen, viewer: object): Promise<Answer> {
    // At once: a viewer that leaves while the disk is read must not count as looking at it for ever.
    if (showing === true) this.#shown.show(viewer, sessionId);
    else this.#shown.hide(viewer, sessionId);
    if (!(await this.exists(sessionId))) {
      this.#shown.hide(viewer, sessionId);
      return { kind: "refused", refusal: REFUSE.sessionNotFound() };
    }
    // What was held while nobody looked is due now.
    if (showing === true) await this.#sessions.get(sessionId)?.flush();
    if (showing === false || this.#deps.storage.refusal() !== null) return { kind: "ok" };
    if (await this.#deps.log.markSeen(sessionId, seq)) this.#publishRow(sessionId);
    return { kind: "ok" };
  }

  /** A viewer is gone, whatever it looked at. */
  viewerLeft(viewer: object): void {
    this.#shown.hide(viewer);
  }

  async list(projectId: ProjectId, includeArchived: boolean): Promise<readonly SessionRow[] | null> {
    if (!this.#deps.projects.get(projectId)) return null;
    const rows = await this.#deps.log.rows(projectId, includeArchived);
    return rows.map((row) => this.#withStart(row));
  }

  /** How the agents that a session started are doing; null for a session nobody knows. */
  async children(sessionId: SessionId): Promise<SessionChildren | null> {
    if (!(await this.exists(sessionId))) return null;
    const { delegations, log } = this.#deps;
    await Promise.all(delegations.childrenOf(sessionId).map((id) => this.#sessions.get(id)?.flush()));
    const children = await summarizeChildren({ delegations, log, view: (id) => this.view(id) }, sessionId);
    return { type: "session:children", sessionId, children, ...delegations.spending(sessionId) };
  }

  /** How these sessions ended their last answers. */
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
   * Where a reader starts: whole, or from its own cursor when everything after it is kept. Starts no agent, except for
   * a session of an older app whose words were never read.
   */
  async open(
    sessionId: SessionId,
    after: number | undefined,
    limit = PAGE_ENTRIES_DEFAULT,
  ): Promise<SessionHistory | SessionResumed | null> {
    const session = await this.#session(sessionId);
    if (!session) return null;
    await session.flush();
    session.recall().catch(this.#deps.onError);
    const { log } = this.#deps;
    const draft = await log.drafts.read(sessionId);
    if (after !== undefined && (await log.canResume(sessionId, after)))
      return { type: "session:resumed", ...sessionStanding(sessionId, session.state, draft) };
    for (;;) {
      const { state } = session;
      const page = (await log.page(sessionId, null, limit)) ?? { entries: [], hasMore: false };
      // Entries that settle while the page is read would be in neither of the two, or in both.
      if (session.state !== state) continue;
      const entries = [...page.entries, ...state.open];
      return { type: "session:history", ...sessionStanding(sessionId, state, draft), entries, hasMore: page.hasMore };
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

  /** Sessions in memory: those with an agent, or that someone has opened. */
  loaded(): readonly Pick<Session, "id" | "state" | "binding" | "isAttached" | "flush" | "tryFlush">[] {
    return [...this.#sessions.values()];
  }

  /** The user has signed in: turns that failed for want of it are tried again by themselves. */
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

  /** Where the session's agent works. */
  async cwdOf(sessionId: SessionId): Promise<string | null> {
    return (await this.#deps.log.load(sessionId))?.binding.cwd ?? null;
  }

  /** On its way: its agent may already look around for what it was offered. */
  isMaking(sessionId: SessionId): boolean {
    return this.#maker.isMaking(sessionId);
  }

  async exists(sessionId: SessionId): Promise<boolean> {
    return (await this.#deps.log.row(sessionId)) !== null;
  }

  saveDraft(message: Extract<ClientMessage, { type: "session:draft" }>): Promise<Answer> {
    return keepDraft(this.#deps.log, message);
  }

  /** What still waits is stored; called when the agents are gone and nothing more can come. */
  async flush(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => session.flush()));
  }

  /** What was chosen for an agent of another agent's is no choice of the user's for the next session. */
  #configure(session: Session, command: Extract<SessionCommand, { type: "session:configure" }>): Promise<Answer> {
    const { choices, delegations } = this.#deps;
    return configureSession(session, command, delegations.parentOf(session.id) === undefined ? choices : null);
  }

  /** What an ended session has started ends with it; what leaves the list takes it along. */
  async #endChildren({ type, sessionId }: Ending): Promise<void> {
    const how = type === "session:kill" ? type : "session:archive";
    await Promise.all(this.#deps.delegations.endingWith(sessionId).map((id) => this.#end(id, how)));
  }

  async #end(sessionId: SessionId, type: "session:kill" | "session:archive"): Promise<void> {
    const session = await this.view(sessionId);
    if (!session || session.row.archived || (type === "session:kill" && session.binding.state === "closed")) return;
    await this.execute({ type, sessionId });
  }

  /** In memory from the first use on. Whoever asks while it is read waits for the same, and goes on in that order. */
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
    // Stored is stored: one who fails to hear of it must not undo it.
    const onCommitted = reporting(this.#committed.bind(this), this.#deps.onError);
    const onStart = (id: SessionId) => this.#publishRow(id);
    const session = await Session.load({ ...this.#deps, isShown, onCommitted, onStart }, stored);
    this.#sessions.set(sessionId, session);
    this.#recovery.found(session, stored, outcomes);
    return session;
  }

  /** What is published about a session comes after the session itself. */
  #announce(sessionId: SessionId, publish: () => void): void {
    if (!this.#maker.isMaking(sessionId)) publish();
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
    this.#unwatched.hear(sessionId, facts);
    this.#deps.onCommitted(sessionId, facts);
    if (facts.some((fact) => ROW_FACTS.has(fact.type))) this.#publishRow(sessionId);
    for (const fact of facts) if (fact.type === "session:turn") this.#publishFailure(sessionId, fact.turn);
  }

  /** For clients that follow no session: whoever does has it from the turn's own end. */
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

/** A choice is the agent's to make true: what stands afterwards is the answer. `choices` remembers it for next time. */
async function configureSession(
  session: Session,
  command: Extract<SessionCommand, { type: "session:configure" }>,
  choices: AgentChoices | null,
): Promise<Answer> {
  const { configId, value } = command;
  try {
    await session.configure(command);
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    return { kind: "refused", refusal: error.refusal };
  }
  choices?.remember(cliTypeOf(session.id), configId, value);
  await session.flush();
  return { kind: "config", sessionId: session.id, config: session.state.config, seq: session.state.seq };
}

interface DeletionDeps {
  readonly world: World;
  readonly publish: (message: PlainServerMessage) => void;
  readonly onError: (error: unknown) => void;
  /** Nobody finds the session any more. */
  readonly drop: () => void;
}

/** Gone here at once, for everyone; the agent's own copy goes in its own time. */
async function deleteSession(session: Session, commandId: string | undefined, deps: DeletionDeps): Promise<Answer> {
  const { world, publish, onError, drop } = deps;
  const message = { type: "session:deleted", sessionId: session.id } as const;
  const answer: Answer = { kind: "message", message, published: true };
  await session.delete(commandId === undefined ? null : { commandId, answer: writeAnswer(answer), at: isoTime(world) });
  drop();
  session.end().catch((error) => {
    // That an agent is not there to be asked, or does not want to, is no fault of ours.
    if (!(error instanceof RefusalError)) onError(error);
  });
  publish(message);
  return answer;
}

/** What is being written is kept like what was said, and held to the same limits. */
async function keepDraft(log: SessionLog, message: Extract<ClientMessage, { type: "session:draft" }>): Promise<Answer> {
  const { sessionId, content, attachments } = message;
  const isKnown = (await log.row(sessionId)) !== null;
  const refusal = isKnown ? refuseAttachments(attachments ?? [], undefined) : REFUSE.sessionNotFound();
  if (refusal) return { kind: "refused", refusal };
  await log.drafts.save(sessionId, content, attachments);
  return { kind: "ok" };
}

/** A piece of a text too long for its entry; an entry of before those were taken out has it inside. */
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

/** A piece of what an entry has inside itself; null when there is nothing of that kind in it. */
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

/** Where a session stands, as a follower needs it besides the entries. */
function sessionStanding(
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

/** Which sessions someone looks at this moment, and who: a viewer may have several side by side. */
class ShownSessions {
  readonly #shown = new Map<object, ReadonlySet<SessionId>>();

  /** From now on this viewer looks at it, until it says otherwise or is gone. */
  show(viewer: object, sessionId: SessionId): void {
    this.#shown.set(viewer, new Set(this.#shown.get(viewer)).add(sessionId));
  }

  /** Without a session: whatever the viewer looked at. */
  hide(viewer: object, sessionId?: SessionId): void {
    const left = new Set(this.#shown.get(viewer));
    if (sessionId !== undefined) left.delete(sessionId);
    if (sessionId === undefined || left.size === 0) this.#shown.delete(viewer);
    else this.#shown.set(viewer, left);
  }

  has(sessionId: SessionId): boolean {
    return [...this.#shown.values()].some((shown) => shown.has(sessionId));
  }
}

type OnUnwatched = (sessionId: SessionId, event: Extract<AgentEvent, { type: "question-unwatched" }>) => void;

/** Questions of sessions that are left open while no client is there: the agent is told no rather than left waiting. */
class UnwatchedQuestions {
  readonly #absence: AbsenceWatch;
  readonly #onUnwatched: OnUnwatched;

  constructor(absence: AbsenceWatch, onUnwatched: OnUnwatched) {
    this.#absence = absence;
    this.#onUnwatched = onUnwatched;
  }

  /** To be told what was stored. */
  hear(sessionId: SessionId, facts: readonly Fact[]): void {
    for (const fact of facts) {
      if (fact.type === "elicitation:resolved") this.#absence.forget(fact.elicitationId);
      if (fact.type !== "elicitation:request") continue;
      this.watch(sessionId, fact.elicitationId);
    }
  }

  /** One that is open. */
  watch(sessionId: SessionId, elicitationId: ElicitationId): void {
    const event = { type: "question-unwatched", elicitationId } as const;
    this.#absence.watch(elicitationId, () => this.#onUnwatched(sessionId, event));
  }
}
