import { useSignal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { ignore } from "../../lib/ignore.ts";
import { spokenCounts } from "../../presentation/changes-words.ts";
import { overlapDetails, overlapWords } from "../../presentation/worktree-words.ts";
import type { SessionId } from "../../protocol/ids.ts";
import type { InboxItem } from "../../protocol/inbox.ts";
import { placedName } from "../../protocol/place-path.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import { isTurnActive } from "../../protocol/session-schema.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { agentIconName } from "../../ui/icons/icon-shapes.ts";
import { costWords } from "../../ui/words/cost-words.ts";
import { ageWords, elapsedWords, exactTime } from "../../ui/words/time-words.ts";
import { type AgentsStatus, memoryWords, useAgentsStatus } from "../agents/agents-status.ts";
import { ChangeCount } from "../controls/change-count.tsx";
import { Mark, PlaceName, SessionLabels } from "../controls/mark.tsx";
import { useRoving } from "../controls/use-roving.ts";
import { PageFrame } from "../pages/page-frame.tsx";
import { MoreButton } from "../session-row/more-button.tsx";
import { SessionFilterBar } from "../session-row/session-filter-bar.tsx";
import { projectCostWords } from "../sidebar/project-cost.ts";
import { isNarrow } from "../sidebar/sidebar-layout.ts";
import { type Attention, attentionIn } from "../state/attention.ts";
import { sessionActivity } from "../state/session-activity.ts";
import { filteredRows, isFiltering, NO_FILTER } from "../state/session-filter.ts";
import { MARK_WORDS, sessionMark } from "../state/session-mark.ts";
import type { Shell } from "../state/shell.ts";
import { askForSession } from "../state/shell-actions.ts";
import { agentOf, directoryOf, placeNameOf, type ShellState, worktreeOf } from "../state/shell-state.ts";
import { EMPTY_INBOX, foldInbox, type Inbox, inboxEntries } from "./fold-inbox.ts";
import { InboxList } from "./inbox-list.tsx";

const SECOND_MS = 1_000;
const RECENT_SHOWN = 12;

/** Which sessions work, wait and failed; and all open requests, which can be answered here. */
export function OverviewPage({ shell }: { shell: Shell }) {
  const now = useSignal(Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now();
    }, SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  const state = shell.server.value;
  const inbox = useInbox(shell);
  const reading = useAgentsStatus(state.agents);
  const status = reading.phase === "read" ? reading.status : null;
  const filter = shell.filter.value;
  const attention = attentionIn({ sessions: filteredRows(state.sessions, filter) }, shell.nowMs.value);
  const entries = inboxEntries(inbox, state.sessions);
  const recent = attention.recent.slice(0, RECENT_SHOWN);
  const results = useResults(shell, recent);
  const card = { shell, inbox, results, status, nowMs: now.value };
  return (
    <PageFrame
      shell={shell}
      name="overview-page"
      title="Overview"
      hasOwnEscape
      head={
        <>
          <button
            type="button"
            class="button small"
            data-filter-button=""
            aria-pressed={filter.isOpen}
            onClick={() => {
              shell.filter.value = filter.isOpen ? NO_FILTER : { ...NO_FILTER, isOpen: true };
            }}
          >
            <Icon name="filter" class="icon-sm" />
            Filter
          </button>
          <Figures attention={attention} sessions={[...state.sessions.values()]} status={status} />
        </>
      }
    >
      <div class="overview">
        <InboxList shell={shell} entries={entries} now={now} />
        <div class="overview-sessions">
          {filter.isOpen && isNarrow() && <SessionFilterBar shell={shell} takesFocus />}
          <Cards {...card} title="Waiting for you" rows={attention.waiting} />
          <Cards {...card} title="Working" rows={attention.working} />
          <Cards {...card} title="Failed" rows={attention.failed} />
          <Cards {...card} title="Recently active" rows={recent} />
          {Object.values(attention).every((rows) => rows.length === 0) && (
            <div class="overview-empty">
              <p>
                {isFiltering(filter)
                  ? "No active session has what you filter by."
                  : "No sessions were active today. Activity of your agents appears here."}
              </p>
              {!isFiltering(filter) && (
                <button type="button" class="button" onClick={() => askForSession(shell)}>
                  Start a session
                </button>
              )}
            </div>
          )}
        </div>
      </div>
    </PageFrame>
  );
}

type Results = ReadonlyMap<SessionId, string>;

/** The ends of the sessions' last answers: requested when one of them has changed. */
function useResults(shell: Shell, sessions: readonly SessionRow[]): Results {
  const [results, setResults] = useState<Results>(new Map());
  const stand = sessions.map(({ id, lastActiveAt, turn }) => `${id} ${lastActiveAt} ${turn.turnId}`).join("\n");
  useEffect(() => {
    if (sessions.length === 0) return;
    const sessionIds = sessions.map(({ id }) => id);
    shell.attempt({ type: "session:results", sessionIds }, ignore("the cards show less detail")).then((answer) => {
      if (answer?.type !== "session:results") return;
      setResults(new Map(answer.results.map(({ sessionId, lastLine }) => [sessionId, lastLine])));
    }, ignore("attempt does not reject"));
  }, [shell, stand]);
  return results;
}

interface CardsProps {
  readonly shell: Shell;
  readonly title: string;
  readonly rows: readonly SessionRow[];
  readonly inbox: Inbox;
  readonly results: Results;
  readonly status: AgentsStatus | null;
  readonly nowMs: number;
}

function Cards({ shell, title, rows, inbox, results, status, nowMs }: CardsProps) {
  const list = useRoving<HTMLUListElement>(".agent-card");
  if (rows.length === 0) return null;
  return (
    <section aria-label={title}>
      <div class="section-head">
        <h2>{title}</h2>
        <span class="n">{rows.length}</span>
      </div>
      <ul class="card-list" ref={list}>
        {rows.map((session) => (
          <SessionCard
            key={session.id}
            shell={shell}
            session={session}
            item={inbox.get(session.id)}
            result={results.get(session.id)}
            status={status}
            nowMs={nowMs}
          />
        ))}
      </ul>
    </section>
  );
}

interface FiguresProps {
  readonly attention: Attention;
  readonly sessions: readonly SessionRow[];
  readonly status: AgentsStatus | null;
}

/** A summary in a few numbers; unknown ones are omitted. */
function Figures({ attention, sessions, status }: FiguresProps) {
  const cost = projectCostWords(sessions);
  const memory = status === null ? "" : processTotals(status);
  return (
    <div class="figures">
      {(["working", "waiting", "failed"] as const).map((mark) => (
        <span key={mark}>
          <Mark state={mark} />
          <b>{attention[mark].length}</b> {mark}
        </span>
      ))}
      {cost !== "" && <span>{cost}</span>}
      {memory !== "" && <span>{memory}</span>}
    </div>
  );
}

function processTotals({ agents, sessions }: AgentsStatus): string {
  const bytes = new Map<number, number>();
  for (const { pid, memoryBytes } of [...agents, ...sessions])
    if (pid !== null && pid !== undefined) bytes.set(pid, memoryBytes ?? 0);
  if (bytes.size === 0) return "";
  const sum = [...bytes.values()].reduce((all, one) => all + one, 0);
  const processes = bytes.size === 1 ? "1 process" : `${bytes.size} processes`;
  return sum === 0 ? processes : `${memoryWords(sum)} in ${processes}`;
}

/** Tool activity is sent to followers only, so the overview requests it while it is in view. */
const REFRESH_MS = 2_000;

/** All open requests, current while in view. */
function useInbox(shell: Shell): Inbox {
  const [inbox, setInbox] = useState(EMPTY_INBOX);
  useEffect(() => {
    const ask = () => void shell.attempt({ type: "inbox:list" }, ignore("requested again shortly"));
    const unlisten = shell.listen((message) => setInbox((known) => foldInbox(known, message)));
    ask();
    const timer = setInterval(ask, REFRESH_MS);
    return () => {
      clearInterval(timer);
      unlisten();
    };
  }, [shell]);
  return inbox;
}

interface SessionCardProps {
  readonly shell: Shell;
  readonly session: SessionRow;
  readonly item: InboxItem | undefined;
  /** The end of its last answer. */
  readonly result: string | undefined;
  readonly status: AgentsStatus | null;
  readonly nowMs: number;
}

/** A session at a glance: state, activity, since when, usage. Opens the session. */
function SessionCard({ shell, session, item, result, status, nowMs }: SessionCardProps) {
  const { id, title, cliType, turn, lastActiveAt } = session;
  const state = shell.server.value;
  const mark = sessionMark(session);
  const agent = agentOf(state, cliType)?.name ?? cliType;
  const machine = placeNameOf(state, session.projectId);
  const { words, target } = sessionActivity(session, { item, directory: directoryOf(state, session), result });
  const worktree = worktreeOf(state, session);
  const overlap = worktree === undefined ? "" : overlapWords(worktree);
  const since = isTurnActive(turn) ? turn.startedAt : undefined;
  return (
    <li class="agent-card" data-session-card={id}>
      <Mark state={mark} />
      <div class="head">
        <Icon name={agentIconName(cliType)} class="icon-sm agent" />
        <button
          type="button"
          class="card-link truncate"
          aria-description={[
            ...[agent, session.pinned ? "pinned" : "", MARK_WORDS[mark], machine === null ? "" : `at ${machine}`],
            ...session.labels.map((label) => `label ${label}`),
          ]
            .filter((part) => part !== "")
            .join(", ")}
          onClick={() => shell.open(id, { focus: true })}
        >
          {session.pinned && <Icon name="pin" class="icon-sm" />}
          {title}
        </button>
        <SessionLabels labels={session.labels} />
        {worktree !== undefined && overlap !== "" && (
          <span class="tag warn" title={overlapDetails(worktree)}>
            <Icon name="alert" class="icon-sm" />
            <span class="truncate">{overlap}</span>
          </span>
        )}
      </div>
      <div class="side">
        <time dateTime={since ?? lastActiveAt} title={exactTime(since ?? lastActiveAt)}>
          {since === undefined ? ageWords(lastActiveAt, nowMs) : elapsedWords(nowMs - Date.parse(since))}
        </time>
        <MoreButton shell={shell} session={session} place="card" />
      </div>
      <div class="activity">
        <span class="optional">{placeWords(state, session)}</span>
        {machine !== null && <PlaceName place={machine} />}
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
        {mark === "failed" && (
          <button
            type="button"
            class="button small"
            aria-label={`Dismiss: ${title}`}
            onClick={() => void shell.attempt({ type: "session:organize", sessionId: id, dismissed: true })}
          >
            Dismiss
          </button>
        )}
        {session.changes !== null && (
          <span>
            <span class="visually-hidden">{spokenCounts(session.changes)}</span>
            <ChangeCount counts={session.changes} />
          </span>
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

/** The parent session, otherwise its project and worktree. */
function placeWords({ sessions, projects }: ShellState, { parentId, projectId, worktree }: SessionRow): string {
  const parent = parentId === undefined ? undefined : sessions.get(parentId);
  const found = projects.find(({ id }) => id === projectId);
  const project = found === undefined ? "" : placedName(found).name;
  return parent ? `under ${parent.title}` : worktree === null ? project : `${project} / ${worktree.name}`;
}

/** Tokens in the agent's context, and its cost, if the agent reports them. */
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
