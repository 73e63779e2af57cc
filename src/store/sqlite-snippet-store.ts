import type { DatabaseSync } from "node:sqlite";
import type { SnippetStore } from "../ports/snippet-store.ts";
import { ProjectId } from "../protocol/ids.ts";
import { type Snippet, SnippetId } from "../protocol/snippets.ts";

type Row = Record<string, unknown>;

export class SqliteSnippetStore implements SnippetStore {
  readonly #sql;

  constructor(db: DatabaseSync) {
    this.#sql = {
      list: db.prepare("SELECT id, name, body, project_id, updated_at FROM snippet ORDER BY name, id"),
      put: db.prepare("INSERT OR REPLACE INTO snippet (id, name, body, project_id, updated_at) VALUES (?, ?, ?, ?, ?)"),
      remove: db.prepare("DELETE FROM snippet WHERE id = ?"),
    };
  }

  async list(): Promise<readonly Snippet[]> {
    return this.#sql.list.all().map(snippetFrom);
  }

  async put({ id, name, body, projectId, updatedAt }: Snippet): Promise<void> {
    this.#sql.put.run(id, name, body, projectId ?? null, updatedAt);
  }

  async remove(id: SnippetId): Promise<boolean> {
    return this.#sql.remove.run(id).changes > 0;
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
