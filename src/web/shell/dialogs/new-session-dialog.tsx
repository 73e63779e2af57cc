import { useState } from "preact/hooks";
import type { ProjectId } from "../../../protocol/ids.ts";
import type { AgentInfo, Project } from "../../../protocol/server-messages.ts";
import { Icon } from "../../icons/icon.tsx";
import type { Shell } from "../state/shell.ts";
import { createSession } from "../state/shell-actions.ts";
import { AgentOption } from "./agent-option.tsx";
import { Dialog } from "./dialog.tsx";

type Creation =
  | { readonly phase: "choosing" }
  | { readonly phase: "creating"; readonly agent: AgentInfo }
  | { readonly phase: "refused"; readonly agent: AgentInfo; readonly words: string };

/** One click on an agent makes the session. What is refused is said here, with the way to try again. */
export function NewSessionDialog({ shell, projectId }: { shell: Shell; projectId: ProjectId }) {
  const { agents, projects } = shell.server.value;
  const likely = agents.find(({ availability }) => availability === "ready") ?? agents[0];
  const [chosen, setChosen] = useState(projectId);
  const [creation, setCreation] = useState<Creation>({ phase: "choosing" });
  const create = async (agent: AgentInfo) => {
    if (creation.phase === "creating") return;
    setCreation({ phase: "creating", agent });
    const refused = (words: string) => setCreation({ phase: "refused", agent, words });
    if ((await createSession(shell, chosen, agent.id, refused)) !== null) shell.closeDialog();
  };
  const projectSelect = projects.length > 1 && (
    <ProjectSelect projects={projects} chosen={chosen} onChoose={setChosen} />
  );
  return (
    <Dialog title="New session" onClose={() => shell.closeDialog()} headEnd={projectSelect}>
      <div class="dialog-body">
        <ul class="agent-list">
          {agents.map((agent) => (
            <AgentOption
              key={agent.id}
              agent={agent}
              first={agent === likely}
              creating={creation.phase === "creating" && creation.agent.id === agent.id}
              onChoose={() => void create(agent)}
            />
          ))}
        </ul>
        {creation.phase === "refused" && (
          <RefusedNotice words={creation.words} onRetry={() => void create(creation.agent)} />
        )}
      </div>
      <footer class="dialog-foot">
        <span class="faint">The session opens in its own tab.</span>
        <span class="spacer" />
        <button type="button" class="button ghost" onClick={() => shell.closeDialog()}>
          Cancel
        </button>
      </footer>
    </Dialog>
  );
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

function RefusedNotice({ words, onRetry }: { words: string; onRetry: () => void }) {
  return (
    <div class="notice" data-severity="error" role="alert">
      <Icon name="fail" />
      <div class="body">
        <p class="told">{words}</p>
        <div class="actions">
          <button type="button" class="button" onClick={onRetry}>
            <Icon name="refresh" class="icon-sm" />
            Retry
          </button>
        </div>
      </div>
    </div>
  );
}
