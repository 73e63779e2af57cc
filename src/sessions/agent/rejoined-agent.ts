import type { AgentEvent, Agents, RejoinedSession, TryFlush } from "../../ports/agents.ts";
import type { StoredSession } from "../../ports/session-log.ts";
import type { UserEntry } from "../../protocol/entry.ts";
import type { PermissionId, TurnId } from "../../protocol/ids.ts";
import { isQuestion, requestIdOf } from "../../protocol/pending-request.ts";
import type { PermissionOutcome } from "../../protocol/session-parts.ts";
import { isTurnActive, type SessionState } from "../../protocol/session-schema.ts";
import { findQuestion } from "../rules/open-requests.ts";
import type { AgentEffect } from "../rules/session-context.ts";
import type { AgentLink } from "./agent-link.ts";

interface RejoinDeps {
  readonly agents: Agents;
  /** How permission requests of the session were answered. */
  readonly outcomes: ReadonlyMap<PermissionId, PermissionOutcome>;
  readonly link: AgentLink;
  readonly tryFlush: TryFlush;
}

/** What a session found when a server started: its agent still at work, or not, and the turn that was under way. */
export class RejoinedAgent {
  readonly #stored: StoredSession;
  readonly #link: AgentLink;
  readonly #agent: RejoinedSession | null;

  constructor(stored: StoredSession, { agents, outcomes, link, tryFlush }: RejoinDeps) {
    const { row, binding, continuation, state } = stored;
    const { processId, lastLine } = continuation;
    this.#stored = stored;
    this.#link = link;
    this.#agent =
      processId === null || binding.state === "crashed" || binding.state === "closed"
        ? null
        : agents.rejoin({
            ...{ cliType: row.cliType, cwd: binding.cwd, agentSessionId: binding.agentSessionId, processId, lastLine },
            outcomeOf: (permissionId) =>
              state.pending.some((asked) => requestIdOf(asked) === permissionId)
                ? "open"
                : (outcomes.get(permissionId) ?? null),
            isOpen: (elicitationId) => findQuestion(state, elicitationId) !== undefined,
            sink: link.sink,
            tryFlush,
          });
    if (this.#agent) link.adopt(this.#agent);
  }

  get isThere(): boolean {
    return this.#agent !== null;
  }

  /**
   * The turn that was under way need not end: its agent is there, or was never asked. A prompt is only ever sent to an
   * agent that is attached, and attaching is stored first.
   */
  get goesOn(): boolean {
    const { binding, state } = this.#stored;
    // One that was let go is over, whatever its turn was at.
    return this.isThere || (isTurnActive(state.turn) && binding.state !== "active" && binding.state !== "closed");
  }

  /** Questions that the agent has taken back while nobody looked. */
  withdrawn({ pending }: SessionState): readonly AgentEvent[] {
    return pending.flatMap((asked): AgentEvent[] => {
      if (this.#agent?.isAsking(isQuestion(asked) ? asked.elicitationId : asked.permissionId) !== false) return [];
      return isQuestion(asked)
        ? [{ type: "question-withdrawn", elicitationId: asked.elicitationId }]
        : [{ type: "permission-withdrawn", permissionId: asked.permissionId }];
    });
  }

  /** Messages for the running turn that did not get on their way to it. */
  #unsteered(agent: RejoinedSession, { queue }: SessionState, turnId: TurnId): readonly AgentEffect[] {
    return queue
      .filter(({ steering, commandId }) => steering && !agent.hasPrompted(commandId))
      .map(({ commandId, content, attachments = [] }) => ({ type: "steer", turnId, commandId, content, attachments }));
  }

  /** What was decided, stored, and kept from reaching the agent by the end of the server. */
  unsaid(state: SessionState, lastUserEntry: () => UserEntry | null): readonly AgentEffect[] {
    const { turnId } = this.#stored.state.turn;
    // Meanwhile over, or the next one has begun: that says for itself what it has to say.
    if (turnId === undefined || !isTurnActive(state.turn) || state.turn.turnId !== turnId) return [];
    const isCancelled = this.#stored.continuation.cancelling === turnId;
    if (this.#agent?.hasPrompted(turnId)) {
      this.#link.goOn(turnId);
      const unsteered = this.#unsteered(this.#agent, state, turnId);
      return isCancelled && !this.#agent.hasCancelled(turnId) ? [...unsteered, { type: "cancel", turnId }] : unsteered;
    }
    if (isCancelled) return [{ type: "cancel", turnId }];
    const said = state.open.find((entry) => entry.type === "user" && entry.turnId === turnId);
    const entry = said?.type === "user" ? said : lastUserEntry();
    return entry ? [{ type: "prompt", turnId, content: entry.content, attachments: entry.attachments ?? [] }] : [];
  }
}
