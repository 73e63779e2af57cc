import type { Hub } from "../fanout/hub.ts";
import type { ChildInfo, Delegator } from "../protocol/delegation.ts";
import { type CliType, type ProjectId, SessionId } from "../protocol/ids.ts";
import type { PersonId } from "../protocol/person-ref.ts";
import type { AgentInfo } from "../protocol/server-messages.ts";
import type { Delegations } from "../sessions/delegation/delegations.ts";
import type { FileChanges } from "../sessions/file-changes.ts";
import type { PolicyService } from "../sessions/policy/policy-service.ts";
import type { SessionService } from "../sessions/session-service.ts";
import type { WorktreeService } from "../sessions/worktree-service.ts";
import type { ProjectService } from "../workspace/project-service.ts";
import { type ChildView, childInfo } from "./child-info.ts";
import { ToolError } from "./tool-error.ts";

/** What a person with limited rights may do with the tools. */
export interface ToolRights {
  /** There is only the owner. */
  readonly isAlone: () => boolean;
  readonly may: (person: PersonId, needs: ToolNeeds, projectId: ProjectId) => boolean;
  /** The projects that they may look at. */
  readonly within: (person: PersonId) => readonly ProjectId[] | null;
}

/** For a tool, in the project that it is used in. */
export type ToolNeeds = "look" | "work";

/** What the tools work with: the session service, and the relations between sessions. */
export interface OrchestrationParts {
  readonly sessions: SessionService;
  readonly delegations: Delegations;
  readonly policy: PolicyService;
  readonly projects: ProjectService;
  /** What agents did to files. */
  readonly changes: FileChanges;
  readonly worktrees: Pick<WorktreeService, "radarOf" | "freshRadarOf">;
  readonly hub: Hub;
  readonly rights: ToolRights;
  /** Agents that sessions can be started with. */
  readonly agents: () => readonly AgentInfo[];
  /** Whether an agent can be started at a place. */
  readonly hasCommandAt: (place: string, cliType: CliType) => boolean;
  readonly newId: () => string;
  /** The longest wait for a caller that gets no progress notifications. */
  readonly silentWaitMs: number;
  /** How often a caller that asked for progress is notified while its call runs. */
  readonly progressEveryMs: number;
  /** The server is stopping: all waits end. */
  readonly stopping: AbortSignal;
  readonly onError: (error: unknown) => void;
}

/** The agents of one caller: it sees only these. */
export class Children {
  readonly #parts: OrchestrationParts;
  readonly #owner: Delegator;
  readonly #isAllowed: (projectId: ProjectId) => boolean;

  /** `isAllowed`: whether the caller may use this tool in that project. */
  constructor(parts: OrchestrationParts, owner: Delegator, isAllowed: (projectId: ProjectId) => boolean = () => true) {
    this.#parts = parts;
    this.#owner = owner;
    this.#isAllowed = isAllowed;
  }

  /** An unknown id and an id of someone else's agent get the same answer. */
  async find(agentId: string): Promise<ChildView> {
    const id = SessionId.safeParse(agentId).data;
    const view =
      id !== undefined && (await this.#parts.delegations.delegatorOf(id)) === this.#owner
        ? await this.#parts.sessions.view(id)
        : null;
    if (!view || !this.#isAllowed(view.row.projectId)) throw new ToolError("Agent not found");
    return view;
  }

  /** An agent that can still receive messages. */
  async findAlive(agentId: string): Promise<ChildView> {
    const view = await this.find(agentId);
    if (childInfo(view).status === "killed")
      throw new ToolError(`Agent is dead: ${agentId} was killed. Create another agent to continue.`);
    return view;
  }

  async info(agentId: string): Promise<ChildInfo> {
    const view = await this.find(agentId);
    return { ...childInfo(view), ...(await this.#parts.delegations.standing(view.row.id)) };
  }

  /** Oldest first, without archived ones. */
  async list(): Promise<readonly ChildInfo[]> {
    const { delegations, sessions } = this.#parts;
    const infos = await Promise.all(
      (await delegations.childrenOf(this.#owner)).map(async (id) => {
        const view = await sessions.view(id);
        return view && !view.row.archived && this.#isAllowed(view.row.projectId)
          ? [{ ...childInfo(view), ...(await delegations.standing(id)) }]
          : [];
      }),
    );
    return infos.flat();
  }
}
