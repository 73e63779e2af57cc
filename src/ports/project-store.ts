import type { ProjectId } from "../protocol/ids.ts";
import type { Project } from "../protocol/server-messages.ts";

/** Projects by their real path. Removing hides one; adding it again brings the same id back. */
export interface ProjectStore {
  /** In the order of adding. */
  list(): readonly Project[];
  get(id: ProjectId): Project | null;
  byPath(path: string): { readonly project: Project; readonly removed: boolean } | null;
  add(project: Project): void;
  remove(id: ProjectId): void;
}
