import type { Choices } from "../../ports/agent-choices.ts";
import type { AgentEvent, AgentSession, Agents, TryFlush } from "../../ports/agents.ts";
import { whenBack } from "../../ports/database-away.ts";
import { type AgentBinding, NO_AGENT_SESSION, type Said } from "../../ports/session-log.ts";
import type { Part } from "../../protocol/entry.ts";
import { REFUSE, RefusalError } from "../../protocol/errors.ts";
import type { CliType, EntryId, ProjectId, SessionId, TurnId } from "../../protocol/ids.ts";
import { isPermission, type PendingRequest } from "../../protocol/pending-request.ts";
import type { ConfigOption, TurnError } from "../../protocol/session-parts.ts";
import type { AgentEffect } from "../rules/session-context.ts";
import { applyChoices } from "./apply-choices.ts";

/** The event for a session that an earlier run of the server left in the middle of a turn. */
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
  /** Until when the agent's copy is known, in milliseconds since 1970; null if unknown. */
  readonly agentSeenAt: () => number | null;
  /** Messages of ended turns; the agent cannot have the one that is about to be sent. */
  readonly userMessages: () => Promise<number>;
  readonly said: () => Promise<readonly Said[]>;
  /** The current options of the agent. */
  readonly options: () => Promise<readonly ConfigOption[]>;
  /** The user's last choices for agents of this kind. */
  readonly choices: () => Promise<Choices>;
  /** Options of a session that this one goes on for. */
  readonly carriedOptions: () => Choices;
  /** The context pack that the agent gets with this message; null: none. */
  readonly toldWith: (entryId: EntryId) => Promise<Part | null>;
  /** Takes the checkpoint before a turn; the prompt waits for it. Never rejects. */
  readonly beforePrompt: (turnId: TurnId) => Promise<void>;
  /** Rejects with a refusal when the session's directory does not exist; null when there is nothing to check. */
  readonly checkPlace: () => Promise<void> | null;
  /** Throws a refusal when another program has the agent's conversation open. */
  readonly checkWriter: () => void;
  /** The conversation was continued elsewhere, which an agent that has it open does not notice. */
  readonly isBehind: () => boolean;
  readonly isRunning: (turnId: TurnId) => boolean;
  /** The turn that runs now. */
  readonly turnId: () => TurnId | null;
  readonly post: (event: AgentEvent) => void;
  readonly tryFlush: TryFlush;
  /** Resolves when the attachment is stored, or failed to be. */
  readonly onAttached: (agent: AgentSession) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** A session's link to its agent: attached when first needed, dropped when the process has ended. */
export class AgentLink {
  readonly #deps: AgentLinkDeps;
  #agent: AgentSession | null = null;
  #attaching: Promise<AgentSession> | null = null;
  /** Aborts waiting during an attachment. */
  #givingUp = new AbortController();
  #losses = 0;
  #promptedTurn: TurnId | null = null;
  #withdrawnTurn: TurnId | null = null;
  /** While a prompt waits for its agent and its checkpoint. */
  #expectedPrompt: Disposable | null = null;
  #closes = 0;
  /** Under way. */
  readonly #closing = new Set<Promise<void>>();

  constructor(deps: AgentLinkDeps) {
    this.#deps = deps;
  }

  /** All events of the agent for this session; a lost process is dropped before the session is notified. */
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

  /** An earlier server sent the prompt of this turn. */
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
      case "stop-sub-agent":
        this.#agent?.stopSubAgent(effect.toolCallId);
        break;
      case "answer-permission":
        this.#agent?.answerPermission(effect.permissionId, effect.outcome);
        break;
      case "answer-question":
        this.#agent?.answerQuestion(effect.elicitationId, effect.answer);
        break;
      case "close-agent": {
        const closing = this.#close()
          .catch(this.#deps.onError)
          .finally(() => this.#closing.delete(closing));
        this.#closing.add(closing);
        break;
      }
      default:
        effect satisfies never;
    }
  }

  /** The session is deleted: stops running work, answers open requests, and deletes the agent's conversation. */
  async end(asked: readonly PendingRequest[]): Promise<void> {
    const { sessionId, cliType, agents, binding } = this.#deps;
    // An agent that is being attached is closed, too; a failure to attach no longer matters.
    this.#givingUp.abort();
    // A process that is starting for this session alone can be stopped.
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

  /** Closes the agent's session, and abandons a pending attachment. The next use attaches again. */
  async release(): Promise<void> {
    const agent = this.#agent;
    this.#agent = null;
    this.#closes += 1;
    this.#givingUp.abort();
    await this.#stop(agent);
  }

  async configure(configId: string, value: string | boolean): Promise<void> {
    using _ = this.#expectUse();
    const agent = await this.ensure();
    await agent.configure(configId, value);
  }

  /** Its process must not be put away as idle before it gets its work. */
  #expectUse(): Disposable {
    const { agents, cliType, sessionId } = this.#deps;
    return agents.expect({ cliType, sessionId });
  }

  ensure(): Promise<AgentSession> {
    // What the session had must have ended before it gets something new.
    if (this.#closing.size > 0) return Promise.all(this.#closing).then(() => this.ensure());
    // Aborted for an earlier message: this one retries.
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
    // Until the attachment is stored.
    using _ = this.#expectUse();
    const { sessionId, projectId, cliType, agents, binding, agentSeenAt, userMessages, said, tryFlush } = this.#deps;
    this.#givingUp = new AbortController();
    const { signal } = this.#givingUp;
    const [losses, closes] = [this.#losses, this.#closes];
    await this.#deps.checkPlace();
    this.#deps.checkWriter();
    const { cwd, agentSessionId, createdAt, adopted = false } = binding();
    // An agent that never ran has nothing to restore, and has lost nothing.
    const isFirst = agentSessionId === NO_AGENT_SESSION && !(await said()).some(({ type }) => type === "assistant");
    const carried = this.#deps.carriedOptions();
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
    const choices = carried.size > 0 || agent.origin !== "new" ? carried : await this.#deps.choices();
    if (choices.size > 0) await applyChoices(agent, this.#deps.options, choices, this.#deps.onError);
    if (closes !== this.#closes) await agent.close();
    // It died while its last answer was on the way: no further event would arrive.
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
    // The agent is still starting: the prompt was never sent and never will be, so the turn ends now.
    this.#withdrawnTurn = turnId;
    this.#expectedPrompt?.[Symbol.dispose]();
    this.#givingUp.abort();
    this.#deps.post({ type: "turn-ended", turnId, stopReason: "cancelled" });
  }

  /** Before the agent has the turn's own prompt there is nothing to join. */
  #steer({ turnId, commandId, content, attachments }: Extract<AgentEffect, { type: "steer" }>): void {
    if (this.#agent?.steer && this.#promptedTurn === turnId) this.#agent.steer(commandId, content, attachments);
    else this.#deps.post({ type: "steered", commandId, outcome: "not-taken" });
  }

  async #prompt(effect: Extract<AgentEffect, { type: "prompt" }>): Promise<void> {
    const { turnId } = effect;
    const isWanted = () => turnId !== this.#withdrawnTurn && this.#deps.isRunning(turnId);
    let checkpoint: Promise<void> | null = null;
    const checkpointed = () => {
      checkpoint ??= this.#deps.beforePrompt(turnId);
      return checkpoint;
    };
    try {
      // Nothing was sent yet when a database that is away stands in the way.
      await whenBack(isWanted, () => this.#tryPrompt(effect, isWanted, checkpointed));
    } catch (error) {
      this.#deps.post({ type: "turn-failed", turnId, error: turnError(error) });
      if (!(error instanceof RefusalError)) this.#deps.onError(error);
    }
  }

  async #tryPrompt(
    { turnId, entryId, content, attachments }: Extract<AgentEffect, { type: "prompt" }>,
    isWanted: () => boolean,
    checkpointed: () => Promise<void>,
  ): Promise<void> {
    const checking = this.#deps.checkPlace();
    if (checking !== null) await checking;
    if (this.#agent) {
      this.#deps.checkWriter();
      // It is opened again, and reads the new messages.
      if (this.#deps.isBehind()) await this.release();
    }
    using expected = this.#expectUse();
    this.#expectedPrompt = expected;
    const checkpoint = checkpointed();
    const agent = await this.ensure();
    await checkpoint;
    const told = await this.#deps.toldWith(entryId);
    if (!isWanted()) return;
    this.#promptedTurn = turnId;
    agent.prompt(turnId, content, told === null ? attachments : [...attachments, told]);
  }

  async #close(): Promise<void> {
    const turnId = this.#deps.turnId();
    const agent = this.#agent;
    this.#agent = null;
    // An agent that is still starting is closed as soon as it is attached.
    this.#closes += 1;
    this.#givingUp.abort();
    try {
      await this.#stop(agent);
    } finally {
      // Closed for us, whatever the agent does.
      this.#deps.post({ type: "lost", reason: "The session was closed.", state: "closed", turnId });
    }
  }

  /** When this returns, the agent has stopped working on this session, and the session's own process has ended. */
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
