import type { Hub } from "../fanout/hub.ts";
import type { ProjectId } from "../protocol/ids.ts";
import type { SessionService } from "../sessions/session-service.ts";
import type { ProjectService } from "../workspace/project-service.ts";
import type { Caller } from "./caller.ts";
import { refusedBy, ToolError } from "./tool-error.ts";

interface Choice {
  readonly caller: Caller;
  readonly sessions: SessionService;
  readonly projects: ProjectService;
  readonly hub: Hub;
}

/** A session's agents work in its own project, where its rights hold; a program outside says where. */
export async function chooseProject(choice: Choice, wanted: string | undefined): Promise<ProjectId> {
  const { caller, projects, sessions, hub } = choice;
  const known = projects.list().find(({ id, path }) => id === wanted || path === wanted);
  if (caller !== null) {
    const own = sessions.view(caller)?.row.projectId;
    if (own !== undefined && (wanted === undefined || known?.id === own)) return own;
    throw new ToolError("project: an agent of this session works in this session's own project. Leave project out.");
  }
  if (wanted === undefined) throw new ToolError("project: say where, by a directory's whole path or a project's id.");
  if (known) return known.id;
  const added = await projects.add(wanted);
  if (added.ok) {
    hub.publish({ type: "project:added", project: added.project });
    return added.project.id;
  }
  const same = added.refusal.code === "PROJECT_DUPLICATE" ? await projects.find(wanted) : null;
  if (same) return same.id;
  throw refusedBy(added.refusal);
}
