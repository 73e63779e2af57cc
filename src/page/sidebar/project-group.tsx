import { useComputed } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Project } from "../../protocol/server-messages.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import type { Shell } from "../state/shell.ts";
import { askForSession } from "../state/shell-actions.ts";
import { projectCostWords } from "./project-cost.ts";
import { ArchivedOf } from "./row-care.tsx";
import { SessionRowItem } from "./session-row-item.tsx";
import { type SessionBranch, sessionTree } from "./session-tree.ts";
import { usePick } from "./use-pick.ts";

const NO_ROWS: readonly SessionRow[] = [];

/** A project and its sessions, folded away or not. */
export function ProjectGroup({ shell, project }: { shell: Shell; project: Project }) {
  const open = useComputed(() => shell.collapsed.value[project.id] !== true).value;
  const listId = `sessions-of-${project.id}`;
  const before = useRef<readonly SessionBranch[]>([]);
  // Of its own, so that what follows from it is worked out again only when a row of this project changed.
  const rows = useComputed(() => shell.rowsByProject.value.get(project.id) ?? NO_ROWS);
  const branches = useComputed(() => {
    before.current = sessionTree(rows.value, before.current);
    return before.current;
  }).value;
  const cost = useComputed(() => projectCostWords(rows.value)).value;
  const rowCount = useComputed(() => rows.value.length).value;
  const known = usePick(shell, ({ awaited }) => awaited?.has(project.id) === false);
  return (
    <li class="project">
      <ProjectHead shell={shell} project={project} open={open} listId={listId} cost={cost} />
      {open && (
        <div id={listId} class="project-sessions" style={{ "--rows": rowCount }}>
          <ul>
            {branches.map((branch) => (
              <SessionRowItem key={branch.id} shell={shell} branch={branch} />
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
  const showsArchived = useComputed(() => shell.archivesShown.value.has(project.id)).value;
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
