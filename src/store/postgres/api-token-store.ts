import { z } from "zod";
import type { ApiTokenStore, StoredApiToken } from "../../ports/api-token-store.ts";
import { ApiScope } from "../../protocol/api-tokens.ts";
import { ProjectId } from "../../protocol/ids.ts";
import { PersonId } from "../../protocol/person-ref.ts";
import type { Queries } from "./database.ts";

const Row = z.object({
  id: z.string(),
  secret_hash: z.string(),
  token_mark: z.string(),
  name: z.string(),
  scope: ApiScope,
  project_id: z.nullable(ProjectId),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
  person_id: z.nullable(PersonId),
});

export class PostgresApiTokenStore implements ApiTokenStore {
  readonly #db: Queries;

  constructor(db: Queries) {
    this.#db = db;
  }

  async list(): Promise<readonly StoredApiToken[]> {
    return (await this.#db.rows("SELECT * FROM api_token ORDER BY created_at, id")).map(tokenFrom);
  }

  async put(token: StoredApiToken): Promise<void> {
    const { id, secretHash, tokenMark, name, scope, projectId, createdAt, lastUsedAt, personId } = token;
    await this.#db.run(
      `INSERT INTO api_token (id, secret_hash, token_mark, name, scope, project_id, created_at, last_used_at, person_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
       ON CONFLICT (id) DO UPDATE SET secret_hash = excluded.secret_hash, token_mark = excluded.token_mark,
         name = excluded.name, scope = excluded.scope, project_id = excluded.project_id,
         created_at = excluded.created_at, last_used_at = excluded.last_used_at,
         person_id = excluded.person_id`,
      [id, secretHash, tokenMark, name, scope, projectId, createdAt, lastUsedAt, personId],
    );
  }

  async delete(id: string): Promise<void> {
    await this.#db.run("DELETE FROM api_token WHERE id = $1", [id]);
  }
}

function tokenFrom(row: unknown): StoredApiToken {
  const read = Row.parse(row);
  return {
    id: read.id,
    secretHash: read.secret_hash,
    tokenMark: read.token_mark,
    name: read.name,
    scope: read.scope,
    projectId: read.project_id,
    createdAt: read.created_at,
    lastUsedAt: read.last_used_at,
    personId: read.person_id,
  };
}
