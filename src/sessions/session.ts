import { Lookups } from "../lib/lookups.ts";
import { Mailbox } from "../lib/mailbox.ts";
import type { AgentChoices } from "../ports/agent-choices.ts";
import type { AgentEvent, AgentSession, Agents } from "../ports/agents.ts";
import {
  type AgentBinding,
  NO_AGENT_SESSION,
  type Receipt,
  type SessionLog,
  type StoredSession,
} from "../ports/session-log.ts";
import type { Storage } from "../ports/storage.ts";
import { isoTime, type World } from "../ports/world.ts";
import type { SessionCommand } from "../protocol/client-messages.ts";
import { REFUSE, RefusalError } from "../protocol/errors.ts";
import type { Fact, FactBody } from "../protocol/facts.ts";
import type { CliType, PermissionId, SessionId } from "../protocol/ids.ts";
import { isPermission } from "../protocol/pending-request.ts";
import { reduceSession } from "../protocol/reduce-session.ts";
import type { PermissionOutcome, PermissionToolCall } from "../protocol/session-parts.ts";
import { isTurnActive, type SessionStart, type SessionState } from "../protocol/session-schema.ts";
import type { WholeOutput } from "../protocol/shorten-entry.ts";
import { AgentLink, forgotten, turnError } from "./agent/agent-link.ts";
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
import { mergeText } from "./merge-text.ts";
import type { Policy, Verdict } from "./policy/policy.ts";
import type { Consideration, PolicyService } from "./policy/policy-service.ts";
import { decide } from "./rules/decide.ts";
import { observe } from "./rules/observe.ts";
import { advanceRegister, EMPTY_REGISTER, isCurrent } from "./rules/open-requests.ts";
import type { Effect, Evaluation, Observed, PolicyEvent, SessionContext } from "./rules/session-context.ts";
import { silentNotice } from "./transfer/adopt-history.ts";

/** What a session needs from those around it. */
interface SessionDeps {
  readonly world: World;
  readonly log: SessionLog;
  readonly storage: Storage;
  readonly agents: Agents;
  readonly policy: PolicyService;
  readonly choices: AgentChoices;
  readonly delegations: Pick<Delegations, "parentOf">;
  /** A turn with nothing heard for this long is shown as stalled. */
  readonly stallMs: number;
  /** Whether someone looks at the session this moment. */
  readonly isShown: (sessionId: SessionId) => boolean;
  /** Whether a client draws the session as it comes; one that follows it out of view does not. */
  readonly isWatched: (sessionId: SessionId) => boolean;
  readonly onCommitted: (sessionId: SessionId, facts: readonly Fact[]) => void;
  /** The start of its agent is at another point than before. */
  readonly onStart: (sessionId: SessionId) => void;
  readonly onError: (error: unknown) => void;
}

/** The single writer of one session: commands and the agent's words enter one mailbox, facts leave to the log. */
export class Session {
  readonly id: SessionId;
  readonly #cliType: CliType;
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
  #stagedEffects: Effect[] = [];
  #retry: ReturnType<typeof setTimeout> | undefined;
  /** The last commit of what the agent sent failed: it is staged, and tried again. */
  #isFailing = false;
  #isEnded = false;
  #hasRecalled = false;
  /** Of a session that was made before its agent was there. */
  #start: SessionStart | null = null;
  /** While an older app's words are read: when something was last said in the session. */
  #recallingSince: string | null = null;
  readonly #silence: SilenceWatch;

  /** What it needs besides the stored session is read first. */
  static async load(deps: SessionDeps, stored: StoredSession): Promise<Session> {
    const lookups = new Lookups();
    return new Session(deps, stored, lookups, await SettledEntries.open(stored.row.id, deps.log, lookups));
  }

  private constructor(deps: SessionDeps, stored: StoredSession, lookups: Lookups, settled: SettledEntries) {
    this.id = stored.row.id;
    this.#cliType = stored.row.cliType;
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
      // What the user lets an agent do elsewhere is not for another agent to hand on.
      choices: () => (deps.delegations.parentOf(this.id) === undefined ? deps.choices.of(this.#cliType) : new Map()),
      isRunning: (turnId) => !this.#isEnded && isTurnActive(this.#state.turn) && this.#state.turn.turnId === turnId,
      post: (event) => this.observe(event),
      tryFlush: () => this.tryFlush(),
      onAttached: (agent) => this.#attached(agent),
      onError: deps.onError,
    });
  }

  /** What is stored and nothing else, with the entries of the running turn; settled ones are the log's to read. */
  get state(): SessionState {
    return this.#storedState;
  }

  /** Its agent's process holds the conversation right now. */
  get isAttached(): boolean {
    return this.#link.isAttached;
  }

  get binding(): AgentBinding {
    return this.#standing.binding;
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

  /** A new session takes over the agent it was made with, what that has sent meanwhile, and the title it was given. */
  async adopt(agent: AgentSession, early: EarlyEvents, title: string | undefined): Promise<void> {
    this.#link.adopt(agent);
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

  /** A new session whose agent is not there yet: it starts now. */
  async begin(title: string | undefined): Promise<void> {
    await this.#inOrder(() => this.#stageTitle(title));
    await this.flush();
    this.start();
  }

  async #stageTitle(title: string | undefined): Promise<void> {
    if (title !== undefined) await this.#stage([{ type: "session:title-updated", title, source: "user" }]);
  }

  /** How far the agent's first start is; null when it is there, or when a message will start it. */
  get startState(): SessionStart | null {
    return this.#start;
  }

  /** Attaches the agent ahead of the first message. */
  start(): void {
    this.#setStart({ state: "starting" });
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

  /** No agent has ever been there, and nobody has written anything: no message, no draft, no title. */
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

  /** Looks for the agent of an earlier server; `goOn` follows when that has been caught up with. */
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
      this.#runAll(await this.#withSettled((context) => rejoined.unsaid(this.#state, context.lastUserEntry)));
      this.#silence.heard(this.#state.turn.state === "running");
    });
  }

  /** Stores what was received before the call; false when the disk does not take it now. */
  async tryFlush(): Promise<boolean> {
    await this.flush();
    return this.#isEnded || !this.#isFailing;
  }

  configure(command: Extract<SessionCommand, { type: "session:configure" }>): Promise<void> {
    return this.#link.configure(command.configId, command.value);
  }

  /**
   * An older app left a session without its words, which only the agent has. They are read when someone opens it, once
   * for each run of the server until it works.
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

  /** The policy has changed: it may now answer what waits for the user. */
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
      this.#silence.heard(false);
    });
  }

  /** The session is deleted: its agent is let go. */
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

  /** What the events mean is staged; `#store` puts it on disk. */
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
      // A turn that never reached the agent says nothing about what the agent remembers.
      const isEnd = event.type === "turn-ended" || event.type === "turn-failed";
      if (isEnd && this.#link.isAttached) this.#standing.seen(this.#now());
    }
    for (const { lastLine } of run) this.#standing.readUpTo(lastLine);
  }

  /** What is staged is committed, then its effects run. */
  async #store(): Promise<void> {
    if (this.#hasUnstored) await this.#commitStaged();
    else this.#runAll(this.#stagedEffects.splice(0));
  }

  async #execute(command: DecidedCommand): Promise<Answer> {
    if (this.#isEnded) return { kind: "refused", refusal: REFUSE.sessionNotFound() };
    await this.#store();
    if (this.#isFailing) return unstorable(this.#deps.storage);
    const before = [this.#state, this.#standing.now, this.#requests] as const;
    let done: { readonly answer: Answer; readonly effects: readonly Effect[] };
    try {
      done = await this.#decide(command);
    } catch (error) {
      this.#state = before[0];
      this.#standing.takeBack(before[1]);
      this.#requests = before[2];
      this.#staged = [];
      this.#stagedOutputs = [];
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

  /** What an agent said is never given up: a failed commit is tried again until the disk takes it. */
  async #commitStaged(): Promise<void> {
    try {
      await this.#commit(null);
    } catch (error) {
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
    await this.#deps.log.commit(this.id, { ...commit, ...this.#standing.toCommit() });
    this.#state = working;
    this.#storedState = working;
    this.#staged = [];
    this.#stagedOutputs = [];
    this.#standing.stored();
    this.#settled.committed(settled, facts);
    if (!isTurnActive(working.turn)) this.#standing.turnEnded();
    this.#silence.heard(working.turn.state === "running");
    // From now on the turn says how it goes.
    if (isTurnActive(working.turn) && this.#start?.state === "failed") this.#setStart(null);
    if (facts.length > 0) this.#deps.onCommitted(this.id, facts);
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

  #post(event: PolicyEvent): void {
    this.#mailbox.post({ from: "agent", event, lastLine: 0 });
  }

  async #attached(agent: AgentSession): Promise<void> {
    const { lastLine } = agent;
    // In its place: each process counts its own lines, and those of the one before come first.
    await this.#inOrder(async () => {
      this.#standing.attached(agent, lastLine, this.#now());
      if (agent.origin === "forgotten") this.observe(forgotten((await this.#deps.log.said(this.id)).length > 0));
    });
    // Before anything is asked of it: a later server must know whom to look for.
    await this.flush();
    this.#setStart(null);
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
      await this.#lookups.fetchMissing();
    }
  }

  #context(): SessionContext {
    return Object.assign(this.#settled.seenFrom(this.#state, this.#staged), {
      state: this.#state,
      now: this.#now(),
      newId: this.#deps.world.newId,
      cancelling: this.#standing.continuation.cancelling,
      requests: this.#requests,
      consider: (toolCall: PermissionToolCall) => this.#consider(toolCall),
    });
  }
}

const PACE = {
  /** One frame of a 60 Hz screen: text that comes faster is committed and sent together. */
  textHoldMs: 16,
  /** Text that nobody looks at: merged into fewer facts, so that sessions in the background cost little. */
  unwatchedTextHoldMs: 1_000,
  mailItemsMax: 2_000,
  /** What could not be stored is tried again after this long. */
  commitRetryMs: 1_000,
};

type DecidedCommand = Parameters<typeof decide>[1];

/** What enters a session: commands, events of its agent, and tasks of its own, which never reject. */
type Mail =
  | { from: "user"; command: DecidedCommand; answer: (answer: Answer) => void }
  | { from: "session"; run: () => Promise<void> }
  | AgentMail;

/** `lastLine` is the last line read from the agent's process by then. */
type AgentMail = { from: "agent"; event: Observed; lastLine: number };
