import type { AgentInfo } from "../../protocol/server-messages.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import type { Install } from "../state/agent-installs.ts";

interface InstallPanelProps {
  readonly agent: AgentInfo;
  readonly install: Install;
  readonly onRetry: () => void;
  readonly onCancel: () => void;
}

/** How an install goes on, in words and as a bar; or why it failed, and what else can be done. */
export function InstallPanel({ agent, install, onRetry, onCancel }: InstallPanelProps) {
  if (install.phase === "running") {
    const percent = Math.round(install.share * 100);
    return (
      <div class="agent-panel install">
        <div class="install-words">
          <span class="hint" role="status">
            {install.words}
          </span>
          <span
            class="progress"
            role="progressbar"
            aria-label={`Installing ${agent.name}`}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={percent}
          >
            <i style={{ "--value": `${percent}%` }} />
          </span>
        </div>
        <button type="button" class="button small" aria-label={`Cancel installing ${agent.name}`} onClick={onCancel}>
          Cancel
        </button>
      </div>
    );
  }
  return (
    <div class="agent-panel">
      <TroubleNotice trouble={install.trouble}>
        <button type="button" class="button" onClick={onRetry}>
          <Icon name="refresh" class="icon-sm" />
          Retry
        </button>
        {agent.hint !== undefined && <p class="hint">{agent.hint}</p>}
      </TroubleNotice>
    </div>
  );
}
