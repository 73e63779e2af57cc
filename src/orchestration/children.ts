import type { Hub } from "../fanout/hub.ts";
import type { ChildInfo, Delegator } from "../protocol/delegation.ts";
import { SessionId } from "../protocol/ids.ts";
import type { AgentInfo } from "../protocol/server-messages.ts";
import type { Delegations } from "../sessions/delegation/delegations.ts";
import type { PolicyService } from "../sessions/policy/policy-service.ts";
import type { SessionService } from "../sessions/session-service.ts";
import type { ProjectService } from "../workspace/project-service.ts";
import { type ChildView, childInfo } from "./child-info.ts";
import { ToolError } from "./tool-error.ts";

/** What the tools work with: the one door to sessions, and who belongs to whom. */
export interface OrchestrationParts {
  readonly sessions: SessionService;
  readonly delegations: Delegations;
  readonly policy: PolicyService;
  readonly projects: ProjectService;
  readonly hub: Hub;
  /** Agents that sessions can be started with. */
  readonly agents: () => readonly AgentInfo[];
  readonly newId: () => string;
  /** The longest a tool waits for a caller that gets no progress notifications. */
  readonly silentWaitMs: number;
  /** How often a caller that asked for progress is notified while its call runs. */
  readonly progressEveryMs: number;
  /** The server stops: nobody waits for anything any more. */
  readonly stopping: AbortSignal;
  readonly onError: (error: unknown) => void;
}

/** The agents of one caller: it sees these and no others. */
export class Children {
  readonly #parts: OrchestrationParts;
  readonly #owner: Delegator;

  constructor(parts: OrchestrationParts, owner: Delegator) {
    this.#parts = parts;
    this.#owner = owner;
  }

  /** An id of nobody and an id of someone else's agent are answered alike. */
  async find(agentId: string): Promise<ChildView> {
    const id = SessionId.safeParse(agentId).data;
    const view =
      id !== undefined && this.#parts.delegations.delegatorOf(id) === this.#owner
        ? await this.#parts.sessions.view(id)
        : null;
    if (!view) throw new ToolError("Agent not found");
    return view;
  }

  /** One that can still be told something. */
  async findAlive(agentId: string): Promise<ChildView> {
    const view = await this.find(agentId);
    if (childInfo(view).status === "killed")
      throw new ToolError(`Agent is dead: ${agentId} was killed. Create another agent to continue.`);
    return view;
  }

  async info(agentId: string): Promise<ChildInfo> {
    const view = await this.find(agentId);
    return { ...childInfo(view), ...this.#parts.delegations.standing(view.row.id) };
  }

  /** Oldest first; archived ones are left out. */
  async list(): Promise<readonly ChildInfo[]> {
    const { delegations, sessions } = this.#parts;
    const infos = await Promise.all(
      delegations.childrenOf(this.#owner).map(async (id) => {
        const view = await sessions.view(id);
        return view && !view.row.archived ? [{ ...childInfo(view), ...delegations.standing(id) }] : [];
      }),
    );
    return infos.flat();
  }
}
