import type { AgentEvent, Agents, RejoinedSession, TryFlush } from "../../ports/agents.ts";
import type { StoredSession } from "../../ports/session-log.ts";
import type { UserEntry } from "../../protocol/entry.ts";
import type { PermissionId, TurnId } from "../../protocol/ids.ts";
import { isQuestion, requestIdOf } from "../../protocol/pending-request.ts";
import type { PermissionOutcome } from "../../protocol/session-parts.ts";
import { isTurnActive, type SessionState } from "../../protocol/session-schema.ts";
import { findQuestion } from "../rules/open-requests.ts";
import type { AgentEffect } from "../rules/session-context.ts";
import { withNotes } from "../rules/turn.ts";
import type { AgentLink } from "./agent-link.ts";

interface RejoinDeps {
  readonly agents: Agents;
  /** How permission requests of the session were answered. */
  readonly outcomes: ReadonlyMap<PermissionId, PermissionOutcome>;
  readonly link: AgentLink;
  readonly tryFlush: TryFlush;
}

/** What a session found when a server started: its agent, if it is still running, and the turn that was running. */
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
            answerOf: (elicitationId) =>
              findQuestion(state, elicitationId) !== undefined
                ? "open"
                : (continuation.answers.find((one) => one.elicitationId === elicitationId)?.answer ?? null),
            sink: link.sink,
            tryFlush,
          });
    if (this.#agent) link.adopt(this.#agent);
  }

  get isThere(): boolean {
    return this.#agent !== null;
  }

  /**
   * The running turn need not end: its agent is attached, or was never prompted. A prompt is only sent to an
   * attached agent, and attaching is stored first.
   */
  get continues(): boolean {
    const { binding, state } = this.#stored;
    // A closed one has ended, whatever its turn did.
    return this.isThere || (isTurnActive(state.turn) && binding.state !== "active" && binding.state !== "closed");
  }

  /** Questions that the agent withdrew while there was no server. */
  withdrawn({ pending }: SessionState): readonly AgentEvent[] {
    return pending.flatMap((asked): AgentEvent[] => {
      if (this.#agent?.isAsking(isQuestion(asked) ? asked.elicitationId : asked.permissionId) !== false) return [];
      return isQuestion(asked)
        ? [{ type: "question-withdrawn", elicitationId: asked.elicitationId }]
        : [{ type: "permission-withdrawn", permissionId: asked.permissionId }];
    });
  }

  /**
   * Messages that were to join this turn and were not sent. The link answers for those that can no longer join it: they
   * wait like others.
   */
  #unsteered({ queue }: SessionState, turnId: TurnId): readonly AgentEffect[] {
    return queue
      .filter(({ steering, commandId }) => steering && this.#agent?.hasPrompted(commandId) !== true)
      .map(({ commandId, content, attachments = [] }) => ({ type: "steer", turnId, commandId, content, attachments }));
  }

  /** Effects that were decided and stored but did not reach the agent before the server stopped. */
  unsaid(state: SessionState, lastUserEntry: () => UserEntry | null): readonly AgentEffect[] {
    const { turnId } = this.#stored.state.turn;
    if (turnId === undefined) return [];
    // The turn has ended, or the next one has started: that sends its own prompt.
    if (!isTurnActive(state.turn) || state.turn.turnId !== turnId) return this.#unsteered(state, turnId);
    const isCancelled = this.#stored.continuation.cancelling === turnId;
    if (this.#agent?.hasPrompted(turnId)) {
      this.#link.goOn(turnId);
      const unsteered = this.#unsteered(state, turnId);
      return isCancelled && !this.#agent.hasCancelled(turnId) ? [...unsteered, { type: "cancel", turnId }] : unsteered;
    }
    const unsteered = this.#unsteered(state, turnId);
    if (isCancelled) return [...unsteered, { type: "cancel", turnId }];
    const said = state.open.find((entry) => entry.type === "user" && entry.turnId === turnId);
    const entry = said?.type === "user" ? said : lastUserEntry();
    if (!entry) return unsteered;
    const { entryId, content, attachments = [] } = entry;
    const told = withNotes(state.toldNotes, attachments);
    return [...unsteered, { type: "prompt", turnId, entryId, content, attachments: told }];
  }
}
