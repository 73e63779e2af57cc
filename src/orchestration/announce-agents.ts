import type { Hub } from "../fanout/hub.ts";
import type { ChildInfo, ChildStatus } from "../protocol/delegation.ts";
import type { Fact } from "../protocol/facts.ts";
import type { SessionId } from "../protocol/ids.ts";
import type { Delegations } from "../sessions/delegation/delegations.ts";
import type { SessionService } from "../sessions/session-service.ts";
import { type ChildView, childInfo } from "./child-info.ts";
import type { Caller } from "./tool.ts";

interface AnnouncerParts {
  readonly sessions: SessionService;
  readonly delegations: Delegations;
  readonly hub: Hub;
}

/** Publishes what the agents of agents do, directly from their facts. */
export class AgentAnnouncer {
  readonly #parts: AnnouncerParts;
  /** Who started whom never changes; undefined for sessions made by hand. */
  readonly #parents = new Map<SessionId, Caller | undefined>();
  readonly #published = new Map<SessionId, ChildStatus>();
  /** New in this run and announced. */
  readonly #announced = new Set<SessionId>();

  constructor(parts: AnnouncerParts) {
    this.#parts = parts;
    parts.hub.overhear((batch) => {
      for (const { kind, ...rest } of batch)
        if (kind === "message" && "message" in rest && rest.message.type === "session:created")
          this.#created(rest.message.sessionId);
    });
  }

  /** These facts are stored. */
  committed(sessionId: SessionId, facts: readonly Fact[]): void {
    const parentSessionId = this.#parentOf(sessionId);
    if (parentSessionId === undefined) return;
    // An agent can send facts while its session is still being created. Announce it before them.
    if (this.#parts.sessions.isMaking(sessionId)) this.#created(sessionId);
    if (parentSessionId !== null && this.#parts.hub.isFollowed(parentSessionId))
      for (const fact of facts) {
        if (fact.type === "session:raw") continue;
        const update = { type: "agent_update", parentSessionId, agentId: sessionId, update: fact } as const;
        this.#parts.hub.tellFollowers(parentSessionId, this, update);
      }
    if (facts.some(({ type }) => type === "session:turn")) this.#publishStatus(sessionId);
  }

  /** Killed or archived. */
  ended(sessionId: SessionId): void {
    if (this.#parentOf(sessionId) !== undefined) this.#publishStatus(sessionId);
  }

  #created(childSessionId: SessionId): void {
    const parentSessionId = this.#parentOf(childSessionId);
    const view = parentSessionId === undefined ? null : this.#parts.sessions.view(childSessionId);
    if (parentSessionId === undefined || !view || this.#announced.has(childSessionId)) return;
    this.#announced.add(childSessionId);
    this.#parts.hub.publish({
      type: "agent_created",
      parentSessionId,
      agentId: childSessionId,
      info: this.#infoOf(view),
    });
  }

  #publishStatus(childSessionId: SessionId): void {
    const parentSessionId = this.#parentOf(childSessionId);
    const view = this.#parts.sessions.view(childSessionId);
    if (parentSessionId === undefined || !view) return;
    const info = this.#infoOf(view);
    if (this.#published.get(childSessionId) === info.status) return;
    this.#published.set(childSessionId, info.status);
    this.#parts.hub.publish({
      type: "agent_status",
      parentSessionId,
      agentId: childSessionId,
      status: info.status,
      info,
    });
  }

  #infoOf(view: ChildView): ChildInfo {
    return { ...childInfo(view), ...this.#parts.delegations.standing(view.row.id) };
  }

  #parentOf(sessionId: SessionId): Caller | undefined {
    if (!this.#parents.has(sessionId)) this.#parents.set(sessionId, this.#parts.delegations.parentOf(sessionId));
    return this.#parents.get(sessionId);
  }
}
