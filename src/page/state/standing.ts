import type { ProjectId } from "../../protocol/ids.ts";
import type { OwnStanding } from "../../protocol/people.ts";
import type { PersonId } from "../../protocol/person-ref.ts";
import type { ShellState } from "./shell-state.ts";

/** The reader of a session, for its frame. Null while there is only the owner. */
export function readerOf(
  { person }: Pick<ShellState, "person">,
  projectId: ProjectId,
): { readonly id: PersonId; readonly looks: boolean } | null {
  return person && { id: person.id, looks: !worksIn(person, projectId) };
}

/** For a person with known rights; the server decides. */
function worksIn({ role, roles }: OwnStanding, projectId: ProjectId): boolean {
  const own = roles.find((one) => one.projectId === projectId)?.role;
  return role === "owner" || own === "member" || own === "owner";
}

/** Whether this page may change the server itself. True while there is only the owner. */
export function runsServer({ person }: Pick<ShellState, "person">): boolean {
  return person === null || person.role === "owner";
}

/** Whether this person may assign roles in any project. */
export function givesRoles({ person }: Pick<ShellState, "person">): boolean {
  return person === null || person.role === "owner" || person.roles.some(({ role }) => role === "owner");
}
