import { useEffect, useState } from "preact/hooks";
import type { AgentSetting, AgentSettings, Tested } from "../../protocol/agent-settings.ts";
import { BUILTIN_AGENT } from "../../protocol/builtin-model.ts";
import type { CliType, SessionId } from "../../protocol/ids.ts";
import type { ProcessTopology } from "../../protocol/process-topology.ts";
import { MODE_WORDS } from "../../protocol/rule-words.ts";
import type { AgentInfo } from "../../protocol/server-messages.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { agentIconName } from "../../ui/icons/icon-shapes.ts";
import { Choice } from "../controls/choice.tsx";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import { PageFrame } from "../pages/page-frame.tsx";
import type { Shell } from "../state/shell.ts";
import type { AgentState, ShellState } from "../state/shell-state.ts";
import type { Trouble } from "../state/trouble.ts";
import { InstallPanel } from "./agent-availability.tsx";
import { AgentForm } from "./agent-form.tsx";
import {
  type AgentsStatus,
  memoryWords,
  processWords,
  STATUS_TAGS,
  STATUS_WORDS,
  useAgentsStatus,
} from "./agents-status.ts";
import { WindowsNote } from "./limit-windows.tsx";
import { matchesFilter } from "./matches-filter.ts";
import { TestResult } from "./setting-fields.tsx";
import { StartOptions } from "./start-options.tsx";
import { ToolServers } from "./tool-servers.tsx";

/** Everything about agents in one place: installed ones, available ones, and their tool servers. */
export function AgentsPage({ shell }: { shell: Shell }) {
  const state = shell.server.value;
  const reading = useAgentsStatus(state.agents);
  const status = reading.phase === "read" ? reading.status : null;
  const [settings, setSettings] = useState<AgentSettings | null>(null);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [isAdding, setAdding] = useState(false);
  const isConnected = shell.phase.value.phase === "open";
  useEffect(() => {
    if (!isConnected) return;
    const read = async () => {
      const answer = await shell.attempt({ type: "settings:agents" }, (_words, refused) => setTrouble(refused));
      if (answer?.type === "settings:agents") setSettings(answer);
    };
    void read();
  }, [isConnected]);
  const isHere = (agent: AgentInfo) => agent.availability !== "needs-install" || hasRun(state, status, agent);
  const here = state.agents.filter((agent) => isHere(agent) || settingOf(settings, agent.id)?.isOwn === true);
  const others = state.agents.filter((agent) => !here.includes(agent));
  return (
    <PageFrame
      shell={shell}
      name="agents-page"
      title="Agents"
      head={<span class="muted">{status === null ? "" : totalWords(status)}</span>}
    >
      <div class="agents-columns">
        <div class="agents-column">
          {trouble !== null && <TroubleNotice trouble={trouble} />}
          {settings !== null && settings.problems.length > 0 && <FileProblems settings={settings} />}
          <section class="settings-group" aria-label="Installed">
            <header>
              <h2>Installed</h2>
              <span class="count">{here.length}</span>
              <span class="spacer" />
              <button type="button" class="button ghost" onClick={() => setAdding(true)}>
                <Icon name="plus" class="icon-sm" />
                Own agent
              </button>
            </header>
            <div class="setting-card">
              {isAdding && (
                <AgentForm
                  shell={shell}
                  cliType={null}
                  isCatalog={false}
                  agentName="the new agent"
                  setting={NO_SETTING}
                  onSaved={setSettings}
                  onClose={() => setAdding(false)}
                />
              )}
              <ul class="agent-list">
                {here.map((agent) => (
                  <AgentRow
                    key={agent.id}
                    shell={shell}
                    agent={agent}
                    status={status}
                    settings={settings}
                    onSaved={setSettings}
                  />
                ))}
              </ul>
            </div>
            <p class="hint" role="status">
              {reading.phase === "failed" && "Could not load the running agents. Trying again."}
            </p>
          </section>
          {others.length > 0 && <Catalogue shell={shell} agents={others} />}
        </div>
        <div class="agents-column">
          <ToolServers shell={shell} settings={settings} onSaved={setSettings} />
          {settings !== null && (
            <p class="hint">
              Changes are written to <span class="mono">{settings.path}</span>. Running turns keep what they have.
            </p>
          )}
        </div>
      </div>
    </PageFrame>
  );
}

const NO_SETTING: AgentSetting = { args: [], env: [] };

function settingOf(settings: AgentSettings | null, id: CliType) {
  return settings?.agents.find(({ cliType }) => cliType === id);
}

/** Errors in config.json, in the server's words. */
function FileProblems({ settings }: { settings: AgentSettings }) {
  const message = `${settings.path} has ${settings.problems.length === 1 ? "a mistake" : "mistakes"}. What is wrong is not used.`;
  return <TroubleNotice trouble={{ code: null, message, details: settings.problems.join("\n") }} />;
}

/** The rest of the registry, to install from. */
function Catalogue({ shell, agents }: { shell: Shell; agents: readonly AgentInfo[] }) {
  const [filter, setFilter] = useState("");
  const shown = agents.filter((agent) => matchesFilter(agent, filter));
  return (
    <section class="settings-group" aria-label="Catalogue">
      <header>
        <h2>Catalogue</h2>
        <span class="count">{agents.length} more</span>
        <span class="spacer" />
        <div class="field">
          <Icon name="search" class="icon-sm" />
          <input
            type="search"
            aria-label="Filter the catalogue"
            placeholder="Filter"
            autocomplete="off"
            spellcheck={false}
            value={filter}
            onInput={({ currentTarget }) => setFilter(currentTarget.value)}
          />
        </div>
      </header>
      <ul class="catalogue">
        {shown.map((agent) => (
          <CatalogueEntry key={agent.id} shell={shell} agent={agent} />
        ))}
      </ul>
      <p class="hint" role="status">
        {shown.length === 0 && "No agent has this in its name or description."}
      </p>
    </section>
  );
}

function CatalogueEntry({ shell, agent }: { shell: Shell; agent: AgentInfo }) {
  const { id, name, version, description, installable, hint } = agent;
  const install = shell.installs.all.value.get(id);
  const start = () => void shell.installs.install(id);
  return (
    <li class="agent-option setting-card">
      <div class="agent-line">
        <Icon name={agentIconName(id)} class="agent" />
        <span class="who">
          <span class="agent-name">{name}</span>
          <span class="agent-note">{[version, description ?? hint].filter(Boolean).join(" · ")}</span>
          {installable !== true && description !== undefined && hint !== undefined && <HowToInstall hint={hint} />}
        </span>
        {installable === true && install?.phase !== "running" && (
          <button type="button" class="button small" aria-label={`Install ${name}`} onClick={start}>
            <Icon name="download" class="icon-sm" />
            Install
          </button>
        )}
      </div>
      {install !== undefined && (
        <InstallPanel agent={agent} install={install} onRetry={start} onCancel={() => shell.installs.cancel(id)} />
      )}
    </li>
  );
}

/** The hint has commands between backticks, as in Markdown. */
function HowToInstall({ hint }: { hint: string }) {
  return (
    <details class="how-to-install">
      <summary>How to install</summary>
      {hint.split("`").map((part, index) => (index % 2 === 0 ? part : <code key={part}>{part}</code>))}
    </details>
  );
}

/** Agents that have run are listed even if their program has gone. */
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
  readonly settings: AgentSettings | null;
  readonly onSaved: (settings: AgentSettings) => void;
}

/** One agent with its process; sessions with their own process are listed below it. */
function AgentRow({ shell, agent, status, settings, onSaved }: AgentRowProps) {
  const [isEditing, setEditing] = useState(false);
  const [result, setResult] = useState<Tested | "running" | null>(null);
  const stored = settingOf(settings, agent.id);
  const test = async () => {
    setResult("running");
    const answer = await shell.attempt({ type: "settings:test-agent", cliType: agent.id });
    setResult(answer?.type === "settings:tested" ? answer : null);
  };
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
          <AccountLine agent={agent} />
          {agent.message !== undefined && <span class="agent-message">{agent.message}</span>}
        </span>
        {own.length === 0 && (
          <ProcessEnd shell={shell} agent={agent} standing={agent} busy={process?.busy === true} session={null} />
        )}
      </div>
      <InstalledLine shell={shell} agent={agent} />
      <div class="agent-panel">
        <div class="agent-facts">
          <span class="fact-name">New sessions use</span>
          <StartOptions
            shell={shell}
            cliType={agent.id}
            agentName={agent.name}
            otherwise="The agent's own model and mode. You can choose others here after its first session."
          />
          <TopologyLine shell={shell} agent={agent} isRunning={agent.status !== "idle" || own.length > 0} />
          <span class="fact-name">Set here</span>
          <span class="hint">{settingWords(stored?.setting)}</span>
        </div>
        <div class="installed">
          <button type="button" class="button small" aria-label={`Test ${agent.name}`} onClick={() => void test()}>
            Test
          </button>
          <AccountButtons shell={shell} agent={agent} />
          <button
            type="button"
            class="button small"
            aria-expanded={isEditing}
            aria-label={`Settings of ${agent.name}`}
            onClick={() => setEditing(!isEditing)}
          >
            <Icon name="settings" class="icon-sm" />
            Settings
          </button>
          {agent.id === BUILTIN_AGENT && (
            <button
              type="button"
              class="button small"
              aria-label={`Model of ${agent.name}`}
              onClick={() => {
                shell.dialog.value = { kind: "settings", part: "settings-builtin" };
              }}
            >
              <Icon name="brain" class="icon-sm" />
              Model…
            </button>
          )}
        </div>
        <TestResult result={result} />
        {isEditing && (
          <AgentForm
            shell={shell}
            cliType={agent.id}
            isCatalog={stored?.isOwn !== true}
            agentName={agent.name}
            setting={stored?.setting ?? NO_SETTING}
            onSaved={onSaved}
            onClose={() => setEditing(false)}
          />
        )}
      </div>
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

/** Signing in, out, or in with another account, as far as the agent offers it. */
function AccountButtons({
  shell,
  agent: { id, name, availability, signIn = [], signOut },
}: {
  shell: Shell;
  agent: AgentInfo;
}) {
  const askToSignIn = () => {
    shell.dialog.value = { kind: "sign-in", cliType: id };
  };
  const button = (words: string, label: string, act: () => void) => (
    <button type="button" class="button small" aria-label={label} onClick={act}>
      <Icon name="key" class="icon-sm" />
      {words}
    </button>
  );
  if (availability === "needs-sign-in") return button("Sign in", `Sign in to ${name}`, askToSignIn);
  if (availability !== "ready") return null;
  const canSwitch = signIn.some(({ kind }) => kind !== "environment");
  return (
    <>
      {canSwitch && button("Switch account…", `Switch the account of ${name}`, askToSignIn)}
      {signOut === true &&
        button("Sign out", `Sign out of ${name}`, () => void shell.attempt({ type: "agent:sign-out", cliType: id }))}
    </>
  );
}

/** Its settings as a short text. */
function settingWords(setting: AgentSetting | undefined): string {
  const names = setting?.env.map(({ name }) => name) ?? [];
  const parts = [
    ...(names.length > 0 ? [names.join(", ")] : []),
    ...(setting?.permissions === undefined ? [] : [MODE_WORDS[setting.permissions]]),
  ];
  return parts.length === 0 ? "Nothing: environment, arguments and permissions are the usual ones" : parts.join(" · ");
}

/** The account of an agent, and its windows that are nearly used up. */
function AccountLine({ agent: { limits } }: { agent: AgentInfo }) {
  if (limits === undefined) return null;
  const { account, windows } = limits;
  return (
    <>
      {account !== undefined && <span class="agent-note">{account}</span>}
      <WindowsNote windows={windows} />
    </>
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

/** How its processes are started; a change does not affect running ones. */
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
    <>
      <span class="fact-name">Processes</span>
      <div class="fact">
        <Choice
          label={`Processes of ${name}`}
          words={TOPOLOGY_WORDS}
          value={process}
          onChoose={(chosen) => void choose(chosen)}
        />
        <span class="hint" role="status">
          {isChanged && isRunning && "Applies to processes started from now on."}
        </span>
        {trouble !== null && <TroubleNotice trouble={trouble} />}
      </div>
    </>
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
  readonly standing: AgentState;
  readonly busy: boolean;
  readonly session: SessionRow | null;
}

/** Its state and the available actions; a restart that would stop work asks first. */
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
  readonly standing: AgentState;
  readonly pid: number | undefined;
}

/** Sessions with their own agent process. */
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

/** An agent that was installed from here: its version, updates, rollback and removal. */
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
