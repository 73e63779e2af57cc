import type { AgentSession } from "../../ports/agents.ts";
import {
  type AgentBinding,
  type Commit,
  type Continuation,
  NO_AGENT_SESSION,
  type StoredSession,
} from "../../ports/session-log.ts";
import type { Effect } from "../rules/session-context.ts";

interface Standing {
  readonly binding: AgentBinding;
  readonly continuation: Continuation;
  readonly isUnstored: boolean;
}

/** Of one turn; a question asks the user, so there are few. */
const ANSWERS_MAX = 100;

/** Which agent a session has and how far its output was read: what a later server needs, stored with the facts. */
export class AgentStanding {
  #binding: AgentBinding;
  #continuation: Continuation;
  #isUnstored = false;

  constructor({ binding, continuation }: StoredSession) {
    // No agent is attached yet, whatever an earlier run of the server wrote.
    this.#binding = binding.state === "active" ? { ...binding, state: "idle" } : binding;
    this.#continuation = continuation;
  }

  get binding(): AgentBinding {
    return this.#binding;
  }

  get continuation(): Continuation {
    return this.#continuation;
  }

  /** The binding is not on disk yet. */
  get isUnstored(): boolean {
    return this.#isUnstored;
  }

  /** The agent of an earlier run is still running. */
  rejoined(hasTurn: boolean): void {
    this.#binding = { ...this.#binding, state: hasTurn ? "active" : "idle" };
  }

  /** The agent it was created with; the binding was just stored, the read position was not. */
  adopted({ processId }: AgentSession, lastLine: number): void {
    this.#bind({ ...this.#binding, state: "active" }, { processId, lastLine });
    this.seen(this.#binding.createdAt);
  }

  /** `lastLine`: the last line received from its process when it was attached. */
  attached({ agentSessionId, origin, processId }: AgentSession, lastLine: number, now: string): void {
    const createdAt = origin === "resumed" || origin === "loaded" ? this.#binding.createdAt : now;
    this.#bind({ ...this.#binding, agentSessionId, createdAt, state: "active", since: now }, { processId, lastLine });
    this.seen(now);
  }

  /** It works in another directory from now on, where no agent has its conversation yet. */
  moved(cwd: string, now: string): void {
    const { state } = this.#binding;
    this.#bind(
      {
        ...this.#binding,
        agentSessionId: NO_AGENT_SESSION,
        cwd,
        createdAt: now,
        since: now,
        state: state === "closed" ? state : "idle",
      },
      { processId: null, lastLine: 0 },
    );
  }

  /** Everything the agent remembers up to now is in the transcript. */
  seen(now: string): void {
    this.#continuation = { ...this.#continuation, agentSeenAt: now };
  }

  /** An attached agent is active while it works on a turn, and idle between turns. */
  works(hasTurn: boolean, isAttached: boolean, now: string): void {
    const { state } = this.#binding;
    if (hasTurn && isAttached && state === "idle") this.#bind({ ...this.#binding, state: "active", since: now }, null);
    if (!hasTurn && state === "active") this.#bind({ ...this.#binding, state: "idle", since: now }, null);
  }

  lost(state: AgentBinding["state"], now: string): void {
    this.#bind({ ...this.#binding, state, since: now }, null);
  }

  readUpTo(lastLine: number): void {
    if (lastLine > this.#continuation.lastLine) this.#continuation = { ...this.#continuation, lastLine };
  }

  /** A command's effects are about to be stored: the turn it stops, answers, and whether the agent is closed. */
  decided(effects: readonly Effect[], state: AgentBinding["state"], now: string): void {
    for (const effect of effects) {
      if (effect.type === "cancel") this.#continuation = { ...this.#continuation, cancelling: effect.turnId };
      if (effect.type === "answer-question") {
        const { elicitationId, answer } = effect;
        const answers = [...this.#continuation.answers, { elicitationId, answer }].slice(-ANSWERS_MAX);
        this.#continuation = { ...this.#continuation, answers };
      }
    }
    if (state !== this.#binding.state) this.#bind({ ...this.#binding, state, since: now }, null);
    if (effects.some((effect) => effect.type === "prompt" && effect.afresh))
      this.#bind({ ...this.#binding, agentSessionId: NO_AGENT_SESSION }, null);
  }

  turnEnded(): void {
    this.#continuation = { ...this.#continuation, cancelling: null, answers: [] };
  }

  snapshot(): Standing {
    return { binding: this.#binding, continuation: this.#continuation, isUnstored: this.#isUnstored };
  }

  /** Restores a snapshot: the decision could not be stored. */
  restore({ binding, continuation, isUnstored }: Standing): void {
    this.#binding = binding;
    this.#continuation = continuation;
    this.#isUnstored = isUnstored;
  }

  toCommit(): Pick<Commit, "binding" | "continuation"> {
    return { binding: this.#isUnstored ? this.#binding : null, continuation: this.#continuation };
  }

  stored(): void {
    this.#isUnstored = false;
  }

  #bind(binding: AgentBinding, process: Pick<Continuation, "processId" | "lastLine"> | null): void {
    this.#binding = binding;
    this.#isUnstored = true;
    // Each process counts its own lines.
    if (process) this.#continuation = { ...this.#continuation, ...process };
  }
}
