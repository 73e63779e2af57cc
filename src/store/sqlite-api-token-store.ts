import type { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import type { ApiTokenStore, StoredApiToken } from "../ports/api-token-store.ts";
import { ApiScope } from "../protocol/api-tokens.ts";
import { ProjectId } from "../protocol/ids.ts";
import { PersonId } from "../protocol/person-ref.ts";

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

export class SqliteApiTokenStore implements ApiTokenStore {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  async list(): Promise<readonly StoredApiToken[]> {
    return this.#db.prepare("SELECT * FROM api_token ORDER BY created_at, id").all().map(tokenFrom);
  }

  async put({
    id,
    secretHash,
    tokenMark,
    name,
    scope,
    projectId,
    createdAt,
    lastUsedAt,
    personId,
  }: StoredApiToken): Promise<void> {
    this.#db
      .prepare(
        `INSERT OR REPLACE INTO api_token
           (id, secret_hash, token_mark, name, scope, project_id, created_at, last_used_at, person_id)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(id, secretHash, tokenMark, name, scope, projectId, createdAt, lastUsedAt, personId);
  }

  async delete(id: string): Promise<void> {
    this.#db.prepare("DELETE FROM api_token WHERE id = ?").run(id);
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
