import type { InboxItem } from "../../protocol/inbox.ts";
import { isTurnActive, type SessionRow } from "../../protocol/session-schema.ts";
import { agentIconName } from "../../ui/icons/agent-icon-name.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { costWords } from "../../ui/words/cost-words.ts";
import { ageWords, elapsedWords, exactTime } from "../../ui/words/time-words.ts";
import { type AgentsStatus, memoryWords } from "../agents/agents-status.ts";
import { Mark } from "../controls/mark.tsx";
import { sessionActivity } from "../state/session-activity.ts";
import { MARK_WORDS, sessionMark } from "../state/session-mark.ts";
import type { Shell } from "../state/shell.ts";
import { agentOf, type ShellState } from "../state/shell-state.ts";

interface SessionCardProps {
  readonly shell: Shell;
  readonly session: SessionRow;
  readonly item: InboxItem | undefined;
  /** How it ended its last answer. */
  readonly result: string | undefined;
  readonly status: AgentsStatus | null;
  readonly nowMs: number;
}

/** A session at a glance: state, what it does, since when, what it uses. All of it leads to the session. */
export function SessionCard({ shell, session, item, result, status, nowMs }: SessionCardProps) {
  const { id, title, cliType, turn, lastActiveAt } = session;
  const state = shell.server.value;
  const mark = sessionMark(session);
  const agent = agentOf(state, cliType)?.name ?? cliType;
  const directory = state.projects.find(({ id: one }) => one === session.projectId)?.path ?? "";
  const { words, target } = sessionActivity(session, { item, directory, result });
  const since = isTurnActive(turn) ? turn.startedAt : undefined;
  return (
    <li class="agent-card" data-session-card={id}>
      <Mark state={mark} />
      <div class="head">
        <Icon name={agentIconName(cliType)} class="icon-sm agent" />
        <button
          type="button"
          class="card-link truncate"
          aria-description={[agent, MARK_WORDS[mark]].filter((part) => part !== "").join(", ")}
          onClick={() => shell.open(id, { focus: true })}
        >
          {title}
        </button>
      </div>
      <time class="side" dateTime={since ?? lastActiveAt} title={exactTime(since ?? lastActiveAt)}>
        {since === undefined ? ageWords(lastActiveAt, nowMs) : elapsedWords(nowMs - Date.parse(since))}
      </time>
      <div class="activity">
        <span class="optional">{placeWords(state, session)}</span>
        <span class="truncate">
          {words} {target !== "" && <span class="mono">{target}</span>}
        </span>
      </div>
      <div class="side2">
        {mark === "failed" && (
          <button
            type="button"
            class="button small"
            aria-label={`Try again: ${title}`}
            onClick={() =>
              void shell.attempt(
                session.start
                  ? { type: "session:reconnect", cliType, sessionId: id }
                  : { type: "session:retry", sessionId: id },
              )
            }
          >
            Try again
          </button>
        )}
        {usageWords(session).map((part) => (
          <span key={part}>{part}</span>
        ))}
        {isTurnActive(turn) &&
          processWords(session, status).map((part) => (
            <span key={part} class="optional">
              {part}
            </span>
          ))}
      </div>
    </li>
  );
}

/** Who started it, when that was another session; else its project. */
function placeWords({ sessions, projects }: ShellState, { parentId, projectId }: SessionRow): string {
  const parent = parentId === undefined ? undefined : sessions.get(parentId);
  return parent ? `under ${parent.title}` : (projects.find(({ id }) => id === projectId)?.name ?? "");
}

/** Tokens in the agent's context, and what it cost, where the agent says. */
function usageWords({ usage }: SessionRow): readonly string[] {
  if (usage === undefined) return [];
  return [
    ...(usage.used > 0 ? [`${new Intl.NumberFormat("en", { notation: "compact" }).format(usage.used)} tokens`] : []),
    ...(usage.cost && usage.cost.amount > 0 ? [costWords(usage.cost)] : []),
  ];
}

function processWords({ id }: SessionRow, status: AgentsStatus | null): readonly string[] {
  const { pid, memoryBytes } = status?.sessions.find((one) => one.id === id) ?? {};
  if (pid === undefined) return [];
  return [`pid ${pid}`, ...(memoryBytes ? [memoryWords(memoryBytes)] : [])];
}
