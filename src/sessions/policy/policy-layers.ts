import type { PolicyStore, PolicyTarget, StoredPolicy } from "../../ports/policy-store.ts";
import type { ProjectStore } from "../../ports/project-store.ts";
import type { SessionLog } from "../../ports/session-log.ts";
import { REFUSE, type Refusal } from "../../protocol/errors.ts";
import type { CliType, ProjectId, SessionId } from "../../protocol/ids.ts";
import type { PermissionMode, PolicyScope } from "../../protocol/permission-policy.ts";
import type { Policy } from "./policy.ts";

interface LayersDeps {
  readonly store: PolicyStore;
  readonly log: SessionLog;
  readonly projects: ProjectStore;
  /** The user's setting for an agent. */
  readonly startingMode: (cliType: CliType) => PermissionMode | null;
}

/** The owner of a policy, by the ids in a message. */
export interface PolicyOwner {
  readonly scope: PolicyScope;
  readonly sessionId?: SessionId | undefined;
  readonly projectId?: ProjectId | undefined;
  readonly cliType?: CliType | undefined;
}

/** A resolved owner: how it is stored, how messages name it, and its agent. */
export interface FoundOwner {
  readonly target: PolicyTarget;
  readonly owner: PolicyOwner;
  readonly cliType: CliType | null;
}

/** Session, project and agent each have a mode and rules; together they apply. */
export class PolicyLayers {
  readonly #deps: LayersDeps;

  constructor(deps: LayersDeps) {
    this.#deps = deps;
  }

  /** The narrowest mode that was set, and all rules. */
  async policyOf(sessionId: SessionId): Promise<Policy> {
    const row = await this.#deps.log.row(sessionId);
    const layers: readonly (readonly [PolicyScope, string])[] = row
      ? [
          ["session", row.id],
          ["project", row.projectId],
          ["agent", row.cliType],
        ]
      : [["session", sessionId]];
    const read = await Promise.all(
      layers.map(async ([scope, id]) => ({ scope, ...(await this.#deps.store.read({ scope, id })) })),
    );
    const chosen = read.find(({ mode }) => mode !== null);
    const starting = row ? this.#deps.startingMode(row.cliType) : null;
    return {
      mode: chosen?.mode ?? starting ?? "ask",
      modeFrom: chosen?.scope ?? (starting === null ? "default" : "agent"),
      rules: read.flatMap(({ scope, rules }) => rules.map((rule) => ({ ...rule, scope }))),
    };
  }

  /** The session's own policy first, then those of its ancestors: none of them may be exceeded. */
  async policiesOver(sessionId: SessionId): Promise<readonly Policy[]> {
    const parentOf = async (id: SessionId) => (await this.#deps.log.row(id))?.parentId;
    const policies = [await this.policyOf(sessionId)];
    for (let id = await parentOf(sessionId); id !== undefined; id = await parentOf(id))
      policies.push(await this.policyOf(id));
    return policies;
  }

  async find({ scope, sessionId, projectId, cliType }: PolicyOwner): Promise<FoundOwner | Refusal> {
    const row = sessionId === undefined ? null : await this.#deps.log.row(sessionId);
    if (sessionId !== undefined && row === null) return REFUSE.sessionNotFound();
    const agent = cliType ?? row?.cliType ?? null;
    switch (scope) {
      case "session":
        return row
          ? { target: { scope, id: row.id }, owner: { scope, sessionId: row.id }, cliType: agent }
          : REFUSE.invalidMessage("sessionId: required");
      case "project": {
        const id = projectId ?? row?.projectId;
        if (id === undefined) return REFUSE.invalidMessage("projectId: required");
        if (!(await this.#deps.projects.get(id))) return REFUSE.projectNotFound();
        return { target: { scope, id }, owner: { scope, projectId: id }, cliType: agent };
      }
      case "agent":
        return agent === null
          ? REFUSE.invalidMessage("cliType: required")
          : { target: { scope, id: agent }, owner: { scope, cliType: agent }, cliType: agent };
      default:
        return scope satisfies never;
    }
  }

  /** The mode of this scope if it had none of its own. */
  async inheritedMode({ owner, cliType }: FoundOwner): Promise<PermissionMode> {
    const { store, log, startingMode } = this.#deps;
    const project = owner.sessionId === undefined ? null : ((await log.row(owner.sessionId))?.projectId ?? null);
    const own = project === null ? null : await store.read({ scope: "project", id: project });
    const agent =
      cliType === null || owner.scope === "agent" ? null : await store.read({ scope: "agent", id: cliType });
    return own?.mode ?? agent?.mode ?? (cliType === null ? null : startingMode(cliType)) ?? "ask";
  }

  read({ target }: FoundOwner): Promise<StoredPolicy> {
    return this.#deps.store.read(target);
  }

  write({ target }: FoundOwner, policy: StoredPolicy): Promise<void> {
    return this.#deps.store.write(target, policy);
  }
}

export function isRefusal(found: FoundOwner | Refusal): found is Refusal {
  return "code" in found;
}
