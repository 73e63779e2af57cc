import { Mailbox } from "../lib/mailbox.ts";
import type { AgentEvent, AgentSession } from "../ports/agents.ts";
import type { AgentBinding, StoredSession } from "../ports/session-log.ts";
import { isoTime } from "../ports/world.ts";
import type { SessionCommand } from "../protocol/client-messages.ts";
import { REFUSE } from "../protocol/errors.ts";
import type { Fact, FactBody } from "../protocol/facts.ts";
import type { ElicitationId, PermissionId, SessionId, TurnId } from "../protocol/ids.ts";
import { reduceSession } from "../protocol/reduce-session.ts";
import { isTurnActive, type SessionState } from "../protocol/session-state.ts";
import type { WholeOutput } from "../protocol/shorten-entry.ts";
import { AgentLink, FORGOTTEN } from "./agent-link.ts";
import { type Answer, writeAnswer } from "./answer.ts";
import { attentionOf } from "./attention.ts";
import { boundDepth } from "./bound-depth.ts";
import { decide } from "./decide.ts";
import { answerOf, type DoneCommand, isSend, receiptOf, stateAfter } from "./done-command.ts";
import type { EarlyEvents } from "./early-events.ts";
import { EndedQuestions } from "./ended-questions.ts";
import { answerGone, type DecidedCommand, type Mail } from "./mail.ts";
import { mergeText } from "./merge-text.ts";
import { observe } from "./observe.ts";
import { type Observed, PermissionJudge } from "./policy/permission-judge.ts";
import type { Effect, Scene } from "./scene.ts";
import type { SessionDeps } from "./session-deps.ts";
import { isActivity, settle } from "./settle-turn.ts";
import { lateEntries, SettledEntries } from "./settled-entries.ts";
import { SilenceWatch } from "./silence-watch.ts";
import { takeOut } from "./take-out.ts";

/** One frame of a 60 Hz screen: text that comes faster is committed and sent together. */
const TEXT_HOLD_MS = 16;
const MAIL_ITEMS_MAX = 2_000;
const COMMIT_RETRY_MS = 1_000;

/** The single writer of one session: commands and the agent's words enter one mailbox, facts leave to the log. */
export class Session {
  readonly id: SessionId;
  readonly #deps: SessionDeps;
  readonly #mailbox: Mailbox<Mail>;
  readonly #link: AgentLink;
  readonly #judge: PermissionJudge;
  readonly #endedQuestions = new EndedQuestions();
  #state: SessionState;
  #binding: AgentBinding;
  #bindingChanged = false;
  readonly #settled: SettledEntries;
  #cancelling: TurnId | null = null;
  /** Folded into the state, not yet on disk: no reader has seen them. */
  #staged: Fact[] = [];
  #stagedOutputs: WholeOutput[] = [];
  #stagedEffects: Effect[] = [];
  #retry: ReturnType<typeof setTimeout> | undefined;
  #isEnded = false;
  readonly #silence: SilenceWatch;

  constructor(deps: SessionDeps, stored: StoredSession) {
    this.id = stored.row.id;
    this.#deps = deps;
    this.#state = stored.state;
    // No agent is attached yet, whatever an earlier run of the server wrote.
    this.#binding = stored.binding.state === "active" ? { ...stored.binding, state: "idle" } : stored.binding;
    this.#settled = new SettledEntries(this.id, deps.log);
    this.#mailbox = new Mailbox({
      itemsMax: MAIL_ITEMS_MAX,
      holdMs: TEXT_HOLD_MS,
      now: deps.world.now,
      handle: (batch) => (this.#isEnded ? answerGone(batch) : this.#handle(batch)),
      onError: deps.onError,
    });
    this.#judge = new PermissionJudge({
      policy: deps.policy,
      session: () => ({ id: this.id, cwd: this.#binding.cwd }),
      post: (judged) => this.#mailbox.post({ from: "agent", event: judged }),
      onError: deps.onError,
    });
    this.#silence = new SilenceWatch(deps.stallMs, deps.world.now, () => this.observe({ type: "silent" }));
    this.#link = new AgentLink({
      sessionId: this.id,
      cliType: stored.row.cliType,
      agents: deps.agents,
      binding: () => this.#binding,
      userMessages: () => deps.log.userMessageCount(this.id),
      said: () => deps.log.said(this.id),
      isRunning: (turnId) => !this.#isEnded && isTurnActive(this.#state.turn) && this.#state.turn.turnId === turnId,
      post: (event) => this.observe(event),
      onAttached: (agent) => this.#attached(agent),
      onError: deps.onError,
    });
  }

  /** What is stored, with the entries of the running turn; settled entries are the log's to read. */
  get state(): SessionState {
    return this.#state;
  }

  get binding(): AgentBinding {
    return this.#binding;
  }

  dispatch(command: DecidedCommand): Promise<Answer> {
    return new Promise((answer) => this.#mailbox.post({ from: "user", command, answer }));
  }

  observe(event: AgentEvent): void {
    this.#mailbox.post(
      { from: "agent", event: boundDepth(event) },
      event.type === "text" || event.type === "tool-output" ? "soon" : "now",
    );
  }

  /** A new session takes over the agent it was made with, what that has said meanwhile, and the title it was given. */
  adopt(agent: AgentSession, early: EarlyEvents, title: string | undefined): void {
    this.#link.adopt(agent);
    // As it was stored a moment ago; a session that is only loaded has no agent yet.
    this.#binding = { ...this.#binding, state: "active" };
    early.handOver(this.#link.sink);
    if (title !== undefined) this.#stage([{ type: "session:title-updated", title, source: "user" }]);
    this.flush();
  }

  configure(command: Extract<SessionCommand, { type: "session:configure" }>): Promise<void> {
    return this.#link.configure(command.configId, command.value);
  }

  /** The policy has changed: it may now have an answer to what waits for the user. */
  judgeAgain(): void {
    this.#judge.startAgain(this.#state);
  }

  /** Everything that waits is stored; used before a history is read and at shutdown. */
  flush(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#mailbox.flush();
    if (this.#staged.length > 0) this.#commitStaged();
  }

  /** The session is deleted: its agent is let go, and what it still says has nowhere to go. */
  end(): Promise<void> {
    this.#isEnded = true;
    this.#staged = [];
    clearTimeout(this.#retry);
    this.#silence.heard(false);
    return this.#link.end(this.#state.pending);
  }

  /** A run of agent events is one commit; a command closes the run, decides, and starts the next. */
  #handle(batch: readonly Mail[]): void {
    let events: Observed[] = [];
    for (const mail of batch) {
      if (mail.from === "agent") {
        events.push(mail.event);
        continue;
      }
      this.#absorb(events);
      events = [];
      mail.answer(this.#execute(mail.command));
    }
    this.#absorb(events);
  }

  #absorb(events: readonly Observed[]): void {
    for (const event of mergeText(events)) {
      if (!this.#judge.lets(event)) continue;
      const { facts, effects } = observe(this.#scene(), event);
      this.#stage(facts);
      this.#stagedEffects.push(...effects);
      this.#judge.expect(effects);
      if (event.type === "lost") this.#bind({ ...this.#binding, state: event.state, since: this.#now() });
    }
    if (this.#staged.length > 0 || this.#bindingChanged) this.#commitStaged();
    else this.#runAll(this.#stagedEffects.splice(0));
  }

  #execute(command: DecidedCommand): Answer {
    if (this.#staged.length > 0) return { kind: "refused", refusal: REFUSE.internal() };
    const decision = decide(this.#scene(), command);
    if (!decision.ok) return this.#refuse(command, decision.refusal);
    const before = [this.#state, this.#binding] as const;
    this.#stage(decision.facts);
    const answer = answerOf(this.#staged, this.#state.seq, decision.answer);
    const agentState = stateAfter(this.#binding.state, decision.effects);
    if (agentState !== this.#binding.state) this.#bind({ ...this.#binding, state: agentState, since: this.#now() });
    try {
      this.#commit({ answer, commandId: command.commandId, isSend: isSend(command) });
    } catch (error) {
      [this.#state, this.#binding] = before;
      this.#staged = [];
      this.#stagedOutputs = [];
      this.#deps.onError(error);
      return { kind: "refused", refusal: REFUSE.internal() };
    }
    this.#runAll(decision.effects);
    return answer;
  }

  #refuse(command: DecidedCommand, refusal: Extract<Answer, { kind: "refused" }>["refusal"]): Answer {
    const answer: Answer = { kind: "refused", refusal };
    if (command.commandId !== undefined)
      this.#deps.log.saveReceipt({ commandId: command.commandId, answer: writeAnswer(answer), at: this.#now() });
    return answer;
  }

  #stage(facts: readonly FactBody[]): void {
    for (const whole of facts) {
      const { settledEntry } = this.#settled.seenFrom(this.#state, this.#staged);
      const { fact: body, outputs } = takeOut(this.#state, whole, settledEntry);
      this.#stagedOutputs.push(...outputs);
      const fact: Fact = { ...body, sessionId: this.id, seq: this.#state.seq + 1 };
      this.#endedQuestions.note(fact, this.#state.pending);
      this.#state = reduceSession(this.#state, fact);
      this.#staged.push(fact);
    }
  }

  /** What an agent said is never given up: a failed commit is tried again until the disk takes it. */
  #commitStaged(): void {
    try {
      this.#commit(null);
    } catch (error) {
      this.#deps.onError(error);
      this.#retry ??= setTimeout(() => this.flush(), COMMIT_RETRY_MS).unref();
      return;
    }
    this.#runAll(this.#stagedEffects.splice(0));
  }

  #commit(done: DoneCommand | null): void {
    const facts = this.#staged;
    const { settled, working } = settle(this.#state);
    const hasSettled = settled.length > 0 || !isTurnActive(working.turn);
    this.#deps.log.commit(this.id, {
      facts,
      state: this.#state,
      settled,
      snapshot: hasSettled ? working : null,
      revised: lateEntries(facts),
      outputs: this.#stagedOutputs,
      lastActiveAt: done?.isSend || facts.some(isActivity) ? this.#now() : null,
      attention: attentionOf(facts, done?.isSend === true || this.#deps.isShown(this.id)),
      receipt: done && receiptOf(done, this.#now()),
      binding: this.#bindingChanged ? this.#binding : null,
    });
    this.#state = working;
    this.#staged = [];
    this.#stagedOutputs = [];
    this.#bindingChanged = false;
    this.#settled.committed(settled, facts);
    if (!isTurnActive(working.turn)) this.#cancelling = null;
    this.#silence.heard(working.turn.state === "running");
    if (facts.length > 0) this.#deps.onCommitted(this.id, facts);
  }

  #runAll(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.type === "cancel") this.#cancelling = effect.turnId;
      if (effect.type === "judge-permission") this.#judge.start(effect);
      else this.#link.run(effect);
    }
  }

  #attached(agent: AgentSession): void {
    const since = this.#now();
    const { agentSessionId, origin } = agent;
    const createdAt = origin === "resumed" || origin === "loaded" ? this.#binding.createdAt : since;
    this.#bind({ ...this.#binding, agentSessionId, createdAt, state: "active", since });
    if (agent.origin === "forgotten") this.observe(FORGOTTEN);
  }

  #bind(binding: AgentBinding): void {
    this.#binding = binding;
    this.#bindingChanged = true;
  }

  #now(): string {
    return isoTime(this.#deps.world);
  }

  #scene(): Scene {
    return Object.assign(this.#settled.seenFrom(this.#state, this.#staged), {
      state: this.#state,
      now: this.#now(),
      newId: this.#deps.world.newId,
      cancelling: this.#cancelling,
      endOfQuestion: (id: PermissionId | ElicitationId) => this.#endedQuestions.endOf(id),
      consider: this.#judge.consider,
      said: () => this.#deps.log.said(this.id),
    });
  }
}
