import { useState } from "preact/hooks";
import type { SessionId } from "../../protocol/ids.ts";
import type { AgentInfo, ProcessTopology } from "../../protocol/server-messages.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import { agentIconName } from "../../ui/icons/agent-icon-name.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import { Choice } from "../permissions/choice.tsx";
import type { Shell } from "../state/shell.ts";
import type { AgentStanding } from "../state/shell-state.ts";
import type { Trouble } from "../state/trouble.ts";
import { type AgentsStatus, processWords, STATUS_TAGS, STATUS_WORDS } from "./agents-status.ts";
import { InstalledLine } from "./installed-line.tsx";

interface AgentRowProps {
  readonly shell: Shell;
  readonly agent: AgentInfo;
  /** Null until the server has said what runs. */
  readonly status: AgentsStatus | null;
}

/** One agent with its process; sessions with a process of their own stand under it. */
export function AgentRow({ shell, agent, status }: AgentRowProps) {
  const process = status?.agents.find(({ id }) => id === agent.id);
  const own = ownProcesses(shell, agent, status);
  const facts = process === undefined || own.length > 0 ? [] : processWords(process);
  return (
    <li class="agent-option">
      <div class="agent-line">
        <Icon name={agentIconName(agent.id)} class="agent" />
        <span class="who">
          <span class="agent-name">{agent.name}</span>
          <span class="agent-note">{facts.join(" · ") || restingWords(agent, own.length)}</span>
          {agent.message !== undefined && <span class="agent-message">{agent.message}</span>}
        </span>
        {own.length === 0 && (
          <ProcessEnd shell={shell} agent={agent} standing={agent} busy={process?.busy === true} session={null} />
        )}
      </div>
      <InstalledLine shell={shell} agent={agent} />
      <TopologyLine shell={shell} agent={agent} isRunning={agent.status !== "idle" || own.length > 0} />
      {own.length > 0 && (
        <ul class="own-processes">
          {own.map((process) => (
            <OwnProcess key={process.session.id} shell={shell} agent={agent} {...process} />
          ))}
        </ul>
      )}
    </li>
  );
}

const TOPOLOGY_WORDS: Readonly<Record<ProcessTopology, string>> = {
  shared: "One process for all sessions",
  "per-session": "One process per session",
};

interface TopologyLineProps {
  readonly shell: Shell;
  readonly agent: AgentInfo;
  readonly isRunning: boolean;
}

/** How its processes are started; what runs is not touched by a change. */
function TopologyLine({ shell, agent: { id, name, process }, isRunning }: TopologyLineProps) {
  const [isChanged, setChanged] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  if (process === undefined) return null;
  const choose = async (chosen: ProcessTopology) => {
    setTrouble(null);
    const message = { type: "agent:topology", cliType: id, process: chosen } as const;
    const answer = await shell.attempt(message, (_words, refused) => setTrouble(refused));
    if (answer) setChanged(true);
  };
  return (
    <div class="agent-panel">
      <div class="installed">
        <Choice
          label={`Processes of ${name}`}
          words={TOPOLOGY_WORDS}
          value={process}
          onChoose={(chosen) => void choose(chosen)}
        />
        <span class="hint" role="status">
          {isChanged && isRunning && "Applies to processes started from now on."}
        </span>
      </div>
      {trouble !== null && <TroubleNotice trouble={trouble} />}
    </div>
  );
}

function restingWords({ status }: AgentInfo, ownCount: number): string {
  if (ownCount > 0) return ownCount === 1 ? "A process for its session" : `${ownCount} sessions with a process each`;
  return status === "idle" ? "Not running. It starts with the next message." : "";
}

interface OwnProcessProps extends OwnedProcess {
  readonly shell: Shell;
  readonly agent: AgentInfo;
}

function OwnProcess({ shell, agent, session, standing, pid }: OwnProcessProps) {
  return (
    <li class="agent-line">
      <span class="who">
        <span class="truncate own-title">{session.title}</span>
        <span class="agent-note">{standing.message ?? (pid === undefined ? "Not running" : `pid ${pid}`)}</span>
      </span>
      <ProcessEnd
        shell={shell}
        agent={agent}
        standing={standing}
        busy={session.turn.state !== "idle"}
        session={session}
      />
    </li>
  );
}

interface ProcessEndProps {
  readonly shell: Shell;
  readonly agent: AgentInfo;
  readonly standing: AgentStanding;
  readonly busy: boolean;
  readonly session: SessionRow | null;
}

/** How it stands, and what can be done about it; a restart that would stop work asks once. */
function ProcessEnd({ shell, agent, standing: { status }, busy, session }: ProcessEndProps) {
  const [isAsking, setAsking] = useState(false);
  const of = session === null ? agent.name : session.title;
  const reconnect = (restart: boolean) => {
    setAsking(false);
    void reconnectAgent(shell, agent, session?.id, restart);
  };
  if (isAsking && status === "connected") {
    return (
      <span class="agent-end">
        <span class="hint" role="status">
          Its running turns are interrupted.
        </span>
        <button type="button" class="button small" onClick={() => setAsking(false)}>
          Keep
        </button>
        <button type="button" class="button small danger" onClick={() => reconnect(true)}>
          Restart now
        </button>
      </span>
    );
  }
  return (
    <span class="agent-end">
      <span class={STATUS_TAGS[status]}>{busy && status === "connected" ? "Working" : STATUS_WORDS[status]}</span>
      {status === "connected" && (
        <button
          type="button"
          class="button small"
          aria-label={`Restart ${of}`}
          onClick={() => (busy ? setAsking(true) : reconnect(true))}
        >
          Restart
        </button>
      )}
      {status === "disconnected" && (
        <button type="button" class="button small" aria-label={`Reconnect ${of}`} onClick={() => reconnect(false)}>
          Reconnect
        </button>
      )}
    </span>
  );
}

/** How it goes shows in the agent's status; a refusal is one of those too. */
async function reconnectAgent(shell: Shell, { id }: AgentInfo, sessionId: SessionId | undefined, restart: boolean) {
  await shell.attempt({
    type: "session:reconnect",
    cliType: id,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(restart ? { restart } : {}),
  });
}

interface OwnedProcess {
  readonly session: SessionRow;
  readonly standing: AgentStanding;
  readonly pid: number | undefined;
}

/** Sessions with a process of their own: one told us of it, or runs though no shared one does. */
function ownProcesses(shell: Shell, agent: AgentInfo, status: AgentsStatus | null): OwnedProcess[] {
  const { id, status: shared, process } = agent;
  const { ownAgents, sessions } = shell.server.value;
  return [...sessions.values()].flatMap((session) => {
    const told = ownAgents.get(session.id);
    const pid = status?.sessions.find((one) => one.id === session.id)?.pid;
    const isOwn = told !== undefined || (shared === "idle" && pid !== undefined);
    const isOver = process === "shared" && told?.status === "idle";
    if (session.cliType !== id || !isOwn || isOver) return [];
    return [{ session, pid, standing: told ?? { status: "connected" } }];
  });
}
