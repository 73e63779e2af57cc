import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { CliType, ProjectId } from "../../protocol/ids.ts";
import type { PermissionMode } from "../../protocol/permission-policy.ts";
import { splitPlace } from "../../protocol/place-path.ts";
import { MODE_WORDS } from "../../protocol/rule-words.ts";
import type { AgentInfo, ServerMessage } from "../../protocol/server-messages.ts";
import type { ToolServer } from "../../protocol/tool-server.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import type { IconName } from "../../ui/icons/icon-shapes.ts";
import { THEMES, type Theme } from "../../ui/theme/apply-theme.ts";
import { Choice } from "../controls/choice.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { DevicesSection } from "../devices/devices-section.tsx";
import {
  isSoundOn,
  type NotificationLevel,
  notificationLevel,
  setNotificationLevel,
  setSoundOn,
} from "../notifications.ts";
import type { PolicyState } from "../permissions/use-policies.ts";
import { PlacesSection } from "../places/places-section.tsx";
import { SnippetsSection } from "../snippets/snippets-section.tsx";
import type { Shell } from "../state/shell.ts";
import type { ShellState } from "../state/shell-state.ts";
import { givesRoles, runsServer } from "../state/standing.ts";
import { setTheme, theme } from "../state/theme.ts";
import { BuiltinAgentSection } from "./builtin-agent-section.tsx";
import { DataFacts } from "./data-section.tsx";
import { HooksSection } from "./hooks-section.tsx";
import { NoticesSection } from "./notices-section.tsx";
import { PeopleSection } from "./people-section.tsx";
import { TokensSection } from "./tokens-section.tsx";

const THEME_WORDS: Readonly<Record<Theme, string>> = { dark: "Dark", light: "Light", system: "Match system" };

interface SectionOfSettings {
  readonly id: string;
  readonly title: string;
  /** Only for those who may use it, if there is more than one person. */
  readonly isFor?: (state: ShellState) => boolean;
  readonly Content: (props: { readonly shell: Shell }) => ComponentChildren;
}

const SECTIONS: readonly SectionOfSettings[] = [
  { id: "settings-appearance", title: "Appearance", Content: ThemeChoice },
  { id: "settings-notifications", title: "Notifications", Content: NotificationsSection },
  { id: "settings-permissions", title: "Permissions", isFor: runsServer, Content: AgentModes },
  { id: "settings-builtin", title: "Built-in agent", isFor: runsServer, Content: BuiltinAgentSection },
  { id: "settings-tools", title: "Tool servers", isFor: runsServer, Content: ToolServerList },
  { id: "settings-places", title: "Places", isFor: runsServer, Content: PlacesSection },
  { id: "settings-snippets", title: "Snippets", Content: SnippetsSection },
  { id: "settings-people", title: "People", isFor: givesRoles, Content: PeopleSection },
  { id: "settings-devices", title: "Devices", Content: ({ shell }) => <DevicesSection nowMs={shell.nowMs.value} /> },
  { id: "settings-tokens", title: "Tokens", Content: TokensSection },
  { id: "settings-hooks", title: "Incoming hooks", isFor: runsServer, Content: HooksSection },
  { id: "settings-more", title: "Agents and keys", Content: OtherWays },
  { id: "settings-data", title: "Data", isFor: runsServer, Content: DataFacts },
];

/** All settings in one place; every change takes effect at once. */
export function SettingsDialog({ shell, part }: { shell: Shell; part?: string | undefined }) {
  const state = shell.server.value;
  const sections = SECTIONS.filter(({ isFor }) => isFor?.(state) ?? true);
  useEffect(() => {
    if (part !== undefined) document.getElementById(part)?.scrollIntoView();
  }, []);
  return (
    <Dialog title="Settings" wide onClose={() => shell.closeDialog()}>
      <div class="settings-columns">
        <SectionList sections={sections} />
        <div class="dialog-body settings">
          {sections.map(({ id, title, Content }) => (
            <section key={id} aria-labelledby={id}>
              <h3 id={id} tabIndex={-1}>
                {title}
              </h3>
              <Content shell={shell} />
            </section>
          ))}
        </div>
      </div>
    </Dialog>
  );
}

/** Links to the sections, if there is room for them beside the settings. */
function SectionList({ sections }: { readonly sections: readonly SectionOfSettings[] }) {
  return (
    <nav class="settings-nav" aria-label="Settings">
      {sections.map(({ id, title }) => (
        <a
          key={id}
          href={`#${id}`}
          onClick={(event) => {
            event.preventDefault();
            const heading = document.getElementById(id);
            heading?.focus({ preventScroll: true });
            heading?.scrollIntoView();
          }}
        >
          {title}
        </a>
      ))}
    </nav>
  );
}

function ThemeChoice() {
  return (
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
  );
}

function NotificationsSection({ shell }: { shell: Shell }) {
  return (
    <>
      <NotificationSetting />
      <NoticesSection shell={shell} />
    </>
  );
}

function OtherWays({ shell }: { shell: Shell }) {
  return (
    <>
      <div class="row">
        <Way words="Agents and tool servers…" icon="plug" onGo={() => showAgents(shell)} />
        <Way
          words="Keyboard shortcuts…"
          icon="key"
          onGo={() => {
            shell.dialog.value = { kind: "shortcuts" };
          }}
        />
      </div>
      <p class="hint">Any key can be changed under Keyboard shortcuts.</p>
    </>
  );
}

function showAgents(shell: Shell): void {
  shell.closeDialog();
  shell.showAgents();
}

interface WayProps {
  readonly words: string;
  readonly icon: IconName;
  readonly onGo: () => void;
}

function Way({ words, icon, onGo }: WayProps) {
  return (
    <button type="button" class="button" onClick={onGo}>
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
      <label class="setting">
        <span>Play a sound when an agent is waiting for you</span>
        <input
          type="checkbox"
          class="check"
          checked={isSoundOn.value}
          disabled={notificationLevel.value === "off"}
          onChange={({ currentTarget }) => setSoundOn(currentTarget.checked)}
        />
      </label>
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
  const { state, wanted, problem, change } = useAgentPolicy(shell, id);
  return (
    <>
      <div class="setting">
        <span>{name}</span>
        <Choice
          label={`Permissions of ${name}`}
          words={MODE_WORDS}
          value={wanted ?? state?.mode ?? state?.inherited ?? "ask"}
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
  // Shown until the server has answered: an earlier answer must not undo the choice.
  const [wanted, setWanted] = useState<PermissionMode | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    void shell.attempt({ type: "policy:get", scope: "agent", cliType }, setProblem).then((answer) => {
      if (answer?.type === "policy:state") setState(answer);
    });
  }, [cliType]);
  const change = async (mode: PermissionMode) => {
    setProblem("");
    setWanted(mode);
    const answer = await shell.attempt({ type: "policy:set", scope: "agent", cliType, mode }, setProblem);
    if (answer?.type === "policy:state") setState(answer);
    setWanted((latest) => (latest === mode ? null : latest));
  };
  return { state, wanted, problem, change };
}

/** Which of the user's MCP servers the sessions of a project get. */
function ToolServerList({ shell }: { shell: Shell }) {
  const { projects } = shell.server.value;
  const [chosen, setChosen] = useState<ProjectId | null>(() => shell.projectAtHand());
  const projectId = projects.some(({ id }) => id === chosen) ? chosen : (projects[0]?.id ?? null);
  const { servers, problem, choose } = useToolServers(shell, projectId);
  if (projectId === null) return <p class="hint">Add a project first. Tool servers are enabled per project.</p>;
  const at = splitPlace(projects.find(({ id }) => id === projectId)?.path ?? "");
  if (servers?.length === 0 && at === null)
    return (
      <>
        <p class="hint">None yet. A tool server gives agents more tools (MCP).</p>
        <div class="row">
          <Way words="Add a tool server…" icon="plus" onGo={() => showAgents(shell)} />
        </div>
      </>
    );
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
      {servers?.length === 0 && at !== null && (
        <p class="hint">None at {at.place}. Those whose "places" in config.json name it are offered there.</p>
      )}
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
  const [known, setKnown] = useState<{ readonly of: ProjectId; readonly servers: readonly ToolServer[] } | null>(null);
  const [problem, setProblem] = useState("");
  // Until its own list has loaded, a project has none: a choice in another project's list would be made by mistake.
  const servers = known?.of === projectId ? known.servers : null;
  useEffect(() => {
    if (projectId === null) return;
    const onMessage = (message: ServerMessage) => {
      if (message.type === "mcp:servers" && message.projectId === projectId)
        setKnown({ of: projectId, servers: message.servers });
    };
    void shell.attempt({ type: "mcp:list", projectId }, setProblem);
    // Receives answers, and changes from other windows.
    return shell.listen(onMessage);
  }, [projectId]);
  const choose = async ({ name }: ToolServer, enabled: boolean) => {
    setProblem("");
    if (projectId === null) return;
    const answer = await shell.attempt({ type: "mcp:choose", projectId, name, enabled }, setProblem);
    // Refused: the checkbox shows the actual value again.
    if (answer === null) setKnown((shown) => shown && { ...shown });
  };
  return { servers, problem, choose };
}
