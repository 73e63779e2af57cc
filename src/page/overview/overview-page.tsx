import { useSignal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { ignore } from "../../lib/ignore.ts";
import type { SessionId } from "../../protocol/ids.ts";
import type { SessionRow } from "../../protocol/server-messages.ts";
import { type AgentsStatus, memoryWords, useAgentsStatus } from "../agents/agents-status.ts";
import { Mark } from "../controls/mark.tsx";
import { useRoving } from "../controls/use-roving.ts";
import { projectCostWords } from "../sidebar/project-cost.ts";
import { type Attention, attentionIn } from "../state/attention.ts";
import type { Shell } from "../state/shell.ts";
import { EMPTY_INBOX, foldInbox, type Inbox, inboxEntries } from "./fold-inbox.ts";
import { InboxList } from "./inbox-list.tsx";
import { SessionCard } from "./session-card.tsx";

const SECOND_MS = 1_000;
const RECENT_SHOWN = 12;

/** Who works, who waits, who failed; and everything that waits for the user, answered where it stands. */
export function OverviewPage({ shell }: { shell: Shell }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const now = useSignal(Date.now());
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    const timer = setInterval(() => {
      now.value = Date.now();
    }, SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  const state = shell.server.value;
  const inbox = useInbox(shell);
  const reading = useAgentsStatus(state.agents);
  const status = reading.phase === "read" ? reading.status : null;
  const attention = attentionIn(state, shell.nowMs.value);
  const entries = inboxEntries(inbox, state.sessions);
  const recent = attention.recent.slice(0, RECENT_SHOWN);
  const results = useResults(shell, recent);
  const card = { shell, inbox, results, status, nowMs: now.value };
  return (
    <div class="page overview-page">
      <header class="page-head">
        <h1 ref={heading} tabIndex={-1}>
          Overview
        </h1>
        <Figures attention={attention} sessions={[...state.sessions.values()]} status={status} />
      </header>
      <div class="overview">
        <InboxList shell={shell} entries={entries} now={now} />
        <div class="overview-sessions">
          <Cards {...card} title="Waiting for you" rows={attention.waiting} />
          <Cards {...card} title="Working" rows={attention.working} />
          <Cards {...card} title="Failed" rows={attention.failed} />
          <Cards {...card} title="Recently active" rows={recent} />
          {Object.values(attention).every((rows) => rows.length === 0) && (
            <p class="overview-empty">No session was active today. What your agents do shows up here.</p>
          )}
        </div>
      </div>
    </div>
  );
}

type Results = ReadonlyMap<SessionId, string>;

/** How the sessions ended their last answers: asked for when one of them has done something new. */
function useResults(shell: Shell, sessions: readonly SessionRow[]): Results {
  const [results, setResults] = useState<Results>(new Map());
  const stand = sessions.map(({ id, lastActiveAt, turn }) => `${id} ${lastActiveAt} ${turn.turnId}`).join("\n");
  useEffect(() => {
    if (sessions.length === 0) return;
    const sessionIds = sessions.map(({ id }) => id);
    shell.attempt({ type: "session:results", sessionIds }, ignore("the cards say less")).then((answer) => {
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

/** The whole in a few numbers; what is not known is left out. */
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

/** What a tool does is told to followers only: while the overview is in view, it is asked for. */
const REFRESH_MS = 2_000;

/** What is open everywhere, current for as long as it is in view. */
export function useInbox(shell: Shell): Inbox {
  const [inbox, setInbox] = useState(EMPTY_INBOX);
  useEffect(() => {
    const ask = () => void shell.attempt({ type: "inbox:list" }, ignore("asked again in a moment"));
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
