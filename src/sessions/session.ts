import { Lookups } from "../lib/lookups.ts";
import { Mailbox } from "../lib/mailbox.ts";
import type { AgentChoices } from "../ports/agent-choices.ts";
import { type AgentEvent, type AgentSession, type Agents, CONVERSATION_EVENTS } from "../ports/agents.ts";
import type { BranchStore } from "../ports/branch-store.ts";
import { whenBack } from "../ports/database-away.ts";
import {
  type AgentBinding,
  type Commit,
  NO_AGENT_SESSION,
  type Receipt,
  type SessionLog,
  type StoredPack,
  type StoredSession,
} from "../ports/session-log.ts";
import type { OwnConversation, SessionWriters } from "../ports/session-writers.ts";
import type { Storage } from "../ports/storage.ts";
import type { SessionPlace, Workdirs } from "../ports/workdirs.ts";
import type { WorktreePlace, Worktrees } from "../ports/worktrees.ts";
import { isoTime, type World } from "../ports/world.ts";
import type { SessionCommand } from "../protocol/client-messages.ts";
import { packUri } from "../protocol/conversation-pack.ts";
import type { LimitsResume } from "../protocol/conversations.ts";
import type { Entry, Part } from "../protocol/entry.ts";
import { REFUSE, type Refusal, RefusalError } from "../protocol/errors.ts";
import type { Fact, FactBody } from "../protocol/facts.ts";
import type { CliType, EntryId, PermissionId, ProjectId, SessionId, TurnId } from "../protocol/ids.ts";
import { isPermission } from "../protocol/pending-request.ts";
import { reduceSession } from "../protocol/reduce-session.ts";
import type { PermissionOutcome, PermissionToolCall, SessionConfig } from "../protocol/session-parts.ts";
import { isTurnActive, type SessionStart, type SessionState } from "../protocol/session-schema.ts";
import type { WholeOutput } from "../protocol/shorten-entry.ts";
import { AgentLink, turnError } from "./agent/agent-link.ts";
import { AgentStanding } from "./agent/agent-standing.ts";
import type { EarlyEvents } from "./agent/early-events.ts";
import { RejoinedAgent } from "./agent/rejoined-agent.ts";
import { SilenceWatch } from "./agent/silence-watch.ts";
import type { Answer } from "./answer.ts";
import { boundDepth } from "./bound-depth.ts";
import { answerOf, type CommandResult, isSend, refused, stateAfter, unstorable } from "./command-result.ts";
import { buildCommit, SettledEntries } from "./commit/build-commit.ts";
import { offloadOutput } from "./commit/offload-output.ts";
import type { Delegations } from "./delegation/delegations.ts";
import type { ConversationPacks } from "./handover/conversation-packs.ts";
import type { Pack } from "./handover/pack-conversation.ts";
import { mergeText } from "./merge-text.ts";
import type { Policy, Verdict } from "./policy/policy.ts";
import type { Consideration, PolicyService } from "./policy/policy-service.ts";
import { decide } from "./rules/decide.ts";
import { observe } from "./rules/observe.ts";
import { askedNow } from "./rules/observe-notice.ts";
import { advanceRegister, EMPTY_REGISTER, isCurrent } from "./rules/open-requests.ts";
import type {
  Effect,
  Evaluation,
  Observed,
  PolicyEvent,
  SessionContext,
  WorkdirEvent,
  WriterEvent,
} from "./rules/session-context.ts";
import { primerUsed } from "./rules/turn.ts";
import { silentNotice } from "./transfer/adopt-history.ts";

/** The dependencies of a session. */
interface SessionDeps {
  readonly world: World;
  readonly log: SessionLog;
  readonly storage: Storage;
  readonly agents: Agents;
  readonly policy: PolicyService;
  readonly choices: AgentChoices;
  readonly writers: SessionWriters;
  readonly workdirs: Pick<
    Workdirs,
    "prepare" | "turnStarts" | "turnContinues" | "turnEnded" | "touched" | "openCounts"
  >;
  readonly worktrees: Pick<Worktrees, "find" | "used">;
  readonly delegations: Pick<Delegations, "parentOf">;
  readonly branches: Pick<BranchStore, "find">;
  readonly packs: ConversationPacks;
  /** A turn without any output for this long is shown as stalled. */
  readonly stallMs: number;
  /** What happens to a session when its usage limit ends. */
  readonly limitsResume: LimitsResume;
  /** Whether someone views the session at this moment. */
  readonly isShown: (sessionId: SessionId) => boolean;
  /** Whether a client displays the session live; one that follows it hidden does not. */
  readonly isWatched: (sessionId: SessionId) => boolean;
  readonly onCommitted: (sessionId: SessionId, facts: readonly Fact[]) => void;
  /** The progress of its agent's start has changed. */
  readonly onStart: (sessionId: SessionId) => void;
  readonly onError: (error: unknown) => void;
}

/** The single writer of one session: commands and the agent's output enter one mailbox, facts leave to the log. */
export class Session {
  readonly id: SessionId;
  readonly projectId: ProjectId;
  readonly #cliType: CliType;
  /** An agent that another session started has no user who could be asked: it continues automatically after a limit. */
  readonly #limitsResume: LimitsResume;
  readonly #deps: SessionDeps;
  readonly #mailbox: Mailbox<Mail>;
  readonly #link: AgentLink;
  #requests = EMPTY_REGISTER;
  #state: SessionState;
  #storedState: SessionState;
  readonly #lookups: Lookups;
  readonly #settled: SettledEntries;
  readonly #standing: AgentStanding;
  /** Folded into the state, not yet on disk: no reader has seen them. */
  #staged: Fact[] = [];
  #stagedOutputs: WholeOutput[] = [];
  #stagedPacks: StoredPack[] = [];
  #stagedEffects: Effect[] = [];
  #retry: ReturnType<typeof setTimeout> | undefined;
  /** The last commit of what the agent sent failed: it is staged, and tried again. */
  #isFailing = false;
  #isEnded = false;
  /** The next server stores what this one did not. */
  #hasLeft = false;
  #hasRecalled = false;
  /** For a session that was created before its agent was attached. */
  #start: SessionStart | null = null;
  /** While an older app's messages are read: the time of the session's last activity. */
  #recallingSince: string | null = null;
  readonly #silence: SilenceWatch;
  /** The agent has not received the prompt yet: its silence means nothing. */
  #isTakingCheckpoint = false;
  /** Files that tools of the running turn reported as changed. */
  readonly #written = new Set<string>();
  /** Callers that wait for the end of the turn. */
  #awaitingEnd: (() => void)[] = [];

  /** Reads what it needs besides the stored session. */
  static async load(deps: SessionDeps, stored: StoredSession): Promise<Session> {
    const lookups = new Lookups();
    return new Session(deps, stored, lookups, await SettledEntries.open(stored.row.id, deps.log, lookups));
  }

  private constructor(deps: SessionDeps, stored: StoredSession, lookups: Lookups, settled: SettledEntries) {
    this.id = stored.row.id;
    this.#cliType = stored.row.cliType;
    this.projectId = stored.row.projectId;
    this.#limitsResume = stored.row.parentId === undefined ? deps.limitsResume : "auto";
    this.#deps = deps;
    this.#state = stored.state;
    this.#storedState = stored.state;
    this.#standing = new AgentStanding(stored);
    this.#lookups = lookups;
    this.#settled = settled;
    this.#mailbox = new Mailbox({
      itemsMax: PACE.mailItemsMax,
      holdMs: () => (deps.isWatched(this.id) ? PACE.textHoldMs : PACE.unwatchedTextHoldMs),
      now: deps.world.now,
      handle: (batch) => this.#handle(batch),
      onError: deps.onError,
    });
    this.#silence = new SilenceWatch(deps.stallMs, deps.world.now, () => this.observe({ type: "silent" }));
    this.#link = new AgentLink({
      sessionId: this.id,
      projectId: stored.row.projectId,
      cliType: stored.row.cliType,
      agents: deps.agents,
      binding: () => this.#standing.binding,
      agentSeenAt: () => {
        const { agentSeenAt } = this.#standing.continuation;
        return agentSeenAt === null ? null : Date.parse(agentSeenAt);
      },
      userMessages: () => deps.log.userMessageCount(this.id),
      said: () => deps.log.said(this.id),
      options: async () => {
        await this.flush();
        return this.#state.config.options;
      },
      // The user's permissions elsewhere must not be passed on by an agent.
      choices: async () =>
        (await deps.delegations.parentOf(this.id)) === undefined ? deps.choices.of(this.#cliType) : new Map(),
      carriedOptions: () => new Map(Object.entries(this.#state.primer?.options ?? {})),
      toldWith: (entryId) => this.#toldWith(entryId),
      beforePrompt: (turnId) => this.#takeCheckpoint(turnId),
      checkPlace: () => (this.#state.worktree === null ? null : this.checkPlace()),
      checkWriter: () => {
        const refusal = this.lookForWriter();
        if (refusal) throw new RefusalError(refusal);
      },
      isBehind: () => this.isBehind,
      turnId: () => (isTurnActive(this.#state.turn) ? (this.#state.turn.turnId ?? null) : null),
      isRunning: (turnId) => !this.#isEnded && isTurnActive(this.#state.turn) && this.#state.turn.turnId === turnId,
      post: (event) => this.observe(event),
      tryFlush: () => this.tryFlush(),
      onAttached: (agent) => this.#attached(agent),
      onError: deps.onError,
    });
  }

  /** Only stored state, with the entries of the running turn; settled ones are read from the log. */
  get state(): SessionState {
    return this.#storedState;
  }

  /** Its agent's process has the conversation open now. */
  get isAttached(): boolean {
    return this.#link.isAttached;
  }

  get binding(): AgentBinding {
    return this.#standing.binding;
  }

  get #place(): SessionPlace {
    return { sessionId: this.id, cwd: this.binding.cwd };
  }

  /** Resolves when no turn runs. */
  async turnOver(): Promise<void> {
    while (!this.#isEnded && isTurnActive(this.#storedState.turn))
      await new Promise<void>((resolve) => this.#awaitingEnd.push(resolve));
  }

  /** Rejects with a refusal when the worktree it works in does not exist. */
  async checkPlace(): Promise<void> {
    const { worktree } = this.#state;
    if (worktree === null) return;
    const { cwd } = this.binding;
    if ((await this.#deps.worktrees.find(worktree.worktreeId))?.cwd !== cwd)
      throw new RefusalError(REFUSE.worktreeMissing(worktree.name, cwd));
    this.#deps.worktrees.used(worktree.worktreeId);
  }

  /**
   * It works in another directory from now on. Agents keep their sessions by directory, so its agent starts afresh
   * there and gets the conversation so far with the next message. Refused while a turn runs; then nothing has changed.
   */
  async move({ place, projectPath, content }: Move): Promise<void> {
    await this.flush();
    this.#refuseMove();
    await this.#link.release();
    await this.#inOrder(async () => {
      await this.#store();
      this.#refuseMove();
      const before = [this.#state, this.#standing.snapshot()] as const;
      try {
        const worktree = place && { worktreeId: place.worktreeId, name: place.name, branch: place.branch };
        const pack = await this.#pack();
        const primer = { context: pack?.context ?? null, options: optionValues(this.#state.config) };
        const { facts } = await this.#withSettled((context) =>
          observe(context, { type: "session-moved", worktree, content, primer }),
        );
        await this.#stage(facts);
        if (pack) this.#stagedPacks.push({ entryId: null, content: pack.content });
        this.#standing.moved(place?.cwd ?? projectPath, this.#now());
        await this.#commit(null);
      } catch (error) {
        this.#state = before[0];
        this.#standing.restore(before[1]);
        this.#staged = [];
        this.#stagedOutputs = [];
        this.#stagedPacks = [];
        throw error;
      }
    });
    if (this.binding.state !== "closed") this.start();
    this.recount().catch(this.#deps.onError);
  }

  #refuseMove(): void {
    if (this.#isEnded) throw new RefusalError(REFUSE.sessionNotFound());
    if (this.#isFailing) throw new RefusalError(this.#deps.storage.refusal() ?? REFUSE.internal());
    if (isTurnActive(this.#state.turn)) throw new RefusalError(REFUSE.workdirBusy());
  }

  /** The agent's own conversation; null while there is none. */
  get conversation(): OwnConversation | null {
    const { agentSessionId, cwd } = this.binding;
    return agentSessionId === NO_AGENT_SESSION ? null : { cliType: this.#cliType, agentSessionId, cwd };
  }

  /**
   * Checks whether another program has the conversation open, notifies the readers, and returns the refusal of a
   * message.
   */
  lookForWriter(): Refusal | null {
    const { conversation } = this;
    if (conversation === null) return null;
    const { agentSeenAt } = this.#standing.continuation;
    const ownUntil = this.isAttached ? this.#deps.world.now() : agentSeenAt && Date.parse(agentSeenAt);
    const { state, ...other } = this.#deps.writers.writerOf(conversation, ownUntil || null);
    const writer = state === "held" ? other : null;
    if (writer !== null || this.#state.away?.writer) this.#post({ type: "writer-seen", writer });
    return writer && REFUSE.agentSessionBusy(writer);
  }

  /** The conversation was continued elsewhere, and the transcript lacks that part. */
  get isBehind(): boolean {
    const { conversation } = this;
    const { agentSeenAt } = this.#standing.continuation;
    if (conversation === null || agentSeenAt === null) return false;
    return this.#deps.writers.saidAfter(conversation, Date.parse(agentSeenAt)) === true;
  }

  /** Everything the agent remembers, read at that time: new messages are added. Not while a turn runs. */
  async catchUp(events: readonly AgentEvent[], readAt: string): Promise<void> {
    await this.flush();
    if (isTurnActive(this.#state.turn)) return;
    await this.#inOrder(async () => this.#standing.seen(readAt));
    this.#post({ type: "replayed", events, whole: true });
    this.#post({ type: "caught-up" });
    await this.flush();
  }

  /** The conversation continues in a terminal with this command. */
  async handedBack(command: string): Promise<void> {
    this.#post({ type: "handed-back", command });
    await this.flush();
  }

  /** Closes its agent; the next message starts it again. */
  release(): Promise<void> {
    return this.#link.release();
  }

  /** The files it works on have changed. */
  observeFiles(event: WorkdirEvent): void {
    this.#post(event);
  }

  /** Counts its unreviewed and uncommitted work again. */
  async recount(): Promise<void> {
    const counts = await this.#deps.workdirs.openCounts(this.#place);
    this.#post({ type: "changes-counted", counts });
  }

  dispatch(command: DecidedCommand): Promise<Answer> {
    return new Promise((answer) => this.#mailbox.post({ from: "user", command, answer }));
  }

  observe(event: AgentEvent): void {
    this.#mailbox.post(
      { from: "agent", event: boundDepth(event), lastLine: this.#link.lastLine },
      event.type === "text" || event.type === "tool-output" ? "soon" : "now",
    );
  }

  /** A new session takes over the agent it was created with, the output received meanwhile, and its given title. */
  async adopt(agent: AgentSession, early: EarlyEvents, title: string | undefined): Promise<void> {
    this.#link.adopt(agent);
    this.#deps.workdirs.prepare(this.#place);
    const { lastLine } = agent;
    // One batch, and so one commit: the line number must not be stored without what came up to that line.
    const adopted = this.#inOrder(async () => {
      this.#standing.adopted(agent, lastLine);
      await this.#stageTitle(title);
    });
    early.handOver(this.#link.sink);
    await adopted;
    await this.flush();
  }

  /** A new session without an agent: its agent starts now. */
  async begin(title: string | undefined): Promise<void> {
    await this.#inOrder(() => this.#stageTitle(title));
    await this.flush();
    this.start();
  }

  async #stageTitle(title: string | undefined): Promise<void> {
    if (title !== undefined) await this.#stage([{ type: "session:title-updated", title, source: "user" }]);
  }

  /** The progress of the agent's first start; null when it is attached, or when a message will start it. */
  get startState(): SessionStart | null {
    return this.#start;
  }

  /** Attaches the agent ahead of the first message. */
  start(): void {
    this.#setStart({ state: "starting" });
    this.#deps.workdirs.prepare(this.#place);
    this.#link
      .ensure()
      .catch((error: unknown) => this.#startFailed(error))
      .catch(this.#deps.onError);
  }

  async #startFailed(error: unknown): Promise<void> {
    if (!(error instanceof RefusalError)) this.#deps.onError(error);
    await this.flush();
    // A message that waited for it reports the failure itself, and a session that was stopped needs no agent.
    const isReported = isTurnActive(this.#state.turn) || (await this.#deps.log.userMessageCount(this.id)) > 0;
    const isWanted = !isReported && this.binding.state !== "closed";
    this.#setStart(isWanted ? { state: "failed", error: turnError(error) } : null);
  }

  /** No agent was ever attached, and the user has written nothing: no message, no draft, no title. */
  async isBlank(): Promise<boolean> {
    await this.flush();
    const { log } = this.#deps;
    const { content, attachments } = await log.drafts.read(this.id);
    const hasEntries = this.#state.open.length > 0 || (await log.page(this.id, null, 1))?.entries.length !== 0;
    const isUnwritten = content === "" && attachments.length === 0 && this.#state.titleSource === "none";
    return this.binding.agentSessionId === NO_AGENT_SESSION && isUnwritten && !hasEntries;
  }

  #setStart(start: SessionStart | null): void {
    if (this.#isEnded || (start === null && this.#start === null)) return;
    this.#start = start;
    this.#deps.onStart(this.id);
  }

  /** Looks for the agent of an earlier server; `goOn` follows when its output has been processed. */
  rejoin(stored: StoredSession, outcomes: ReadonlyMap<PermissionId, PermissionOutcome>): RejoinedAgent {
    const { agents } = this.#deps;
    const tryFlush = () => this.tryFlush();
    const rejoined = new RejoinedAgent(stored, { agents, outcomes, link: this.#link, tryFlush });
    if (rejoined.isThere) this.#standing.rejoined(isTurnActive(stored.state.turn));
    return rejoined;
  }

  goOn(rejoined: RejoinedAgent): Promise<void> {
    return this.#inOrder(async () => {
      await this.#store();
      for (const event of rejoined.withdrawn(this.#state)) this.observe(event);
      const { turnId } = this.#state.turn;
      if (isTurnActive(this.#state.turn) && turnId) this.#deps.workdirs.turnContinues(this.#place, turnId);
      for (const path of this.#state.open.flatMap(writtenBy)) this.#written.add(path);
      this.#runAll(await this.#withSettled((context) => rejoined.unsaid(this.#state, context.lastUserEntry)));
      this.#silence.reset(this.#state.turn.state === "running");
    });
  }

  /** Stores what was received before the call; false when the disk refuses it now. */
  async tryFlush(): Promise<boolean> {
    await this.flush();
    return !this.#hasLeft && (this.#isEnded || !this.#isFailing);
  }

  configure(command: Extract<SessionCommand, { type: "session:configure" }>): Promise<void> {
    return this.#link.configure(command.configId, command.value);
  }

  /**
   * An older app stored a session without its messages, which only the agent has. They are read when a client opens it,
   * once for each run of the server until that succeeds.
   */
  async recall(): Promise<void> {
    const { binding, continuation } = this.#standing;
    const isUnread = binding.adopted === true && continuation.agentSeenAt === null;
    const isOver = binding.agentSessionId === NO_AGENT_SESSION || binding.state === "closed";
    if (!isUnread || isOver || this.#hasRecalled || this.#deps.storage.refusal() !== null) return;
    this.#hasRecalled = true;
    this.#recallingSince = (await this.#deps.log.row(this.id))?.lastActiveAt ?? null;
    let agent: AgentSession;
    try {
      agent = await this.#link.ensure();
    } catch (error) {
      this.#recallingSince = null;
      const content = `Could not read the history of this session. ${turnError(error).message}\nSend a message to try again.`;
      this.observe({ type: "notice", severity: "warning", content });
      return;
    }
    await this.#recalled(agent);
  }

  async #recalled({ origin }: AgentSession): Promise<void> {
    await this.flush();
    this.#recallingSince = null;
    const isEmpty = this.#state.open.length === 0 && (await this.#deps.log.said(this.id)).length === 0;
    if (!isEmpty || origin === "forgotten") return;
    const name = this.#deps.agents.find(this.#cliType)?.name ?? String(this.#cliType);
    this.observe(silentNotice(name, origin === "resumed" ? "memory" : "words"));
  }

  /** The policy has changed: it may now answer open requests. */
  reevaluateRequests(): void {
    if (this.#state.pending.some(isPermission)) this.#post({ type: "policy-changed" });
  }

  /** Resolves when everything received before the call is stored, or could not be; used before a history is read. */
  async flush(): Promise<void> {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    // What could not be stored before is tried again at the end of the next batch.
    if (this.#isFailing) this.#mailbox.post({ from: "session", run: async () => undefined });
    await this.#mailbox.flush();
  }

  /** Removes the session from the log, after everything received before the call. What its agent sends later is dropped. */
  delete(receipt: Receipt | null): Promise<void> {
    return this.#inOrder(async () => {
      await this.#store();
      await this.#deps.log.delete(this.id, receipt);
      this.#isEnded = true;
      this.#staged = [];
      clearTimeout(this.#retry);
      this.#silence.reset(false);
    });
  }

  /** The server has left it to the next one: nothing more of it is stored or sent. */
  leave(): void {
    this.#isEnded = true;
    this.#hasLeft = true;
    this.#staged = [];
    this.#stagedEffects = [];
    clearTimeout(this.#retry);
    this.#silence.reset(false);
  }

  /** The session is deleted: its agent is closed. */
  end(): Promise<void> {
    return this.#link.end(this.#state.pending);
  }

  /** Runs the task in its place among commands and events: nothing else changes the session meanwhile. */
  #inOrder(task: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#mailbox.post({ from: "session", run: () => task().then(resolve, reject) });
    });
  }

  /** A run of agent events is one commit; a command closes the run, decides, and starts the next. */
  async #handle(batch: readonly Mail[]): Promise<void> {
    this.#lookups.clear();
    let run: AgentMail[] = [];
    for (const mail of batch) {
      if (mail.from === "agent") {
        run.push(mail);
        continue;
      }
      await this.#absorb(run);
      run = [];
      if (mail.from === "session") await mail.run();
      else mail.answer(await this.#execute(mail.command));
    }
    await this.#absorb(run);
    await this.#store();
  }

  /** The resulting facts are staged; `#store` writes them to disk. */
  async #absorb(run: readonly AgentMail[]): Promise<void> {
    if (this.#isEnded) return;
    for (const event of mergeText(run.map(({ event }) => event))) {
      const said = event.type === "replayed" ? this.#recallingSince : null;
      const { facts, effects } = await this.#withSettled((context) =>
        observe(said === null ? context : { ...context, now: said }, event),
      );
      this.#requests = advanceRegister(this.#requests, { pending: this.#state.pending, event, facts, effects });
      await this.#stage(facts);
      this.#stagedEffects.push(...effects);
      if (event.type === "lost") this.#standing.lost(event.state, this.#now());
      // A turn that never reached the agent shows nothing about the agent's memory.
      const isEnd = event.type === "turn-ended" || event.type === "turn-failed";
      // Between turns an agent may continue with work of its own.
      const isAfterTurn = SAYS.has(event.type) && !isTurnActive(this.#state.turn);
      if ((isEnd || isAfterTurn) && this.#link.isAttached) this.#standing.seen(this.#now());
    }
    for (const { lastLine } of run) this.#standing.readUpTo(lastLine);
  }

  /** What is staged is committed, then its effects run. */
  async #store(): Promise<void> {
    if (this.#isEnded) return;
    if (this.#hasUnstored) await this.#commitStaged();
    else this.#runAll(this.#stagedEffects.splice(0));
  }

  async #execute(command: DecidedCommand): Promise<Answer> {
    // No outcome: the client repeats it at the next server.
    if (this.#hasLeft) return unstorable(this.#deps.storage);
    if (this.#isEnded) return { kind: "refused", refusal: REFUSE.sessionNotFound() };
    await this.#store();
    if (this.#isFailing) return unstorable(this.#deps.storage);
    const before = [this.#state, this.#standing.snapshot(), this.#requests] as const;
    let done: { readonly answer: Answer; readonly effects: readonly Effect[] };
    try {
      done = await this.#decide(command);
    } catch (error) {
      this.#state = before[0];
      this.#standing.restore(before[1]);
      this.#requests = before[2];
      this.#staged = [];
      this.#stagedOutputs = [];
      this.#stagedPacks = [];
      this.#deps.onError(error);
      return unstorable(this.#deps.storage);
    }
    this.#runAll(done.effects);
    return done.answer;
  }

  /** The outcome is stored when this resolves. */
  async #decide(command: DecidedCommand): Promise<{ answer: Answer; effects: readonly Effect[] }> {
    const { commandId } = command;
    const decision = await this.#withSettled((context) => decide(context, command));
    if (!decision.ok)
      return { answer: await refused(commandId, decision.refusal, this.#deps.log, this.#now()), effects: [] };
    const { facts, effects } = decision;
    this.#requests = advanceRegister(this.#requests, { pending: this.#state.pending, facts, effects });
    await this.#stage(facts);
    this.#standing.decided(decision.effects, stateAfter(this.binding.state, decision.effects), this.#now());
    const answer = answerOf(this.#staged, this.#state.seq, decision.answer);
    await this.#commit({ answer, commandId, isSend: isSend(command) });
    return { answer, effects: decision.effects };
  }

  async #stage(facts: readonly FactBody[]): Promise<void> {
    for (const whole of facts) {
      const { fact: body, outputs } = await this.#withSettled(({ settledEntry }) =>
        offloadOutput(this.#state, whole, settledEntry),
      );
      this.#stagedOutputs.push(...outputs);
      const fact: Fact = { ...body, sessionId: this.id, seq: this.#state.seq + 1 };
      this.#state = reduceSession(this.#state, fact);
      this.#staged.push(fact);
    }
  }

  /** Output of an agent is never dropped: a failed commit is retried until the disk accepts it. */
  async #commitStaged(): Promise<void> {
    try {
      await this.#commit(null);
    } catch (error) {
      if (this.#isEnded) return;
      this.#isFailing = true;
      this.#deps.onError(error);
      this.#retry ??= setTimeout(() => this.flush().catch(this.#deps.onError), PACE.commitRetryMs).unref();
      return;
    }
    this.#isFailing = false;
    this.#runAll(this.#stagedEffects.splice(0));
  }

  async #commit(done: CommandResult | null): Promise<void> {
    const facts = this.#staged;
    const { commit, settled, working } = buildCommit({
      ...{ facts, state: this.#state, outputs: this.#stagedOutputs, done, now: this.#now() },
      isShown: this.#deps.isShown(this.id),
      isFromMemory: this.#recallingSince !== null,
    });
    this.#standing.works(isTurnActive(working.turn), this.#link.isAttached, this.#now());
    await this.#deps.log.commit(this.id, {
      ...commit,
      packs: this.#stagedPacks,
      payer: facts.some(({ type }) => type === "session:config") ? this.#payer() : undefined,
      ...this.#standing.toCommit(),
    });
    this.#state = working;
    this.#storedState = working;
    this.#staged = [];
    this.#stagedOutputs = [];
    this.#stagedPacks = [];
    this.#standing.stored();
    this.#settled.committed(settled, facts);
    if (!isTurnActive(working.turn)) this.#standing.turnEnded();
    this.#silence.reset(working.turn.state === "running" && !this.#isTakingCheckpoint);
    // From now on the turn reports the progress.
    if (isTurnActive(working.turn) && this.#start?.state === "failed") this.#setStart(null);
    if (facts.length > 0) this.#deps.onCommitted(this.id, facts);
    this.#followFiles(facts);
    if (!isTurnActive(working.turn)) for (const resolve of this.#awaitingEnd.splice(0)) resolve();
  }

  #payer(): Commit["payer"] {
    return { at: this.#now(), account: this.#deps.agents.find(this.#cliType)?.limits?.account ?? null };
  }

  /** A turn that has ended gets its checkpoint; a tool that has ended may have changed files. */
  #followFiles(facts: readonly Fact[]): void {
    const { workdirs, onError } = this.#deps;
    let isTouched = false;
    for (const fact of facts) {
      if (fact.type === "session:turn" && fact.turn.state === "idle" && fact.turn.turnId)
        this.#turnEnded(fact.turn.turnId).catch(onError);
      if (fact.type !== "session:update") continue;
      isTouched ||= fact.entry.type === "tool-call" && fact.entry.status !== "running";
      for (const path of writtenBy(fact.entry)) this.#written.add(path);
    }
    if (isTouched) workdirs.touched(this.#place);
  }

  async #takeCheckpoint(turnId: TurnId): Promise<void> {
    this.#isTakingCheckpoint = true;
    this.#written.clear();
    this.#silence.reset(false);
    await this.#deps.workdirs.turnStarts(this.#place, turnId);
    this.#isTakingCheckpoint = false;
    this.#silence.reset(this.#state.turn.state === "running");
  }

  async #turnEnded(turnId: TurnId): Promise<void> {
    const written = [...this.#written];
    this.#written.clear();
    const changes = await this.#deps.workdirs.turnEnded(this.#place, turnId, written);
    if (changes !== null) this.#post({ type: "turn-changes", turnId, changes });
    if (changes !== null || this.#state.changes !== null) await this.recount();
  }

  #runAll(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.type === "evaluate-permission") this.#evaluate(effect);
      else this.#link.run(effect);
    }
  }

  #consider(toolCall: PermissionToolCall): Consideration {
    const { policy, onError } = this.#deps;
    const policies = this.#lookups.find<readonly Policy[]>("policies", [], async () => {
      try {
        return await policy.policiesOver(this.id);
      } catch (error) {
        // A policy that cannot be read must not block the agent: then the user is asked.
        onError(error);
        return [];
      }
    });
    return policy.consider({ id: this.id, cwd: this.binding.cwd }, toolCall, policies);
  }

  #evaluate({ evaluationId, request, isOpen }: Evaluation): void {
    if (!isCurrent(this.#requests, { evaluationId, request })) return;
    const { policy, onError } = this.#deps;
    const post = (verdict: Verdict) =>
      this.#post({ type: "permission-evaluated", evaluationId, request, isOpen, verdict });
    policy.evaluate({ id: this.id, cwd: this.binding.cwd }, request.toolCall).then(post, (error) => {
      onError(error);
      post({ answer: "ask", why: "The rules could not be applied." });
    });
  }

  #post(event: PolicyEvent | WorkdirEvent | WriterEvent | AgentEvent): void {
    this.#mailbox.post({ from: "agent", event, lastLine: 0 });
  }

  async #attached(agent: AgentSession): Promise<void> {
    const { lastLine } = agent;
    // In its place: each process counts its own lines, and those of the one before come first.
    await this.#inOrder(async () => {
      this.#standing.attached(agent, lastLine, this.#now());
      await this.#stage(primerUsed({ state: this.#state }));
      if (agent.origin === "forgotten") await this.#memoryLost();
    });
    // Before any request to it: a later server must know which process to look for.
    await this.flush();
    this.#setStart(null);
  }

  /** What the agent no longer knows is sent with the message that is on its way, or with the next one. */
  async #memoryLost(): Promise<void> {
    const asked = await this.#withSettled(askedNow);
    const found = asked && (await this.#deps.branches.find(this.id, asked.entryId));
    const pack = await this.#pack(found ? found.position - 1 : undefined);
    const { facts } = await this.#withSettled((context) =>
      observe(context, { type: "memory-lost", context: pack?.context ?? null }),
    );
    await this.#stage(facts);
    if (pack) this.#stagedPacks.push({ entryId: asked?.entryId ?? null, content: pack.content });
  }

  #pack(until?: number): Promise<Pack | null> {
    const request = { sessionId: this.id, reader: this.id, cliType: this.#cliType };
    return this.#deps.packs.make(until === undefined ? request : { ...request, until });
  }

  async #toldWith(entryId: EntryId): Promise<Part | null> {
    const text = await this.#deps.log.pack(this.id, entryId);
    if (text === null) return null;
    if (this.#state.config.abilities?.embeddedContext !== true) return { type: "text", text };
    return { type: "resource", uri: packUri(this.id), mimeType: "text/markdown", text };
  }

  get #hasUnstored(): boolean {
    return !this.#isEnded && (this.#staged.length > 0 || this.#standing.isUnstored);
  }

  #now(): string {
    return isoTime(this.#deps.world);
  }

  /** Runs a pure rule. Settled entries it asked for are fetched, and then it runs again. */
  async #withSettled<Result>(rule: (context: SessionContext) => Result): Promise<Result> {
    for (;;) {
      const result = rule(this.#context());
      if (!this.#lookups.isMissing) return result;
      // Later mail waits meanwhile: no output of an agent may be skipped.
      await whenBack(
        () => !this.#isEnded,
        () => this.#lookups.fetchMissing(),
      );
    }
  }

  #context(): SessionContext {
    return Object.assign(this.#settled.seenFrom(this.#state, this.#staged), {
      state: this.#state,
      now: this.#now(),
      newId: this.#deps.world.newId,
      cancelling: this.#standing.continuation.cancelling,
      requests: this.#requests,
      limitsResume: () => this.#limitsResume,
      consider: (toolCall: PermissionToolCall) => this.#consider(toolCall),
    });
  }
}

const SAYS: ReadonlySet<string> = CONVERSATION_EVENTS;

const WRITING_KINDS: ReadonlySet<string> = new Set(["edit", "delete", "move"]);

/** The files that a tool call changed, as the agent names them. */
function writtenBy(entry: Entry): readonly string[] {
  if (entry.type !== "tool-call" || entry.status !== "complete" || !WRITING_KINDS.has(entry.kind ?? "")) return [];
  const shown = (entry.parts ?? []).flatMap((part) => (part.type === "diff" ? [part.path] : []));
  return [...(entry.locations ?? []).map(({ path }) => path), ...shown];
}

/** The target place of a session; `place` null: the project's own directory. */
export interface Move {
  readonly place: WorktreePlace | null;
  readonly projectPath: string;
  /** For the user. */
  readonly content: string;
}

/** The values of all options, by their ids. */
export function optionValues({ options }: SessionConfig): Record<string, string | boolean> {
  return Object.fromEntries(options.map(({ id, currentValue }) => [id, currentValue]));
}

const PACE = {
  /** One frame of a 60 Hz screen: text that comes faster is committed and sent together. */
  textHoldMs: 16,
  /** Text that no client displays: merged into fewer facts, so that sessions in the background cost little. */
  unwatchedTextHoldMs: 1_000,
  mailItemsMax: 2_000,
  /** What could not be stored is tried again after this long. */
  commitRetryMs: 1_000,
};

type DecidedCommand = Parameters<typeof decide>[1];

/** The inputs of a session: commands, events of its agent, and its own tasks, which never reject. */
type Mail =
  | { from: "user"; command: DecidedCommand; answer: (answer: Answer) => void }
  | { from: "session"; run: () => Promise<void> }
  | AgentMail;

/** `lastLine` is the last line read from the agent's process by then. */
type AgentMail = { from: "agent"; event: Observed; lastLine: number };
