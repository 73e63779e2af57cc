import type { ComponentChild } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import type { CliType, ProjectId } from "../../protocol/ids.ts";
import type { AgentInfo, Project } from "../../protocol/server-messages.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { useRoving } from "../controls/use-roving.ts";
import type { Shell } from "../state/shell.ts";
import { AgentChoice } from "./agent-choice.tsx";
import { matchesFilter, pickerGroups } from "./picker-groups.ts";
import { type Creation, useCreation } from "./use-creation.ts";

export interface NewSessionProps {
  readonly shell: Shell;
  readonly projectId: ProjectId;
  readonly startWith?: CliType | undefined;
}

/** One click on an agent makes the session. What stands in the way is said at the agent, with the button that mends it. */
export function NewSessionDialog({ shell, projectId, startWith }: NewSessionProps) {
  const { agents, projects } = shell.server.value;
  const [chosen, setChosen] = useState(projectId);
  const [creation, create] = useCreation(shell, chosen);
  // Parted once: an agent that has just been installed stays where the user looks at it.
  const [more] = useState(() => new Set(pickerGroups(agents).more.map(({ id }) => id)));
  const likely = agents.filter(({ id }) => !more.has(id));
  const first = (agents.find(({ id }) => id === startWith) ?? likely.find(isReady) ?? likely[0])?.id;
  useEffect(() => {
    if (startWith !== undefined) create(startWith);
  }, []);
  const choice = (agent: (typeof agents)[number]) => (
    <AgentChoice
      key={agent.id}
      shell={shell}
      agent={agent}
      first={agent.id === first}
      creation={creationOf(creation, agent.id)}
      projectId={chosen}
      onCreate={() => create(agent.id)}
    />
  );
  const projectSelect = projects.length > 1 && (
    <ProjectSelect projects={projects} chosen={chosen} onChoose={setChosen} />
  );
  return (
    <Dialog title="New session" onClose={() => shell.closeDialog()} headEnd={projectSelect}>
      <div class="dialog-body">
        <ul class="agent-list">{likely.map(choice)}</ul>
        {more.size > 0 && <MoreAgents agents={agents.filter(({ id }) => more.has(id))} choice={choice} />}
      </div>
      <footer class="dialog-foot">
        <button
          type="button"
          class="button ghost"
          onClick={() => {
            shell.dialog.value = { kind: "import", projectId: chosen };
          }}
        >
          Import sessions…
        </button>
        <span class="spacer" />
        <button type="button" class="button ghost" onClick={() => shell.closeDialog()}>
          Cancel
        </button>
      </footer>
    </Dialog>
  );
}

function isReady({ availability }: { readonly availability: string }): boolean {
  return availability === "ready";
}

function creationOf(creation: Creation, id: CliType): Creation {
  return creation.phase !== "choosing" && creation.cliType === id ? creation : { phase: "choosing" };
}

interface ProjectSelectProps {
  readonly projects: readonly Project[];
  readonly chosen: ProjectId;
  readonly onChoose: (id: ProjectId) => void;
}

function ProjectSelect({ projects, chosen, onChoose }: ProjectSelectProps) {
  return (
    <select
      class="native-select"
      aria-label="Project"
      value={chosen}
      onChange={(event) => onChoose(projects.find(({ id }) => id === event.currentTarget.value)?.id ?? chosen)}
    >
      {projects.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

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
