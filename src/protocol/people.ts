import { z } from "zod/mini";
import { ShownInvitation } from "./devices.ts";
import { ProjectId } from "./ids.ts";
import { PersonId, PersonRef } from "./person-ref.ts";

export const PEOPLE_MAX = 200;
export const PERSON_NAME_CHARS_MAX = 60;
export const PERSON_EMAIL_CHARS_MAX = 254;

/** Whoever has the server's token. There is always one, and it cannot be removed. */
export const OWNER_ID = PersonId.parse("owner");

/** Of the server: an owner may do everything, a member what the roles in projects allow. */
export const ServerRole = z.enum(["owner", "member"]);
export type ServerRole = z.infer<typeof ServerRole>;

/** In one project. A viewer looks, a member works, an owner also decides about the project. */
export const ProjectRole = z.enum(["viewer", "member", "owner"]);
export type ProjectRole = z.infer<typeof ProjectRole>;
/** Each role includes the ones before it. */
export const PROJECT_ROLES = ProjectRole.options;

export const PersonName = z.string().check(
  z.trim(),
  z.minLength(1),
  z.maxLength(PERSON_NAME_CHARS_MAX),
  // Invisible characters would make one name look like another.
  z.regex(/^\P{C}+$/u),
);

/** As the company's sign-in service writes it. Case does not tell two addresses apart. */
export const PersonEmail = z
  .string()
  .check(
    z.trim(),
    z.toLowerCase(),
    z.maxLength(PERSON_EMAIL_CHARS_MAX),
    z.regex(/^[^\s@\p{C}]+@[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/u, "expected an e-mail address"),
  );

const RoleInProject = z.object({ projectId: ProjectId, role: ProjectRole });
export type RoleInProject = z.infer<typeof RoleInProject>;

/** A person as lists show it. */
export const ShownPerson = z.object({
  id: PersonId,
  name: z.string(),
  role: ServerRole,
  disabled: z.boolean(),
  /** Of a member; only projects that the reader may see. */
  roles: z.array(RoleInProject),
  /** Signed-in browsers and programs. */
  devices: z.int(),
  isConnected: z.boolean(),
  /** The person of this request. */
  isThis: z.boolean(),
  createdAt: z.optional(z.string()),
  /** By which the company's sign-in service knows them; only for themselves and owners. */
  email: z.optional(z.string()),
  /** They have signed in by that service: from then on it is its account that counts, not the address. */
  usesService: z.optional(z.boolean()),
});
export type ShownPerson = z.infer<typeof ShownPerson>;

/** Who a client is, where there is more than one person. */
export const OwnStanding = z.object({
  id: PersonId,
  name: z.string(),
  role: ServerRole,
  roles: z.array(RoleInProject),
});
export type OwnStanding = z.infer<typeof OwnStanding>;

export const NewPerson = z.strictObject({
  name: PersonName,
  role: z.optional(ServerRole),
  email: z.optional(PersonEmail),
});
export type NewPerson = z.infer<typeof NewPerson>;

export const ChangedPerson = z.strictObject({
  personId: PersonId,
  name: z.optional(PersonName),
  role: z.optional(ServerRole),
  disabled: z.optional(z.boolean()),
  /** Another one, or `null`: the account at the service that signed in until now is nobody's any more. */
  email: z.optional(z.nullable(PersonEmail)),
});
export type ChangedPerson = z.infer<typeof ChangedPerson>;

/** `role: null`: the person no longer sees the project. */
export const GivenRole = z.strictObject({ personId: PersonId, projectId: ProjectId, role: z.nullable(ProjectRole) });
export type GivenRole = z.infer<typeof GivenRole>;

export const PersonOnly = z.strictObject({ personId: PersonId });
export const PeopleList = z.object({
  people: z.array(ShownPerson),
  /** The company's sign-in service, if there is one. */
  service: z.optional(z.string()),
});
export type PeopleList = z.infer<typeof PeopleList>;
export const OnePerson = z.object({ person: ShownPerson });
export const RemovedPerson = z.object({ removed: PersonId });
/** One link signs in one device of the person, once. */
export const PersonInvitation = z.object({ ...ShownInvitation.shape, person: PersonRef });
export type PersonInvitation = z.infer<typeof PersonInvitation>;
