import type { ProjectId } from "../protocol/ids.ts";

/** The tool servers that the user has switched on or off in a project. */
export interface ToolChoices {
  /** By name, without those that were never chosen. */
  of(projectId: ProjectId): Promise<ReadonlyMap<string, boolean>>;
  choose(projectId: ProjectId, name: string, enabled: boolean): Promise<void>;
}
