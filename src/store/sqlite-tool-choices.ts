import type { DatabaseSync } from "node:sqlite";
import type { ToolChoices } from "../ports/tool-choices.ts";
import type { ProjectId } from "../protocol/ids.ts";

export class SqliteToolChoices implements ToolChoices {
  readonly #read;
  readonly #write;

  constructor(db: DatabaseSync) {
    this.#read = db.prepare("SELECT name, enabled FROM tool_choice WHERE project_id = ?");
    this.#write = db.prepare(
      `INSERT INTO tool_choice (project_id, name, enabled) VALUES (?, ?, ?)
       ON CONFLICT (project_id, name) DO UPDATE SET enabled = excluded.enabled`,
    );
  }

  of(projectId: ProjectId): ReadonlyMap<string, boolean> {
    return new Map(this.#read.all(projectId).map((row) => [String(row["name"]), row["enabled"] === 1]));
  }

  choose(projectId: ProjectId, name: string, enabled: boolean): void {
    this.#write.run(projectId, name, enabled ? 1 : 0);
  }
}
