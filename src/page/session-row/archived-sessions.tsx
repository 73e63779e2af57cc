import type { Project } from "../../protocol/server-messages.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { agentIconName } from "../../ui/icons/icon-shapes.ts";
import { relativeAge } from "../../ui/words/time-words.ts";
import type { Shell } from "../state/shell.ts";
import { askToDelete } from "../state/shell-actions.ts";
import { archivedOf } from "../state/shell-state.ts";

/** The archived sessions of a project, below the others. */
export function ArchivedSessions({ shell, project }: { shell: Shell; project: Project }) {
  const rows = archivedOf(shell.server.value, project.id);
  if (rows.length === 0) return <p class="sidebar-invite">No archived sessions.</p>;
  return (
    <ul class="archived" aria-label={`Archived in ${project.name}`}>
      {rows.map((session) => (
        <ArchivedRow key={session.id} shell={shell} session={session} />
      ))}
    </ul>
  );
}

function ArchivedRow({ shell, session }: { shell: Shell; session: SessionRow }) {
  const { id, title, cliType, lastActiveAt } = session;
  return (
    <li class="session-row">
      <span class="row-link" title={title}>
        <span class="mark">
          <Icon name="archive" class="icon-sm" />
        </span>
        <span class="title truncate">{title}</span>
      </span>
      <span class="row-facts" aria-hidden="true">
        <Icon name={agentIconName(cliType)} class="icon-sm agent" />
        <time class="age" dateTime={lastActiveAt}>
          {relativeAge(lastActiveAt, shell.nowMs.value)}
        </time>
      </span>
      <span class="row-actions">
        <button
          type="button"
          class="icon-button"
          aria-label={`Unarchive ${title}`}
          title="Unarchive"
          onClick={() => void shell.attempt({ type: "session:unarchive", sessionId: id })}
        >
          <Icon name="refresh" class="icon-sm" />
        </button>
        <button
          type="button"
          class="icon-button"
          aria-label={`Delete ${title}`}
          title="Delete permanently"
          onClick={() => askToDelete(shell, id)}
        >
          <Icon name="trash" class="icon-sm" />
        </button>
      </span>
    </li>
  );
}
