import type { AgentInfo, AgentStatus } from "../../protocol/server-messages.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { agentIconName, type IconName } from "../../ui/icons/icon-shapes.ts";
import { withKey } from "../../ui/keys/key-bindings.ts";
import { THEMES, type Theme } from "../../ui/theme/apply-theme.ts";
import type { Shell } from "../state/shell.ts";
import { setTheme, theme } from "../state/theme.ts";

const STATUS_WORDS: Readonly<Record<AgentStatus, string>> = {
  idle: "idle",
  starting: "starting",
  connected: "connected",
  disconnected: "disconnected",
  reconnecting: "reconnecting",
};

/** More marks than this are a crowd, not a glance. */
const MARKS_MAX = 6;

/** Which agents run, the way to all about them, and the way back for one that does not. */
export function AgentsFooter({ shell }: { shell: Shell }) {
  const { agents } = shell.server.value;
  const shown = agents.filter(({ status, availability }) => status !== "idle" || availability === "ready");
  const lost = agents.filter(({ status }) => status === "disconnected");
  const words = shown.map(({ name, status }) => `${name}: ${STATUS_WORDS[status]}`);
  return (
    <footer class="sidebar-foot">
      {lost.map((agent) => (
        <LostAgent key={agent.id} shell={shell} agent={agent} />
      ))}
      <div class="foot-line">
        <button
          type="button"
          class="agent-dots"
          aria-label="Agents"
          aria-haspopup="dialog"
          aria-description={words.join(", ")}
          title={["Agents", ...words].join("\n")}
          onClick={() => {
            shell.dialog.value = { kind: "agents" };
          }}
        >
          {mostAlive(shown).map(({ id, status }) => (
            <span key={id} class="dot" data-state={status}>
              <Icon name={agentIconName(id)} class="icon-sm agent" />
            </span>
          ))}
          {shown.length > MARKS_MAX && (
            <span class="meta-note" aria-hidden="true">
              +{shown.length - MARKS_MAX}
            </span>
          )}
          {shown.length === 0 && <Icon name="plug" class="icon-sm" />}
        </button>
        <MovingNote agents={shown} />
        <ThemeButton />
        <button
          type="button"
          class="icon-button"
          aria-label="Settings"
          aria-haspopup="dialog"
          title={withKey("Settings", "settings")}
          onClick={() => {
            shell.dialog.value = { kind: "settings" };
          }}
        >
          <Icon name="settings" />
        </button>
      </div>
    </footer>
  );
}

/** Those that do something first, when there is no room for all. */
function mostAlive(agents: readonly AgentInfo[]): readonly AgentInfo[] {
  if (agents.length <= MARKS_MAX) return agents;
  const alive = agents.filter(({ status }) => status !== "idle");
  return [...alive, ...agents.filter(({ status }) => status === "idle")].slice(0, MARKS_MAX);
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

/** The one agent in motion is worth words, as many as there is room for; a calm footer needs none. */
function MovingNote({ agents }: { agents: readonly AgentInfo[] }) {
  const moving = agents.find(({ status }) => status === "starting" || status === "reconnecting");
  return (
    <span class="meta-note">
      {moving && (
        <>
          <span>{moving.name}</span>
          <span>{STATUS_WORDS[moving.status]}</span>
        </>
      )}
    </span>
  );
}

const THEME_ICONS: Readonly<Record<Theme, IconName>> = { dark: "moon", light: "sun", system: "display" };

/** Steps through dark, light and the system's own. */
function ThemeButton() {
  const now = theme.value;
  const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length] ?? now;
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={`Theme: ${now}`}
      title={`Theme: ${now}. Click for ${next}.`}
      onClick={() => setTheme(next)}
    >
      <Icon name={THEME_ICONS[now]} />
    </button>
  );
}
