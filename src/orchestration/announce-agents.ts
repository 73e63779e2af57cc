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

/** Tells clients what the agents of agents do, straight from their facts; no model stands in between. */
export class AgentAnnouncer {
  readonly #parts: AnnouncerParts;
  /** Who started whom never changes; undefined for sessions made by hand. */
  readonly #parents = new Map<SessionId, Caller | undefined>();
  readonly #told = new Map<SessionId, ChildStatus>();
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

  /** Facts that are on disk now. */
  committed(sessionId: SessionId, facts: readonly Fact[]): void {
    const parentSessionId = this.#parentOf(sessionId);
    if (parentSessionId === undefined) return;
    // An agent speaks before its session is handed over; whoever listens must have heard of it by then.
    if (this.#parts.sessions.isMaking(sessionId)) this.#created(sessionId);
    if (parentSessionId !== null && this.#parts.hub.isFollowed(parentSessionId))
      for (const fact of facts) {
        if (fact.type === "session:raw") continue;
        const update = { type: "agent_update", parentSessionId, agentId: sessionId, update: fact } as const;
        this.#parts.hub.tellFollowers(parentSessionId, this, update);
      }
    if (facts.some(({ type }) => type === "session:turn")) this.#tellStatus(sessionId);
  }

  /** Killed or archived. */
  ended(sessionId: SessionId): void {
    if (this.#parentOf(sessionId) !== undefined) this.#tellStatus(sessionId);
  }

  #created(agentId: SessionId): void {
    const parentSessionId = this.#parentOf(agentId);
    const view = parentSessionId === undefined ? null : this.#parts.sessions.view(agentId);
    if (parentSessionId === undefined || !view || this.#announced.has(agentId)) return;
    this.#announced.add(agentId);
    this.#parts.hub.publish({ type: "agent_created", parentSessionId, agentId, info: this.#infoOf(view) });
  }

  #tellStatus(agentId: SessionId): void {
    const parentSessionId = this.#parentOf(agentId);
    const view = this.#parts.sessions.view(agentId);
    if (parentSessionId === undefined || !view) return;
    const info = this.#infoOf(view);
    if (this.#told.get(agentId) === info.status) return;
    this.#told.set(agentId, info.status);
    this.#parts.hub.publish({ type: "agent_status", parentSessionId, agentId, status: info.status, info });
  }

  #infoOf(view: ChildView): ChildInfo {
    return { ...childInfo(view), ...this.#parts.delegations.standing(view.row.id) };
  }

  #parentOf(sessionId: SessionId): Caller | undefined {
    if (!this.#parents.has(sessionId)) this.#parents.set(sessionId, this.#parts.delegations.parentOf(sessionId));
    return this.#parents.get(sessionId);
  }
}
