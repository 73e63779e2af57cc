import type { ProjectId } from "../protocol/ids.ts";
import type { Project } from "../protocol/server-messages.ts";

/** Projects by their real path. Removing hides one; adding it again brings the same id back. */
export interface ProjectStore {
  /** In the order of adding. */
  list(): Promise<readonly Project[]>;
  /** Null for one that is unknown or removed. */
  get(id: ProjectId): Promise<Project | null>;
  byPath(path: string): Promise<{ readonly project: Project; readonly removed: boolean } | null>;
  /** Last in the order. Rejects for a path that another project has. */
  add(project: Project): Promise<void>;
  remove(id: ProjectId): Promise<void>;
  /** Where the user let the previous new session of this project work; null before the first one. */
  lastPlace(id: ProjectId): Promise<"project" | "worktree" | null>;
  rememberPlace(id: ProjectId, place: "project" | "worktree"): Promise<void>;
}
