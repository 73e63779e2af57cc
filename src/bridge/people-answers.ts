import { INVITATION_TTL_MS } from "../access/pairing.ts";
import { REFUSE, RefusalError } from "../protocol/errors.ts";
import type { ProjectId } from "../protocol/ids.ts";
import type { PersonInvitation, ShownPerson } from "../protocol/people.ts";
import type { PersonId } from "../protocol/person-ref.ts";
import type { AccessControl } from "./access-control.ts";
import { type Reach, shownInvitation } from "./device-routes.ts";

/** A person as a reader may see them. `within`: the projects that the reader may look at; null: all. */
export function shownPerson(
  { people, devices }: AccessControl,
  within: readonly ProjectId[] | null,
  reader: PersonId,
  id: PersonId,
): ShownPerson {
  const person = people.get(id);
  if (!person) throw new RefusalError(REFUSE.personNotFound());
  const theirs = devices.list().filter(({ personId }) => personId === id);
  const roles = [...person.roles].map(([projectId, role]) => ({ projectId, role }));
  return {
    id,
    name: person.name,
    role: person.role,
    disabled: person.isDisabled,
    roles: roles.filter(({ projectId }) => within === null || within.includes(projectId)),
    devices: theirs.length,
    isConnected: theirs.some(({ isConnected }) => isConnected),
    isThis: id === reader,
    ...(person.createdAt !== undefined && { createdAt: person.createdAt }),
    ...(person.email !== null && (within === null || id === reader) && { email: person.email }),
    ...(person.subject !== null && { usesService: true }),
  };
}

/** A link for a device of this person. It ends with the device that made it. */
export function invitePerson(
  { people, pairing }: AccessControl,
  reach: Reach,
  id: PersonId,
  by: string | null,
): PersonInvitation {
  const person = people.get(id);
  if (!person) throw new RefusalError(REFUSE.personNotFound());
  if (person.isDisabled) throw new RefusalError(REFUSE.personDisabled(person.name));
  const invitation = pairing.invite(by, id, INVITATION_TTL_MS);
  return { ...shownInvitation(reach, invitation), person: { id, name: person.name } };
}
