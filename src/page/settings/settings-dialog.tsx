import { useState } from "preact/hooks";
import { Icon } from "../../ui/icons/icon.tsx";
import { THEMES, type Theme } from "../../ui/theme/apply-theme.ts";
import { Dialog } from "../controls/dialog.tsx";
import { DevicesSection } from "../devices/devices-section.tsx";
import { type NotificationLevel, notificationLevel, setNotificationLevel } from "../notifications.ts";
import { Choice } from "../permissions/choice.tsx";
import type { Shell } from "../state/shell.ts";
import type { ShellDialog } from "../state/shell-dialog.ts";
import { setTheme, theme } from "../state/theme.ts";
import { AgentModes } from "./agent-modes.tsx";
import { DataFacts } from "./data-facts.tsx";
import { ToolServerList } from "./tool-server-list.tsx";

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
  blocked: "When an agent waits for you or failed",
  all: "Also when a turn finishes",
};

const BLOCKED =
  "This browser does not let the page notify you. Allow notifications for it beside the address, then choose again.";

/** The browser is asked only here, when the user wants to be told. */
export function NotificationSetting() {
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
