import { useComputed } from "@preact/signals";
import type { SessionId } from "../../protocol/ids.ts";
import { agentIconName } from "../../ui/icons/agent-icon-name.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { relativeAge } from "../../ui/words/relative-age.ts";
import { Mark } from "../controls/mark.tsx";
import { MARK_WORDS, sessionMark } from "../state/session-mark.ts";
import type { Shell } from "../state/shell.ts";
import { askToArchive, startRename } from "../state/shell-actions.ts";
import { MoreButton, RowTitle } from "./row-care.tsx";
import type { SessionBranch } from "./session-tree.ts";

/** One line per session; the sessions its agent started stand under it. */
export function SessionRowItem({ shell, branch }: { shell: Shell; branch: SessionBranch }) {
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
      <RowTitle shell={shell} session={session}>
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
      </RowTitle>
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
