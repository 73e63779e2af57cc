import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import type { AgentInfo } from "../../protocol/server-messages.ts";
import { agentIconName } from "../../ui/icons/agent-icon-name.ts";
import { Icon } from "../../ui/icons/icon.tsx";

interface AgentOptionProps {
  readonly agent: AgentInfo;
  readonly first: boolean;
  readonly creating: boolean;
  readonly onChoose: () => void;
  readonly note: string;
  /** Where the agent stands, or the button that mends it. */
  readonly end: ComponentChildren;
  /** What is going on with it, below its line. */
  readonly children: ComponentChildren;
}

/** The whole line takes the click; the button's name is the agent's alone, the rest describes it. */
export function AgentOption({ agent, first, creating, onChoose, note, end, children }: AgentOptionProps) {
  const noteId = useId();
  return (
    <li class="agent-option" data-choice data-busy={creating ? "" : undefined}>
      <div class="agent-line">
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
            {creating ? `Starting ${agent.name}…` : note}
          </span>
        </span>
        {creating ? <span class="mark" data-state="working" /> : end}
      </div>
      {children}
    </li>
  );
}
