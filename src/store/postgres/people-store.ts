import { z } from "zod";
import type { PeopleStore, StoredPerson, StoredRole } from "../../ports/people-store.ts";
import { ProjectId } from "../../protocol/ids.ts";
import { ProjectRole, ServerRole } from "../../protocol/people.ts";
import { PersonId } from "../../protocol/person-ref.ts";
import type { Queries } from "./database.ts";

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

export class PostgresPeopleStore implements PeopleStore {
  readonly #db: Queries;

  constructor(db: Queries) {
    this.#db = db;
  }

  async list(): Promise<readonly StoredPerson[]> {
    return (await this.#db.rows("SELECT * FROM person ORDER BY created_at, id")).map(personFrom);
  }

  async put({ id, name, role, isDisabled, createdAt, email, subject }: StoredPerson): Promise<void> {
    await this.#db.run(
      `INSERT INTO person (id, name, role, disabled, created_at, email, subject) VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (id) DO UPDATE SET name = excluded.name, role = excluded.role, disabled = excluded.disabled,
         email = excluded.email, subject = excluded.subject`,
      [id, name, role, isDisabled ? 1 : 0, createdAt, email, subject],
    );
  }

  async delete(id: PersonId): Promise<void> {
    await this.#db.run("DELETE FROM person WHERE id = $1", [id]);
  }

  async roles(): Promise<readonly StoredRole[]> {
    return (await this.#db.rows("SELECT * FROM person_role ORDER BY person_id, project_id")).map(roleFrom);
  }

  async putRole({ personId, projectId, role }: StoredRole): Promise<void> {
    await this.#db.run(
      `INSERT INTO person_role (person_id, project_id, role) VALUES ($1, $2, $3)
       ON CONFLICT (person_id, project_id) DO UPDATE SET role = excluded.role`,
      [personId, projectId, role],
    );
  }

  async deleteRole(personId: PersonId, projectId: ProjectId): Promise<void> {
    await this.#db.run("DELETE FROM person_role WHERE person_id = $1 AND project_id = $2", [personId, projectId]);
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
