import { useEffect, useState } from "preact/hooks";
import type { CliType, ProjectId } from "../../protocol/ids.ts";
import type { PermissionMode } from "../../protocol/permission-policy.ts";
import { MODE_WORDS } from "../../protocol/rule-words.ts";
import type { AgentInfo, ServerMessage } from "../../protocol/server-messages.ts";
import type { ToolServer } from "../../protocol/tool-server.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { THEMES, type Theme } from "../../ui/theme/apply-theme.ts";
import { Choice } from "../controls/choice.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { DevicesSection } from "../devices/devices-section.tsx";
import { type NotificationLevel, notificationLevel, setNotificationLevel } from "../notifications.ts";
import type { PolicyState } from "../permissions/use-policies.ts";
import type { Shell } from "../state/shell.ts";
import type { ShellDialog } from "../state/shell-dialog.ts";
import { setTheme, theme } from "../state/theme.ts";
import { DataFacts } from "./data-section.tsx";

const THEME_WORDS: Readonly<Record<Theme, string>> = { dark: "Dark", light: "Light", system: "Match system" };

/** All that can be set, in one place; everything takes effect at once. */
export function SettingsDialog({ shell }: { shell: Shell }) {
  return (
    <Dialog title="Settings" wide onClose={() => shell.closeDialog()}>
      <div class="dialog-body settings">
        <section aria-labelledby="settings-appearance">
          <h3 id="settings-appearance">Appearance</h3>
          <fieldset class="theme-choice">
            <legend>Theme</legend>
            {THEMES.map((one) => (
              <label key={one}>
                <input
                  type="radio"
                  name="theme"
                  checked={theme.value === one}
                  data-first-focus={theme.value === one || undefined}
                  onChange={() => setTheme(one)}
                />
                {THEME_WORDS[one]}
              </label>
            ))}
          </fieldset>
        </section>
        <section aria-labelledby="settings-notifications">
          <h3 id="settings-notifications">Notifications</h3>
          <NotificationSetting />
        </section>
        <section aria-labelledby="settings-permissions">
          <h3 id="settings-permissions">Permissions</h3>
          <AgentModes shell={shell} />
        </section>
        <section aria-labelledby="settings-tools">
          <h3 id="settings-tools">Tool servers</h3>
          <ToolServerList shell={shell} />
        </section>
        <section aria-labelledby="settings-devices">
          <h3 id="settings-devices">Devices</h3>
          <DevicesSection nowMs={shell.nowMs.value} />
        </section>
        <section aria-labelledby="settings-more">
          <h3 id="settings-more">Agents and keys</h3>
          <div class="row">
            <Way shell={shell} to={{ kind: "agents" }} words="Agents…" icon="plug" />
            <Way shell={shell} to={{ kind: "shortcuts" }} words="Keyboard shortcuts…" icon="key" />
          </div>
          <p class="hint">Any key can be changed under Keyboard shortcuts.</p>
        </section>
        <section aria-labelledby="settings-data">
          <h3 id="settings-data">Data</h3>
          <DataFacts />
        </section>
      </div>
    </Dialog>
  );
}

interface WayProps {
  readonly shell: Shell;
  readonly to: ShellDialog;
  readonly words: string;
  readonly icon: "plug" | "key";
}

function Way({ shell, to, words, icon }: WayProps) {
  return (
    <button
      type="button"
      class="button"
      onClick={() => {
        shell.dialog.value = to;
      }}
    >
      <Icon name={icon} class="icon-sm" />
      {words}
    </button>
  );
}

const LEVEL_WORDS: Readonly<Record<NotificationLevel, string>> = {
  off: "Never",
  blocked: "When an agent is waiting for you or has failed",
  all: "Also when a turn finishes",
};

const BLOCKED = "Notifications are blocked in this browser. Allow them in the address bar, then choose again.";

/** Asks the browser for permission only when the user turns notifications on. */
function NotificationSetting() {
  const [problem, setProblem] = useState("");
  const choose = async (level: NotificationLevel) => {
    setProblem("");
    if (level !== "off" && !(await mayNotify())) {
      setProblem(BLOCKED);
      setNotificationLevel("off");
      return;
    }
    setNotificationLevel(level);
  };
  return (
    <>
      <div class="setting">
        <span>Notify me when I'm away</span>
        <Choice
          label="Notify me when I'm away"
          words={LEVEL_WORDS}
          value={notificationLevel.value}
          onChoose={(level) => void choose(level)}
        />
      </div>
      <p class="hint" role="status">
        {problem || "The tab title and icon always show how many sessions are waiting."}
      </p>
    </>
  );
}

async function mayNotify(): Promise<boolean> {
  if (!("Notification" in globalThis)) return false;
  return (await Notification.requestPermission()) === "granted";
}

/** The default permission mode of each agent; projects and sessions can override it. */
function AgentModes({ shell }: { shell: Shell }) {
  const agents = shell.server.value.agents.filter(isInUse);
  return (
    <>
      {agents.map((agent) => (
        <AgentMode key={agent.id} shell={shell} agent={agent} />
      ))}
      <p class="hint">Projects and sessions can override this: see Permissions at the top of a session.</p>
    </>
  );
}

function isInUse({ availability, installedVersion, status }: AgentInfo): boolean {
  return availability === "ready" || installedVersion !== undefined || status !== "idle";
}

function AgentMode({ shell, agent: { id, name } }: { shell: Shell; agent: AgentInfo }) {
  const { state, problem, change } = useAgentPolicy(shell, id);
  return (
    <>
      <div class="setting">
        <span>{name}</span>
        <Choice
          label={`Permissions of ${name}`}
          words={MODE_WORDS}
          value={state?.mode ?? state?.inherited ?? "ask"}
          onChoose={(mode) => void change(mode)}
        />
      </div>
      {problem !== "" && (
        <p class="error-text" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

function useAgentPolicy(shell: Shell, cliType: CliType) {
  const [state, setState] = useState<PolicyState | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    void shell.attempt({ type: "policy:get", scope: "agent", cliType }, setProblem).then((answer) => {
      if (answer?.type === "policy:state") setState(answer);
    });
  }, [cliType]);
  const change = async (mode: PermissionMode) => {
    setProblem("");
    const answer = await shell.attempt({ type: "policy:set", scope: "agent", cliType, mode }, setProblem);
    if (answer?.type === "policy:state") setState(answer);
  };
  return { state, problem, change };
}

/** Which of the user's tool servers the sessions of a project get. */
function ToolServerList({ shell }: { shell: Shell }) {
  const { projects } = shell.server.value;
  const [chosen, setChosen] = useState<ProjectId | null>(() => shell.projectAtHand());
  const projectId = projects.some(({ id }) => id === chosen) ? chosen : (projects[0]?.id ?? null);
  const { servers, problem, choose } = useToolServers(shell, projectId);
  if (projectId === null) return <p class="hint">Add a project first. Tool servers are enabled per project.</p>;
  if (servers?.length === 0)
    return <p class="hint">None yet. Add servers under mcpServers in config.json, then restart Liminal Builder.</p>;
  return (
    <>
      <label class="setting">
        <span>In the project</span>
        <select
          class="native-select"
          value={projectId}
          onChange={({ currentTarget: { value } }) =>
            setChosen(projects.find(({ id }) => id === value)?.id ?? projectId)
          }
        >
          {projects.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {servers?.map((server) => (
        <label key={server.name} class="setting tool-server">
          <span>
            {server.name} <span class="hint mono">{server.target}</span>
          </span>
          <input
            type="checkbox"
            checked={server.enabled}
            aria-label={`Use ${server.name}`}
            onChange={({ currentTarget }) => void choose(server, currentTarget.checked)}
          />
        </label>
      ))}
      <p class="hint">Applies to sessions started or resumed from now on.</p>
      {problem !== "" && (
        <p class="error-text" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

function useToolServers(shell: Shell, projectId: ProjectId | null) {
  const [servers, setServers] = useState<readonly ToolServer[] | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    if (projectId === null) return;
    const onMessage = (message: ServerMessage) => {
      if (message.type === "mcp:servers" && message.projectId === projectId) setServers(message.servers);
    };
    void shell.attempt({ type: "mcp:list", projectId }, setProblem);
    // Answers pass here as well, and so does what another window changes.
    return shell.listen(onMessage);
  }, [projectId]);
  const choose = async ({ name }: ToolServer, enabled: boolean) => {
    setProblem("");
    if (projectId === null) return;
    const answer = await shell.attempt({ type: "mcp:choose", projectId, name, enabled }, setProblem);
    // Refused: the box shows again what is true.
    if (answer === null) setServers((known) => known && [...known]);
  };
  return { servers, problem, choose };
}
