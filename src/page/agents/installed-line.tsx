import { useState } from "preact/hooks";
import type { AgentInfo } from "../../protocol/server-messages.ts";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import type { Shell } from "../state/shell.ts";
import type { Trouble } from "../state/trouble.ts";
import { InstallPanel } from "./install-panel.tsx";

/** An agent that was installed from here: which version is in use, the newer one, the one before, and the way out. */
export function InstalledLine({ shell, agent }: { shell: Shell; agent: AgentInfo }) {
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
            aria-label={`Take ${name} back to ${previousVersion}`}
            onClick={() => ask("agent:rollback")}
          >
            Back to {previousVersion}
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
