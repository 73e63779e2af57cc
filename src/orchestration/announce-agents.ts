import type { Hub } from "../fanout/hub.ts";
import { TaskQueue } from "../lib/task-queue.ts";
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
  readonly onError: (error: unknown) => void;
}

/** Publishes changes of agents' children, directly from their facts. */
export class AgentAnnouncer {
  readonly #parts: AnnouncerParts;
  /** A session's parent never changes; undefined for sessions created by the user. */
  readonly #parents = new Map<SessionId, Caller | undefined>();
  readonly #published = new Map<SessionId, ChildStatus>();
  readonly #queue = new TaskQueue();

  constructor(parts: AnnouncerParts) {
    this.#parts = parts;
  }

  /** A session was created; called before any of its facts is announced. */
  created(sessionId: SessionId): void {
    this.#inOrder(() => this.#announceCreated(sessionId));
  }

  /** These facts are stored. */
  committed(sessionId: SessionId, facts: readonly Fact[]): void {
    this.#inOrder(() => this.#announceFacts(sessionId, facts));
  }

  /** Killed or archived. */
  ended(sessionId: SessionId): void {
    this.#inOrder(async () => {
      if ((await this.#parentOf(sessionId)) !== undefined) await this.#announceStatus(sessionId);
    });
  }

  /** Announcements are made one after another, in order. */
  #inOrder(task: () => Promise<void>): void {
    this.#queue.run(task).catch(this.#parts.onError);
  }

  async #announceFacts(sessionId: SessionId, facts: readonly Fact[]): Promise<void> {
    const parentSessionId = await this.#parentOf(sessionId);
    if (parentSessionId === undefined) return;
    if (parentSessionId !== null && this.#parts.hub.isFollowed(parentSessionId))
      for (const fact of facts) {
        if (fact.type === "session:raw") continue;
        const update = { type: "agent_update", parentSessionId, agentId: sessionId, update: fact } as const;
        this.#parts.hub.notifyFollowers(parentSessionId, this, update);
      }
    if (facts.some(({ type }) => type === "session:turn")) await this.#announceStatus(sessionId);
  }

  async #announceCreated(childSessionId: SessionId): Promise<void> {
    const parentSessionId = await this.#parentOf(childSessionId);
    const view = parentSessionId === undefined ? null : await this.#parts.sessions.view(childSessionId);
    if (parentSessionId === undefined || !view) return;
    this.#parts.hub.publish({
      type: "agent_created",
      parentSessionId,
      agentId: childSessionId,
      info: await this.#infoOf(view),
    });
  }

  async #announceStatus(childSessionId: SessionId): Promise<void> {
    const parentSessionId = await this.#parentOf(childSessionId);
    const view = await this.#parts.sessions.view(childSessionId);
    if (parentSessionId === undefined || !view) return;
    const info = await this.#infoOf(view);
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

  async #infoOf(view: ChildView): Promise<ChildInfo> {
    return { ...childInfo(view), ...(await this.#parts.delegations.standing(view.row.id)) };
  }

  async #parentOf(sessionId: SessionId): Promise<Caller | undefined> {
    if (!this.#parents.has(sessionId)) this.#parents.set(sessionId, await this.#parts.delegations.parentOf(sessionId));
    return this.#parents.get(sessionId);
  }
}
