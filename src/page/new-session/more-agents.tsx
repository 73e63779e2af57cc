import type { ComponentChild } from "preact";
import { useId, useState } from "preact/hooks";
import type { AgentInfo } from "../../protocol/server-messages.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { useRoving } from "../controls/use-roving.ts";
import { matchesFilter } from "./picker-groups.ts";

interface MoreAgentsProps {
  readonly agents: readonly AgentInfo[];
  readonly choice: (agent: AgentInfo) => ComponentChild;
}

/** The rest of the registry, quietly, with a field to find one by. */
export function MoreAgents({ agents, choice }: MoreAgentsProps) {
  const [filter, setFilter] = useState("");
  const headingId = useId();
  const list = useRoving<HTMLUListElement>(".agent-option");
  const shown = agents.filter((agent) => matchesFilter(agent, filter));
  return (
    <section class="more-agents" aria-labelledby={headingId}>
      <header>
        <h3 id={headingId}>More agents</h3>
        <div class="field">
          <Icon name="search" class="icon-sm" />
          <input
            type="search"
            aria-label="Filter agents"
            placeholder={`Filter ${agents.length} agents`}
            autocomplete="off"
            spellcheck={false}
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        </div>
      </header>
      <ul class="agent-list" ref={list}>
        {shown.map(choice)}
      </ul>
      <p class="hint" role="status">
        {shown.length === 0 && "No agent of the registry matches. One of your own can be added in config.json."}
      </p>
    </section>
  );
}
