import type { AgentInfo, AgentStatus } from "../../../protocol/server-messages.ts";
import { agentIconName } from "../../icons/agent-icon-name.ts";
import { Icon } from "../../icons/icon.tsx";
import type { Shell } from "../state/shell.ts";
import { ThemeButton } from "./theme-button.tsx";

const STATUS_WORDS: Readonly<Record<AgentStatus, string>> = {
  idle: "idle",
  starting: "starting",
  connected: "connected",
  disconnected: "disconnected",
  reconnecting: "reconnecting",
};

/** Which agents run, and the way back for one that does not. */
export function AgentsFooter({ shell }: { shell: Shell }) {
  const { agents } = shell.server.value;
  const shown = agents.filter(({ status, availability }) => status !== "idle" || availability === "ready");
  const lost = agents.filter(({ status }) => status === "disconnected");
  return (
    <footer class="sidebar-foot">
      {lost.map((agent) => (
        <LostAgent key={agent.id} shell={shell} agent={agent} />
      ))}
      <div class="foot-line">
        <ul class="agent-dots" aria-label="Agents">
          {shown.map(({ id, name, status }) => (
            <li key={id} data-state={status} title={`${name}: ${STATUS_WORDS[status]}`}>
              <Icon name={agentIconName(id)} class="icon-sm agent" />
              <span class="visually-hidden">{`${name}: ${STATUS_WORDS[status]}`}</span>
            </li>
          ))}
        </ul>
        <span class="meta-note truncate">{noteOf(shown)}</span>
        <ThemeButton />
      </div>
    </footer>
  );
}

function LostAgent({ shell, agent }: { shell: Shell; agent: AgentInfo }) {
  return (
    <div class="lost-agent" title={agent.message}>
      <Icon name={agentIconName(agent.id)} class="icon-sm agent" />
      <span class="truncate">{agent.name} is not connected</span>
      <button
        type="button"
        class="button small"
        aria-label={`Reconnect ${agent.name}`}
        onClick={() => void shell.attempt({ type: "session:reconnect", cliType: agent.id })}
      >
        Reconnect
      </button>
    </div>
  );
}

/** The one agent in motion is worth words; a calm footer needs none. */
function noteOf(agents: readonly AgentInfo[]): string {
  const moving = agents.find(({ status }) => status === "starting" || status === "reconnecting");
  return moving === undefined ? "" : `${moving.name} ${STATUS_WORDS[moving.status]}`;
}
