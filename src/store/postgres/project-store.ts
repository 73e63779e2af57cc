import type { ProjectStore } from "../../ports/project-store.ts";
import type { ProjectId } from "../../protocol/ids.ts";
import { Project } from "../../protocol/project.ts";
import type { Queries, Row } from "./database.ts";

export class PostgresProjectStore implements ProjectStore {
  readonly #db: Queries;

  constructor(db: Queries) {
    this.#db = db;
  }

  async list(): Promise<readonly Project[]> {
    return (await this.#db.rows("SELECT * FROM project WHERE removed = 0 ORDER BY position")).map(projectFrom);
  }

  async get(id: ProjectId): Promise<Project | null> {
    const row = await this.#db.row("SELECT * FROM project WHERE id = $1 AND removed = 0", [id]);
    return row && projectFrom(row);
  }

  async byPath(path: string): Promise<{ project: Project; removed: boolean } | null> {
    const row = await this.#db.row("SELECT * FROM project WHERE path = $1", [path]);
    return row && { project: projectFrom(row), removed: row["removed"] === 1 };
  }

  async add(project: Project): Promise<void> {
    await this.#db.run(
      `INSERT INTO project (id, path, name, added_at, position, removed)
       VALUES ($1, $2, $3, $4, (SELECT COALESCE(MAX(position), 0) + 1 FROM project), 0)
       ON CONFLICT (id) DO UPDATE SET removed = 0, name = excluded.name, added_at = excluded.added_at,
         position = excluded.position`,
      [project.id, project.path, project.name, project.addedAt],
    );
  }

  async remove(id: ProjectId): Promise<void> {
    await this.#db.run("UPDATE project SET removed = 1 WHERE id = $1", [id]);
  }

  async lastPlace(id: ProjectId): Promise<"project" | "worktree" | null> {
    const place = (await this.#db.row("SELECT last_place FROM project WHERE id = $1", [id]))?.["last_place"];
    return place === "project" || place === "worktree" ? place : null;
  }

  async rememberPlace(id: ProjectId, place: "project" | "worktree"): Promise<void> {
    await this.#db.run("UPDATE project SET last_place = $1 WHERE id = $2", [place, id]);
  }
}

function projectFrom(row: Row): Project {
  return Project.parse({ id: row["id"], path: row["path"], name: row["name"], addedAt: row["added_at"] });
}
