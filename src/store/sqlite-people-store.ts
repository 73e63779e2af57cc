import type { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import type { PeopleStore, StoredPerson, StoredRole } from "../ports/people-store.ts";
import { ProjectId } from "../protocol/ids.ts";
import { ProjectRole, ServerRole } from "../protocol/people.ts";
import { PersonId } from "../protocol/person-ref.ts";

const Person = z.object({
  id: PersonId,
  name: z.string(),
  role: ServerRole,
  disabled: z.int(),
  created_at: z.string(),
  email: z.string().nullable(),
  subject: z.string().nullable(),
});
const Role = z.object({ person_id: PersonId, project_id: ProjectId, role: ProjectRole });

export class SqlitePeopleStore implements PeopleStore {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  async list(): Promise<readonly StoredPerson[]> {
    return this.#db.prepare("SELECT * FROM person ORDER BY created_at, id").all().map(personFrom);
  }

  async put({ id, name, role, isDisabled, createdAt, email, subject }: StoredPerson): Promise<void> {
    this.#db
      .prepare(
        `INSERT INTO person (id, name, role, disabled, created_at, email, subject) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET name = excluded.name, role = excluded.role, disabled = excluded.disabled,
           email = excluded.email, subject = excluded.subject`,
      )
      .run(id, name, role, isDisabled ? 1 : 0, createdAt, email, subject);
  }

  async delete(id: PersonId): Promise<void> {
    this.#db.prepare("DELETE FROM person WHERE id = ?").run(id);
  }

  async roles(): Promise<readonly StoredRole[]> {
    return this.#db.prepare("SELECT * FROM person_role ORDER BY person_id, project_id").all().map(roleFrom);
  }

  async putRole({ personId, projectId, role }: StoredRole): Promise<void> {
    this.#db
      .prepare("INSERT OR REPLACE INTO person_role (person_id, project_id, role) VALUES (?, ?, ?)")
      .run(personId, projectId, role);
  }

  async deleteRole(personId: PersonId, projectId: ProjectId): Promise<void> {
    this.#db.prepare("DELETE FROM person_role WHERE person_id = ? AND project_id = ?").run(personId, projectId);
  }
}

function personFrom(row: unknown): StoredPerson {
  const { id, name, role, disabled, created_at, email, subject } = Person.parse(row);
  return { id, name, role, isDisabled: disabled !== 0, createdAt: created_at, email, subject };
}

function roleFrom(row: unknown): StoredRole {
  const { person_id, project_id, role } = Role.parse(row);
  return { personId: person_id, projectId: project_id, role };
}
