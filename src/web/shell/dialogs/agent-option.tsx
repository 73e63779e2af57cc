import { useId } from "preact/hooks";
import type { AgentInfo } from "../../../protocol/server-messages.ts";
import { agentIconName } from "../../icons/agent-icon-name.ts";
import { Icon } from "../../icons/icon.tsx";

const AVAILABILITY: Readonly<Record<AgentInfo["availability"], { readonly tag: string; readonly words: string }>> = {
  ready: { tag: "tag ok", words: "Ready" },
  "needs-install": { tag: "tag", words: "Not installed" },
  "needs-sign-in": { tag: "tag warn", words: "Needs sign-in" },
};

/** Where an agent stands, in one word. */
export function AvailabilityTag({ agent }: { agent: AgentInfo }) {
  const { tag, words } = AVAILABILITY[agent.availability];
  return <span class={tag}>{words}</span>;
}

interface AgentOptionProps {
  readonly agent: AgentInfo;
  readonly first: boolean;
  readonly creating: boolean;
  readonly onChoose: () => void;
}

/** The whole row takes the click; the button's name is the agent's alone, the rest describes it. */
export function AgentOption({ agent, first, creating, onChoose }: AgentOptionProps) {
  const noteId = useId();
  return (
    <li class="agent-option" data-choice data-busy={creating ? "" : undefined}>
      <Icon name={agentIconName(agent.id)} class="agent" />
      <span class="who">
        <button
          type="button"
          class="agent-name"
          aria-describedby={noteId}
          aria-busy={creating}
          data-first-focus={first ? "" : undefined}
          onClick={onChoose}
        >
          {agent.name}
        </button>
        <span class="agent-note" id={noteId}>
          {creating ? `Starting ${agent.name}…` : noteOf(agent)}
        </span>
      </span>
      {creating ? <span class="mark" data-state="working" /> : <AvailabilityTag agent={agent} />}
    </li>
  );
}

/** What the server says about the agent, else what will happen. */
export function noteOf({ availability, message, status, id }: AgentInfo): string {
  if (message !== undefined) return message;
  switch (availability) {
    case "ready":
      if (id === "builtin") return "Works right now, without an account";
      return status === "connected" ? "Running" : "Starts with the session";
    case "needs-install":
      return "Install it to use it here";
    case "needs-sign-in":
      return "Sign in with its own command line";
    default:
      return availability satisfies never;
  }
}
