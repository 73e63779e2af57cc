import type { Choices } from "../../ports/agent-choices.ts";
import type { AgentEvent, AgentSession, Agents, TryFlush } from "../../ports/agents.ts";
import { type AgentBinding, NO_AGENT_SESSION, type Said } from "../../ports/session-log.ts";
import { REFUSE, RefusalError } from "../../protocol/errors.ts";
import type { CliType, ProjectId, SessionId, TurnId } from "../../protocol/ids.ts";
import { isPermission, type PendingRequest } from "../../protocol/pending-request.ts";
import type { ConfigOption, TurnError } from "../../protocol/session-parts.ts";
import type { AgentEffect } from "../rules/session-context.ts";
import { applyChoices } from "./apply-choices.ts";

/** What is said when an agent had to start without its memory. */
export function forgotten(hasTranscript: boolean): AgentEvent {
  const what = "The agent could not restore its memory of this conversation and starts over.";
  const content = hasTranscript ? `${what} The transcript is kept.` : what;
  return { type: "notice", severity: "warning", content };
}

/** What is said to a session that an earlier run of the server left in the middle of a turn. */
export function lostWithServer({ state }: AgentBinding): AgentEvent {
  const reason = "The server stopped while this turn was running.";
  return { type: "lost", reason, state: state === "closed" ? "closed" : "crashed" };
}

interface AgentLinkDeps {
  readonly sessionId: SessionId;
  readonly projectId: ProjectId;
  readonly cliType: CliType;
  readonly agents: Agents;
  readonly binding: () => AgentBinding;
  /** Until when the agent's copy is known, in milliseconds since 1970; null when nobody knows. */
  readonly agentSeenAt: () => number | null;
  /** Messages of ended turns: the one that is about to be sent is not the agent's to remember. */
  readonly userMessages: () => Promise<number>;
  readonly said: () => Promise<readonly Said[]>;
  /** What can be chosen now, as the agent has said. */
  readonly options: () => Promise<readonly ConfigOption[]>;
  /** What the user chose last for agents of this kind. */
  readonly choices: () => Choices;
  readonly isRunning: (turnId: TurnId) => boolean;
  readonly post: (event: AgentEvent) => void;
  readonly tryFlush: TryFlush;
  /** Resolves when the attachment is stored, or could not be. */
  readonly onAttached: (agent: AgentSession) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** A session's hold on its agent: attached when first needed, dropped when the process is gone. */
export class AgentLink {
  readonly #deps: AgentLinkDeps;
  #agent: AgentSession | null = null;
  #attaching: Promise<AgentSession> | null = null;
  /** Ends what an attachment only waits for. */
  #givingUp = new AbortController();
  #losses = 0;
  #promptedTurn: TurnId | null = null;
  #withdrawnTurn: TurnId | null = null;
  #closes = 0;

  constructor(deps: AgentLinkDeps) {
    this.#deps = deps;
  }

  /** Everything the agent says to this session; a lost process is forgotten before the session hears of it. */
  readonly sink = (event: AgentEvent): void => {
    if (event.type === "lost") {
      this.#agent = null;
      this.#losses++;
    }
    this.#deps.post(event);
  };

  adopt(agent: AgentSession): void {
    this.#agent = agent;
  }

  get isAttached(): boolean {
    return this.#agent !== null;
  }

  /** Number of the last line read from the agent's process. */
  get lastLine(): number {
    return this.#agent?.lastLine ?? 0;
  }

  /** An earlier server has asked the agent for this turn. */
  goOn(turnId: TurnId): void {
    this.#promptedTurn = turnId;
  }

  run(effect: AgentEffect): void {
    switch (effect.type) {
      case "prompt":
        this.#prompt(effect).catch(this.#deps.onError);
        break;
      case "steer":
        this.#steer(effect);
        break;
      case "cancel":
        this.#cancel(effect.turnId);
        break;
      case "answer-permission":
        this.#agent?.answerPermission(effect.permissionId, effect.outcome);
        break;
      case "answer-question":
        this.#agent?.answerQuestion(effect.elicitationId, effect.answer);
        break;
      case "close-agent":
        this.#close().catch(this.#deps.onError);
        break;
      default:
        effect satisfies never;
    }
  }

  /** The session is deleted: what runs is stopped, what is asked is answered, and the agent forgets the conversation. */
  async end(asked: readonly PendingRequest[]): Promise<void> {
    const { sessionId, cliType, agents, binding } = this.#deps;
    // One that is just being attached is let go too; that it could not be attached is no news any more.
    this.#givingUp.abort();
    // A process that is just being started for this session alone need not get so far.
    if (!this.#agent) await agents.end(sessionId);
    const agent = this.#agent ?? (await this.#attaching?.catch(() => null)) ?? null;
    this.#agent = null;
    for (const request of asked) {
      if (isPermission(request)) agent?.answerPermission(request.permissionId, { outcome: "cancelled" });
      else agent?.answerQuestion(request.elicitationId, { action: "cancel" });
    }
    if (this.#promptedTurn !== null) agent?.cancel();
    await this.#stop(agent);
    const { cwd, agentSessionId } = binding();
    await agents.forget({ sessionId, cliType, cwd, agentSessionId: agent?.agentSessionId ?? agentSessionId });
  }

  async configure(configId: string, value: string | boolean): Promise<void> {
    const agent = await this.ensure();
    await agent.configure(configId, value);
  }

  ensure(): Promise<AgentSession> {
    // Given up for an earlier message: this one tries again.
    if (this.#attaching && this.#givingUp.signal.aborted)
      return this.#attaching.then(
        () => this.ensure(),
        () => this.ensure(),
      );
    // Not before its attachment is stored: a prompt is only sent to an agent that a later server would find.
    if (this.#agent && !this.#attaching) return Promise.resolve(this.#agent);
    this.#attaching ??= this.#attach().finally(() => {
      this.#attaching = null;
    });
    return this.#attaching;
  }

  async #attach(): Promise<AgentSession> {
    const { sessionId, projectId, cliType, agents, binding, agentSeenAt, userMessages, said, tryFlush } = this.#deps;
    this.#givingUp = new AbortController();
    const { signal } = this.#givingUp;
    const [losses, closes] = [this.#losses, this.#closes];
    const { cwd, agentSessionId, createdAt, adopted = false } = binding();
    // An agent that was never there has nothing to bring back, and has forgotten nothing.
    const isFirst = agentSessionId === NO_AGENT_SESSION && !(await said()).some(({ type }) => type === "assistant");
    const restore = isFirst
      ? null
      : {
          agentSessionId,
          createdAt: Date.parse(createdAt),
          seenAt: agentSeenAt(),
          userMessages: Math.max(await userMessages(), adopted ? 1 : 0),
          last: async () => lastTurnOf(await said()),
        };
    const place = { sessionId, projectId, cliType, cwd };
    this.#deps.post({ type: "attaching" });
    const agent = await agents.attach({ ...place, restore, sink: this.sink, tryFlush, signal });
    const choices = this.#deps.choices();
    if (agent.origin === "new" && choices.size > 0)
      await applyChoices(agent, this.#deps.options, choices, this.#deps.onError);
    if (closes !== this.#closes) await agent.close();
    // It died while its last answer was on the way: nobody would ever hear from it again.
    if (losses !== this.#losses || closes !== this.#closes)
      throw new RefusalError(REFUSE.agentStopped(agents.find(cliType)?.name ?? String(cliType)));
    this.#agent = agent;
    await this.#deps.onAttached(agent);
    if (losses !== this.#losses || closes !== this.#closes)
      throw new RefusalError(REFUSE.agentStopped(agents.find(cliType)?.name ?? String(cliType)));
    return agent;
  }

  #cancel(turnId: TurnId): void {
    if (this.#agent && this.#promptedTurn === turnId) {
      this.#agent.cancel();
      return;
    }
    // The agent still starts: the prompt was never sent and never will be, so the turn is over here and now.
    this.#withdrawnTurn = turnId;
    this.#givingUp.abort();
    this.#deps.post({ type: "turn-ended", turnId, stopReason: "cancelled" });
  }

  /** Before the agent has the turn's own prompt there is nothing to join. */
  #steer({ turnId, commandId, content, attachments }: Extract<AgentEffect, { type: "steer" }>): void {
    if (this.#agent?.steer && this.#promptedTurn === turnId) this.#agent.steer(commandId, content, attachments);
    else this.#deps.post({ type: "steered", commandId, outcome: "not-taken" });
  }

  async #prompt(effect: Extract<AgentEffect, { type: "prompt" }>): Promise<void> {
    const { turnId, content, attachments } = effect;
    try {
      const agent = await this.ensure();
      if (turnId === this.#withdrawnTurn || !this.#deps.isRunning(turnId)) return;
      this.#promptedTurn = turnId;
      agent.prompt(turnId, content, attachments);
    } catch (error) {
      this.#deps.post({ type: "turn-failed", turnId, error: turnError(error) });
      if (!(error instanceof RefusalError)) this.#deps.onError(error);
    }
  }

  async #close(): Promise<void> {
    const agent = this.#agent;
    this.#agent = null;
    // One that still starts is closed as soon as it is there.
    this.#closes += 1;
    this.#givingUp.abort();
    try {
      await this.#stop(agent);
    } finally {
      // Closed for us, whatever the agent makes of it.
      this.#deps.post({ type: "lost", reason: "The session was closed.", state: "closed" });
    }
  }

  /** The agent has stopped working on this session when this returns, and a process of the session's own has ended. */
  async #stop(agent: AgentSession | null): Promise<void> {
    await Promise.all([agent?.close(), this.#deps.agents.end(this.#deps.sessionId)]);
  }
}

function lastTurnOf(said: readonly Said[]): { message: string; answer: string } {
  const index = said.findLastIndex(({ type }) => type === "user");
  const answer = said.slice(index + 1).filter(({ type }) => type === "assistant");
  return { message: said[index]?.content ?? "", answer: answer.map(({ content }) => content).join("") };
}

export function turnError(error: unknown): TurnError {
  const { code, message, details } = error instanceof RefusalError ? error.refusal : REFUSE.internal();
  return { code, message: details === undefined ? message : `${message}\n${details}` };
}
