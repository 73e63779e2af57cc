import type { ProjectId } from "../protocol/ids.ts";
import type { ProjectRole, ServerRole } from "../protocol/people.ts";
import type { PersonId } from "../protocol/person-ref.ts";

/** A person as stored. The owner has a row only after being given a name. */
export interface StoredPerson {
  readonly id: PersonId;
  readonly name: string;
  readonly role: ServerRole;
  readonly isDisabled: boolean;
  readonly createdAt: string;
  /** At the sign-in service, in lower case; null: not known there. */
  readonly email: string | null;
  /** Identity at the sign-in service, as `issuer subject`; null: signed in by invitations only. */
  readonly subject: string | null;
}

export interface StoredRole {
  readonly personId: PersonId;
  readonly projectId: ProjectId;
  readonly role: ProjectRole;
}

/** Read once at the start; who may do what is decided in memory (`access/people.ts`). */
export interface PeopleStore {
  /** Oldest first. */
  list(): Promise<readonly StoredPerson[]>;
  /** Adds it, or replaces the one with its id; `createdAt` stays the first one's. */
  put(person: StoredPerson): Promise<void>;
  /** With all its roles. */
  delete(id: PersonId): Promise<void>;
  roles(): Promise<readonly StoredRole[]>;
  /** Adds it, or replaces the person's role in that project. */
  putRole(role: StoredRole): Promise<void>;
  deleteRole(personId: PersonId, projectId: ProjectId): Promise<void>;
}
