import { useComputed } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { SessionId } from "../../protocol/ids.ts";
import type { Project } from "../../protocol/server-messages.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { agentIconName } from "../../ui/icons/icon-shapes.ts";
import { relativeAge } from "../../ui/words/time-words.ts";
import { Mark } from "../controls/mark.tsx";
import { ArchivedSessions } from "../session-row/archived-sessions.tsx";
import { TitleOrField } from "../session-row/rename-field.tsx";
import { MoreButton } from "../session-row/session-menu.tsx";
import { MARK_WORDS, sessionMark } from "../state/session-mark.ts";
import type { Shell } from "../state/shell.ts";
import { askForSession, askToArchive, startRename } from "../state/shell-actions.ts";
import type { ShellState } from "../state/shell-state.ts";
import { projectCostWords } from "./project-cost.ts";

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
          <ArchivedSessions shell={shell} project={project} />
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
        title="Remove from list"
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

/** One line per session; the sessions its agent started stand under it. */
function SessionRowItem({ shell, branch }: { shell: Shell; branch: SessionBranch }) {
  const { id, children } = branch;
  const session = shell.rows.of(id).value;
  const current = useComputed(() => shell.shownSession() === id).value;
  const agentName = useComputed(() => agentNameOf(shell, id)).value;
  const age = useComputed(() => ageOf(shell, id)).value;
  if (session === undefined) return null;
  const mark = sessionMark(session);
  const agent = agentName ?? session.cliType;
  const exact = new Date(session.lastActiveAt).toLocaleString();
  const asks = mark === "waiting" || mark === "failed" || mark === "unread";
  return (
    <li class="session-row" data-rename-place data-attention={asks ? mark : undefined}>
      <TitleOrField shell={shell} session={session} place="row">
        <button
          type="button"
          class="row-link"
          aria-description={[agent, MARK_WORDS[mark], age].filter((words) => words !== "").join(", ")}
          aria-current={current ? "true" : undefined}
          title={`${session.title}\n${agent}, last active ${exact}`}
          onClick={() => shell.open(session.id, { focus: true })}
          onDblClick={() => startRename(shell, session.id)}
          onKeyDown={(event) => {
            if (event.key === "F2") startRename(shell, session.id);
          }}
        >
          <Mark state={mark} />
          <span class="title truncate">{session.title}</span>
        </button>
      </TitleOrField>
      <span class="row-facts" aria-hidden="true">
        <Icon name={agentIconName(session.cliType)} class="icon-sm agent" />
        <time class="age" dateTime={session.lastActiveAt} title={exact}>
          {age}
        </time>
      </span>
      <span class="row-actions">
        <button
          type="button"
          class="icon-button archive"
          aria-label={`Archive ${session.title}`}
          title="Archive"
          onClick={() => askToArchive(shell, session.id)}
        >
          <Icon name="archive" class="icon-sm" />
        </button>
        <MoreButton shell={shell} session={session} />
      </span>
      {children.length > 0 && (
        <ul class="children">
          {children.map((child) => (
            <SessionRowItem key={child.id} shell={shell} branch={child} />
          ))}
        </ul>
      )}
    </li>
  );
}

function agentNameOf({ rows }: Shell, id: SessionId): string | undefined {
  const cliType = rows.of(id).value?.cliType;
  return rows.agents.value.find((agent) => agent.id === cliType)?.name;
}

function ageOf(shell: Shell, id: SessionId): string {
  const row = shell.rows.of(id).value;
  return row === undefined ? "" : relativeAge(row.lastActiveAt, shell.nowMs.value);
}

/** A piece of what the server said: who reads it is drawn again only when that piece changes. */
export function usePick<Piece>(shell: Shell, pick: (state: ShellState) => Piece): Piece {
  return useComputed(() => pick(shell.server.value)).value;
}

/** A session and the sessions its agent started. */
export interface SessionBranch {
  readonly id: SessionId;
  readonly children: readonly SessionBranch[];
}

type Branches = readonly SessionBranch[];

/** Children stand under their parent, in the order given; one whose parent is not there stands by itself. What stands as before is the same object as before. */
export function sessionTree(rows: readonly SessionRow[], before: Branches = []): Branches {
  const ids = new Set(rows.map(({ id }) => id));
  const byParent = Map.groupBy(rows, ({ parentId }) => (parentId !== undefined && ids.has(parentId) ? parentId : null));
  const branches = (parent: SessionId | null, known: Branches): Branches => {
    const knownById = new Map(known.map((branch) => [branch.id, branch]));
    const now = (byParent.get(parent) ?? []).map(({ id }) => {
      const same = knownById.get(id);
      const children = branches(id, same?.children ?? []);
      return same !== undefined && same.children === children ? same : { id, children };
    });
    return now.length === known.length && now.every((branch, at) => branch === known[at]) ? known : now;
  };
  return branches(null, before);
}
