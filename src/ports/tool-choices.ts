import type { ProjectId } from "../protocol/ids.ts";

/** Which tool servers the user has switched on or off in a project. */
export interface ToolChoices {
  /** By name; what was never chosen is not there. */
  of(projectId: ProjectId): ReadonlyMap<string, boolean>;
  choose(projectId: ProjectId, name: string, enabled: boolean): void;
}
