import type { SnippetStore } from "../../ports/snippet-store.ts";
import { ProjectId } from "../../protocol/ids.ts";
import { type Snippet, SnippetId } from "../../protocol/snippets.ts";
import type { Queries, Row } from "./database.ts";

export class PostgresSnippetStore implements SnippetStore {
  readonly #db: Queries;

  constructor(db: Queries) {
    this.#db = db;
  }

  async list(): Promise<readonly Snippet[]> {
    const rows = await this.#db.rows("SELECT id, name, body, project_id, updated_at FROM snippet ORDER BY name, id");
    return rows.map(snippetFrom);
  }

  async put({ id, name, body, projectId, updatedAt }: Snippet): Promise<void> {
    await this.#db.run(
      `INSERT INTO snippet (id, name, body, project_id, updated_at) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (id) DO UPDATE SET name = excluded.name, body = excluded.body, project_id = excluded.project_id,
         updated_at = excluded.updated_at`,
      [id, name, body, projectId ?? null, updatedAt],
    );
  }

  async remove(id: SnippetId): Promise<boolean> {
    return (await this.#db.run("DELETE FROM snippet WHERE id = $1", [id])) > 0;
  }
}

function snippetFrom(row: Row): Snippet {
  const projectId = row["project_id"];
  return {
    id: SnippetId.parse(row["id"]),
    name: String(row["name"]),
    body: String(row["body"]),
    ...(typeof projectId === "string" && { projectId: ProjectId.parse(projectId) }),
    updatedAt: String(row["updated_at"]),
  };
}
