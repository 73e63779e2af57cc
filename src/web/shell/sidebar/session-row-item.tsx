import { agentIconName } from "../../icons/agent-icon-name.ts";
import { Icon } from "../../icons/icon.tsx";
import { relativeAge } from "../relative-age.ts";
import type { Shell } from "../state/shell.ts";
import { askToArchive, startRename } from "../state/shell-actions.ts";
import { agentOf } from "../state/shell-state.ts";
import { Mark } from "./mark.tsx";
import { MoreButton, RowTitle } from "./row-care.tsx";
import { MARK_WORDS, sessionMark } from "./session-mark.ts";
import type { SessionBranch } from "./session-tree.ts";

/** One line per session; the sessions its agent started stand under it. */
export function SessionRowItem({ shell, branch }: { shell: Shell; branch: SessionBranch }) {
  const { session, children } = branch;
  const current = shell.shownSession() === session.id;
  const mark = sessionMark(session);
  const agent = agentOf(shell.server.value, session.cliType)?.name ?? session.cliType;
  const age = relativeAge(session.lastActiveAt, shell.nowMs.value);
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
            <SessionRowItem key={child.session.id} shell={shell} branch={child} />
          ))}
        </ul>
      )}
    </li>
  );
}
