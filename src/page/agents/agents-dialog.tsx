import { useState } from "preact/hooks";
import type { SessionId } from "../../protocol/ids.ts";
import type { AgentInfo, ProcessTopology } from "../../protocol/server-messages.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { agentIconName } from "../../ui/icons/icon-shapes.ts";
import { Choice } from "../controls/choice.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import type { Shell } from "../state/shell.ts";
import type { AgentStanding, ShellState } from "../state/shell-state.ts";
import type { Trouble } from "../state/trouble.ts";
import { InstallPanel } from "./agent-availability.tsx";
import {
  type AgentsStatus,
  memoryWords,
  processWords,
  STATUS_TAGS,
  STATUS_WORDS,
  useAgentsStatus,
} from "./agents-status.ts";

/** Every agent that runs or has run: what it costs, what it says, and the way to bring it back. */
export function AgentsDialog({ shell }: { shell: Shell }) {
  const state = shell.server.value;
  const reading = useAgentsStatus(state.agents);
  const status = reading.phase === "read" ? reading.status : null;
  const shown = state.agents.filter((agent) => hasRun(state, status, agent));
  return (
    <Dialog title="Agents" onClose={() => shell.closeDialog()}>
      <div class="dialog-body">
        {shown.length === 0 && reading.phase !== "reading" && (
          <p>No agent has run yet. One starts with its first session.</p>
        )}
        <ul class="agent-list">
          {shown.map((agent) => (
            <AgentRow key={agent.id} shell={shell} agent={agent} status={status} />
          ))}
        </ul>
        <p class="hint" role="status">
          {reading.phase === "failed" && "Could not load the running agents. Trying again."}
        </p>
      </div>
      <footer class="dialog-foot">
        <span class="faint">{status === null ? "" : totalWords(status)}</span>
      </footer>
    </Dialog>
  );
}

/** Agents that were never used or installed are left out; agents whose process was stopped while idle are listed. */
function hasRun(
  { sessions }: ShellState,
  status: AgentsStatus | null,
  { id, status: now, installedVersion }: AgentInfo,
): boolean {
  if (now !== "idle" || [...sessions.values()].some(({ cliType }) => cliType === id)) return true;
  if (installedVersion !== undefined) return true;
  return status?.agents.some((agent) => agent.id === id && agent.pid !== null) === true;
}

function totalWords({ agents, sessions }: AgentsStatus): string {
  const pids = new Set([...agents, ...sessions].flatMap(({ pid }) => pid ?? []));
  const bytes = agents.reduce((sum, { memoryBytes }) => sum + (memoryBytes ?? 0), 0);
  if (pids.size === 0) return "No agents are running.";
  const processes = pids.size === 1 ? "1 process" : `${pids.size} processes`;
  return bytes === 0 ? processes : `${processes}, ${memoryWords(bytes)}`;
}

interface AgentRowProps {
  readonly shell: Shell;
  readonly agent: AgentInfo;
  /** Null until the server has answered. */
  readonly status: AgentsStatus | null;
}

/** One agent with its process; sessions with a process of their own stand under it. */
function AgentRow({ shell, agent, status }: AgentRowProps) {
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
  if (ownCount > 0) return ownCount === 1 ? "One process for its session" : `${ownCount} sessions, one process each`;
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

/** Progress and refusals are shown by the agent's status. */
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

/** Sessions that have an agent process of their own. */
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

/** An agent that was installed from here: which version is in use, the newer one, the one before, and the way out. */
function InstalledLine({ shell, agent }: { shell: Shell; agent: AgentInfo }) {
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const { id, name, version, installedVersion, previousVersion, installable } = agent;
  const install = shell.installs.all.value.get(id);
  const update = () => void shell.installs.install(id);
  const ask = (type: "agent:rollback" | "agent:uninstall") => {
    setTrouble(null);
    void shell.attempt({ type, cliType: id }, (_words, refused) => setTrouble(refused));
  };
  if (install !== undefined) {
    const cancel = () => shell.installs.cancel(id);
    return <InstallPanel agent={agent} install={install} onRetry={update} onCancel={cancel} />;
  }
  if (installedVersion === undefined) return null;
  const isOld = installable === true && version !== undefined && version !== installedVersion;
  return (
    <div class="agent-panel">
      <div class="installed">
        <span class="hint">Version {installedVersion}</span>
        {isOld && (
          <button type="button" class="button small" aria-label={`Update ${name} to ${version}`} onClick={update}>
            Update to {version}
          </button>
        )}
        {previousVersion !== undefined && (
          <button
            type="button"
            class="button small ghost"
            aria-label={`Roll ${name} back to ${previousVersion}`}
            onClick={() => ask("agent:rollback")}
          >
            Roll back to {previousVersion}
          </button>
        )}
        <button
          type="button"
          class="button small ghost"
          aria-label={`Uninstall ${name}`}
          onClick={() => ask("agent:uninstall")}
        >
          Uninstall
        </button>
      </div>
      {trouble !== null && <TroubleNotice trouble={trouble} />}
    </div>
  );
}
