import type { ProjectId } from "../protocol/ids.ts";
import { PROJECT_ROLES, type ProjectRole, type ServerRole } from "../protocol/people.ts";

/**
 * What a person wants to do. `connect`: see things that belong to no project, such as the list of agents. `look`,
 * `work` and `manage`: in one project. `contribute`: something that all projects share, for everyone who works in any.
 * `run`: the server itself.
 */
export const ACTIONS = ["connect", "look", "work", "manage", "contribute", "run"] as const;
export type Action = (typeof ACTIONS)[number];

/** A person's rights. */
export interface PersonRights {
  readonly role: ServerRole;
  readonly isDisabled: boolean;
  /** Of a member, by project. */
  readonly roles: ReadonlyMap<ProjectId, ProjectRole>;
}

/** The least role that may do it in a project. */
const NEEDS: Readonly<Record<"look" | "work" | "manage", ProjectRole>> = {
  look: "viewer",
  work: "member",
  manage: "owner",
};

/** Decides everything about rights. `project`: null if there is none. Unknown things are refused. Pure. */
export function may(person: PersonRights | null, action: Action, project: ProjectId | null): boolean {
  if (person === null || person.isDisabled) return false;
  if (person.role === "owner") return true;
  switch (action) {
    case "connect":
      return true;
    case "contribute":
      return [...person.roles.values()].some((role) => includes(role, NEEDS.work));
    case "look":
    case "work":
    case "manage": {
      const role = project === null ? undefined : person.roles.get(project);
      return role !== undefined && includes(role, NEEDS[action]);
    }
    default:
      return false;
  }
}

function includes(has: ProjectRole, needs: ProjectRole): boolean {
  return PROJECT_ROLES.indexOf(has) >= PROJECT_ROLES.indexOf(needs);
}
