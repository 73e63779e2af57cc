import type { DatabaseSync } from "node:sqlite";
import type { ProjectStore } from "../ports/project-store.ts";
import type { ProjectId } from "../protocol/ids.ts";
import { Project } from "../protocol/project.ts";

type Row = Record<string, unknown>;

export class SqliteProjectStore implements ProjectStore {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  async list(): Promise<readonly Project[]> {
    return this.#db.prepare("SELECT * FROM project WHERE removed = 0 ORDER BY position").all().map(projectFrom);
  }

  async get(id: ProjectId): Promise<Project | null> {
    const row = this.#db.prepare("SELECT * FROM project WHERE id = ? AND removed = 0").get(id);
    return row ? projectFrom(row) : null;
  }

  async byPath(path: string): Promise<{ project: Project; removed: boolean } | null> {
    const row = this.#db.prepare("SELECT * FROM project WHERE path = ?").get(path);
    return row ? { project: projectFrom(row), removed: row["removed"] === 1 } : null;
  }

  async add(project: Project): Promise<void> {
    this.#db
      .prepare(
        `INSERT INTO project (id, path, name, added_at, position, removed)
         VALUES (?, ?, ?, ?, (SELECT COALESCE(MAX(position), 0) + 1 FROM project), 0)
         ON CONFLICT (id) DO UPDATE SET removed = 0, name = excluded.name, added_at = excluded.added_at, position = excluded.position`,
      )
      .run(project.id, project.path, project.name, project.addedAt);
  }

  async remove(id: ProjectId): Promise<void> {
    this.#db.prepare("UPDATE project SET removed = 1 WHERE id = ?").run(id);
  }

  async lastPlace(id: ProjectId): Promise<"project" | "worktree" | null> {
    const place = this.#db.prepare("SELECT last_place FROM project WHERE id = ?").get(id)?.["last_place"];
    return place === "project" || place === "worktree" ? place : null;
  }

  async rememberPlace(id: ProjectId, place: "project" | "worktree"): Promise<void> {
    this.#db.prepare("UPDATE project SET last_place = ? WHERE id = ?").run(place, id);
  }
}

function projectFrom(row: Row): Project {
  return Project.parse({ id: row["id"], path: row["path"], name: row["name"], addedAt: row["added_at"] });
}
