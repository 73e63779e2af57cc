import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { z } from "zod/mini";
import type { AgentInfo } from "../../protocol/server-messages.ts";
import type { AgentStatus } from "../../protocol/session-messages.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { agentIconName, type IconName } from "../../ui/icons/icon-shapes.ts";
import { readKept, writeKept } from "../../ui/kept-json.ts";
import { withKey } from "../../ui/keys/key-bindings.ts";
import { THEMES, type Theme } from "../../ui/theme/apply-theme.ts";
import { windowWords } from "../agents/limit-windows.tsx";
import type { Shell } from "../state/shell.ts";
import { setTheme, theme } from "../state/theme.ts";

const STATUS_WORDS: Readonly<Record<AgentStatus, string>> = {
  idle: "idle",
  starting: "starting",
  connected: "connected",
  disconnected: "disconnected",
  reconnecting: "reconnecting",
};

const PUT_AWAY_KEY = "liminal:dismissed-agents";
const PutAway = z.array(z.string());
/** Failed agents that the user has acknowledged. */
const putAway = signal(readKept(PUT_AWAY_KEY, PutAway, []));

function keepAway(ids: readonly string[]): void {
  if (ids.length === putAway.peek().length) return;
  putAway.value = [...ids];
  writeKept(PUT_AWAY_KEY, ids);
}

/** More marks than this are not readable at a glance. */
const MARKS_MAX = 6;

/** The running agents, a link to the agents page, and a restart for one that failed. */
export function AgentsFooter({ shell }: { shell: Shell }) {
  const { agents } = shell.server.value;
  const shown = agents.filter(({ status, availability }) => status !== "idle" || availability === "ready");
  const lost = agents.filter(({ status }) => status === "disconnected");
  const known = putAway.value;
  const asking = lost.filter(({ id }) => !known.includes(id));
  // Once it is back, its next failure is shown again.
  useEffect(() => keepAway(known.filter((id) => lost.some((agent) => agent.id === id))), [lost.length]);
  const words = shown.map(({ name, status, limits }) =>
    [`${name}: ${STATUS_WORDS[status]}`, ...windowWords(limits?.windows ?? [], Date.now())].join(", "),
  );
  return (
    <footer class="sidebar-foot">
      {asking.map((agent) => (
        <LostAgent key={agent.id} shell={shell} agent={agent} />
      ))}
      <div class="foot-line">
        <button
          type="button"
          class="agent-dots"
          aria-label="Agents"
          aria-description={words.join(", ")}
          title={["Agents", ...words].join("\n")}
          onClick={() => shell.showAgents()}
        >
          {mostAlive(shown).map(({ id, status, limits }) => (
            <span
              key={id}
              class="dot"
              data-state={status}
              data-limit={windowWords(limits?.windows ?? [], 0).length > 0 ? "" : undefined}
            >
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
      <button
        type="button"
        class="icon-button small"
        aria-label={`Dismiss ${agent.name}`}
        title="Dismiss until it is lost again"
        onClick={() => keepAway([...putAway.peek(), agent.id])}
      >
        <Icon name="close" class="icon-sm" />
      </button>
    </div>
  );
}

/** The one agent that starts or stops has a text, as long as there is room; otherwise there is none. */
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
