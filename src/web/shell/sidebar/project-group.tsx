import type { Project } from "../../../protocol/server-messages.ts";
import { Icon } from "../../icons/icon.tsx";
import type { Shell } from "../state/shell.ts";
import { askForSession } from "../state/shell-actions.ts";
import { sessionsOf } from "../state/shell-state.ts";
import { projectCostWords } from "./project-cost.ts";
import { ArchivedOf } from "./row-care.tsx";
import { SessionRowItem } from "./session-row-item.tsx";
import { sessionTree } from "./session-tree.ts";

/** A project and its sessions, folded away or not. */
export function ProjectGroup({ shell, project }: { shell: Shell; project: Project }) {
  const state = shell.server.value;
  const open = shell.collapsed.value[project.id] !== true;
  const listId = `sessions-of-${project.id}`;
  const sessions = sessionsOf(state, project.id);
  const branches = sessionTree(sessions);
  const known = state.awaited?.has(project.id) === false;
  return (
    <li class="project">
      <ProjectHead shell={shell} project={project} open={open} listId={listId} cost={projectCostWords(sessions)} />
      {open && (
        <div id={listId}>
          <ul>
            {branches.map((branch) => (
              <SessionRowItem key={branch.session.id} shell={shell} branch={branch} />
            ))}
          </ul>
          {known && branches.length === 0 && (
            <p class="sidebar-invite">
              No sessions yet.
              <button type="button" onClick={() => askForSession(shell, project.id)}>
                Start one
              </button>
            </p>
          )}
          <ArchivedOf shell={shell} project={project} />
        </div>
      )}
    </li>
  );
}

interface ProjectHeadProps {
  readonly shell: Shell;
  readonly project: Project;
  readonly open: boolean;
  readonly listId: string;
  readonly cost: string;
}

function ProjectHead({ shell, project, open, listId, cost }: ProjectHeadProps) {
  const showsArchived = shell.archivesShown.value.has(project.id);
  return (
    <div class="project-head">
      <button
        type="button"
        class="project-toggle"
        aria-expanded={open}
        aria-controls={open ? listId : undefined}
        title={cost === "" ? project.path : `${project.path}\n${cost}`}
        onClick={() => shell.toggleProject(project.id)}
      >
        <Icon name="chevron" />
        <span class="truncate">{project.name}</span>
      </button>
      <button
        type="button"
        class="icon-button small"
        aria-label={`Show archived in ${project.name}`}
        aria-pressed={showsArchived}
        title={showsArchived ? "Hide archived sessions" : "Show archived sessions"}
        onClick={() => shell.toggleArchived(project.id)}
      >
        <Icon name="archive" class="icon-sm" />
      </button>
      <button
        type="button"
        class="icon-button small"
        aria-label={`Remove ${project.name}`}
        title="Remove from the list"
        onClick={() => {
          shell.dialog.value = { kind: "remove-project", projectId: project.id };
        }}
      >
        <Icon name="minus" class="icon-sm" />
      </button>
      <button
        type="button"
        class="icon-button small"
        aria-label={`New session in ${project.name}`}
        title="New session"
        onClick={() => askForSession(shell, project.id)}
      >
        <Icon name="plus" class="icon-sm" />
      </button>
    </div>
  );
}
