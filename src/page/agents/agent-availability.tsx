import type { AgentInfo } from "../../protocol/server-messages.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import type { Install } from "../state/agent-installs.ts";

const AVAILABILITY: Readonly<Record<AgentInfo["availability"], { readonly tag: string; readonly words: string }>> = {
  ready: { tag: "tag ok", words: "Ready" },
  "needs-install": { tag: "tag", words: "Not installed" },
  failed: { tag: "tag error", words: "Not working" },
  "needs-sign-in": { tag: "tag warn", words: "Needs sign-in" },
};

/** The state of an agent as one word. */
export function AvailabilityTag({ agent }: { agent: AgentInfo }) {
  const { tag, words } = AVAILABILITY[agent.availability];
  return <span class={tag}>{words}</span>;
}

/** The agent's description, or what will happen when it is chosen. */
export function noteOf({ availability, message, status, id, description, installedVersion }: AgentInfo): string {
  switch (availability) {
    case "ready":
      if (message !== undefined) return message;
      if (id === "builtin" && description !== undefined) return description;
      if (status === "connected") return "Running";
      return joined(installedVersion, description) || "Starts with the session";
    case "needs-install":
      return description ?? "Install to use";
    case "needs-sign-in":
      return description ?? "Sign in to use";
    case "failed":
      return message ?? "Could not be started";
    default:
      return availability satisfies never;
  }
}

function joined(...parts: readonly (string | undefined)[]): string {
  return parts.filter(Boolean).join(" · ");
}

interface InstallPanelProps {
  readonly agent: AgentInfo;
  readonly install: Install;
  readonly onRetry: () => void;
  readonly onCancel: () => void;
}

/** The progress of an install as text and as a bar; or why it failed, and what to do. */
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
