import { useComputed } from "@preact/signals";
import { useRef } from "preact/hooks";
import { spokenCounts } from "../../presentation/changes-words.ts";
import { overlapWords } from "../../presentation/worktree-words.ts";
import type { SessionId } from "../../protocol/ids.ts";
import { canAt } from "../../protocol/place-capabilities.ts";
import { placedName } from "../../protocol/place-path.ts";
import type { Project } from "../../protocol/server-messages.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { agentIconName } from "../../ui/icons/icon-shapes.ts";
import { relativeAge } from "../../ui/words/time-words.ts";
import { ChangeCount } from "../controls/change-count.tsx";
import { Mark, PlaceName, SessionLabels, WorktreeName } from "../controls/mark.tsx";
import { RareView } from "../rare-view.tsx";
import { MoreButton } from "../session-row/more-button.tsx";
import { TitleOrField } from "../session-row/rename-field.tsx";
import { isFiltering } from "../state/session-filter.ts";
import { MARK_WORDS, sessionMark } from "../state/session-mark.ts";
import type { Shell } from "../state/shell.ts";
import { askForSession, askToArchive, startRename } from "../state/shell-actions.ts";
import { type ShellState, worktreeOf } from "../state/shell-state.ts";
import { projectCostWords } from "./project-cost.ts";

const NO_ROWS: readonly SessionRow[] = [];

/** A project and its sessions, collapsed or not. */
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
  const isFiltered = useComputed(() => isFiltering(shell.filter.value)).value;
  const known = usePick(shell, ({ awaited }) => awaited?.has(project.id) === false);
  if (isFiltered && rowCount === 0) return null;
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
          <Archived shell={shell} project={project} />
        </div>
      )}
    </li>
  );
}

function Archived({ shell, project }: { shell: Shell; project: Project }) {
  const isShown = useComputed(() => shell.archivesShown.value.has(project.id)).value;
  if (!isShown) return null;
  return (
    <RareView
      shell={shell}
      isOptional
      show={({ ArchivedSessions }) => <ArchivedSessions shell={shell} project={project} />}
    />
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
  const { name, place } = placedName(project);
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
        <span class="truncate">{name}</span>
        {place !== null && <span class="visually-hidden">at {place}</span>}
        {place !== null && <PlaceName place={place} />}
      </button>
      <button
        type="button"
        class="icon-button small rarer"
        aria-label={`Show archived in ${project.name}`}
        aria-pressed={showsArchived}
        title={showsArchived ? "Hide archived sessions" : "Show archived sessions"}
        onClick={() => shell.toggleArchived(project.id)}
      >
        <Icon name="archive" class="icon-sm" />
      </button>
      {canAt(project.path, "worktrees") && (
        <button
          type="button"
          class="icon-button small rarer"
          aria-label={`Worktrees of ${project.name}`}
          title="Worktrees"
          onClick={() => shell.showWorktrees(project.id)}
        >
          <Icon name="branch" class="icon-sm" />
        </button>
      )}
      <button
        type="button"
        class="icon-button small rarer"
        aria-label={`Schedules of ${project.name}`}
        title="Schedules"
        onClick={() => shell.showSchedules(project.id)}
      >
        <Icon name="clock" class="icon-sm" />
      </button>
      <button
        type="button"
        class="icon-button small rarer"
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
        class="icon-button small more"
        aria-label={`More actions for ${project.name}`}
        aria-haspopup="menu"
        title="More actions"
        onClick={({ currentTarget: button }) => {
          shell.rowMenu.value = { projectId: project.id, button, place: "project" };
        }}
      >
        <Icon name="more" class="icon-sm" />
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

/** One line per session; the sessions its agent started are below it. */
function SessionRowItem({ shell, branch }: { shell: Shell; branch: SessionBranch }) {
  const { id, children } = branch;
  const session = shell.rows.of(id).value;
  const current = useComputed(() => shell.shownSession() === id).value;
  const agentName = useComputed(() => agentNameOf(shell, id)).value;
  const age = useComputed(() => ageOf(shell, id)).value;
  const overlap = useComputed(() => overlapOf(shell, id)).value;
  if (session === undefined) return null;
  const mark = sessionMark(session);
  const agent = agentName ?? session.cliType;
  const changed = session.changes === null ? "" : spokenCounts(session.changes);
  const place = session.worktree === null ? "" : `in worktree ${session.worktree.name}`;
  const exact = new Date(session.lastActiveAt).toLocaleString();
  const asks = mark === "waiting" || mark === "failed" || mark === "unread";
  return (
    <li
      class="session-row"
      data-rename-place
      data-attention={asks ? mark : undefined}
      data-overlap={overlap === "" ? undefined : ""}
    >
      <TitleOrField shell={shell} session={session} place="row">
        <button
          type="button"
          class="row-link"
          aria-description={[
            ...[agent, session.pinned ? "pinned" : "", session.origin ? "a branch" : "", MARK_WORDS[mark]],
            ...[place, overlap, changed, ...session.labels.map((label) => `label ${label}`), age],
          ]
            .filter((words) => words !== "")
            .join(", ")}
          aria-current={current ? "true" : undefined}
          title={[session.title, `${agent}, last active ${exact}`, place, overlap, changed, session.labels.join(", ")]
            .filter((words) => words !== "")
            .join("\n")}
          onClick={() => shell.open(session.id, { focus: true })}
          onDblClick={() => startRename(shell, session.id)}
          onKeyDown={(event) => {
            if (event.key === "F2") startRename(shell, session.id);
          }}
        >
          <Mark state={mark} />
          <span class="title-line">
            <span class="title truncate">
              {session.pinned && <Icon name="pin" class="icon-sm fork" />}
              {session.origin && <Icon name="fork" class="icon-sm fork" />}
              {session.title}
            </span>
            <SessionLabels labels={session.labels} />
            {session.worktree !== null && <WorktreeName name={session.worktree.name} />}
            {session.changes !== null && <ChangeCount counts={session.changes} />}
          </span>
        </button>
      </TitleOrField>
      <span class="row-facts" aria-hidden="true">
        {overlap !== "" && <Icon name="alert" class="icon-sm overlap" />}
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

/** The known overlaps of the session's worktree; empty for none. */
function overlapOf({ rows, server }: Shell, id: SessionId): string {
  const row = rows.of(id).value;
  const worktree = row && row.worktree !== null ? worktreeOf(server.value, row) : undefined;
  return worktree === undefined ? "" : overlapWords(worktree);
}

function agentNameOf({ rows }: Shell, id: SessionId): string | undefined {
  const cliType = rows.of(id).value?.cliType;
  return rows.agents.value.find((agent) => agent.id === cliType)?.name;
}

function ageOf(shell: Shell, id: SessionId): string {
  const row = shell.rows.of(id).value;
  return row === undefined ? "" : relativeAge(row.lastActiveAt, shell.nowMs.value);
}

/** A part of the server's state: a component that reads it is rendered again only when that part changes. */
export function usePick<Piece>(shell: Shell, pick: (state: ShellState) => Piece): Piece {
  return useComputed(() => pick(shell.server.value)).value;
}

/** A session and the sessions its agent started. */
export interface SessionBranch {
  readonly id: SessionId;
  readonly children: readonly SessionBranch[];
}

type Branches = readonly SessionBranch[];

/**
 * Children are below their parent, in the given order; one whose parent is missing is a root. Unchanged nodes keep
 * their object.
 */
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
