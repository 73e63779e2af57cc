import { useEffect, useState } from "preact/hooks";
import type { ProjectId } from "../../protocol/ids.ts";
import type { ServerMessage } from "../../protocol/server-messages.ts";
import type { ToolServer } from "../../protocol/tool-server.ts";
import type { Shell } from "../state/shell.ts";

/** Which of the user's tool servers the sessions of a project get. */
export function ToolServerList({ shell }: { shell: Shell }) {
  const { projects } = shell.server.value;
  const [chosen, setChosen] = useState<ProjectId | null>(() => shell.projectAtHand());
  const projectId = projects.some(({ id }) => id === chosen) ? chosen : (projects[0]?.id ?? null);
  const { servers, problem, choose } = useToolServers(shell, projectId);
  if (projectId === null) return <p class="hint">Add a project first: tools are given project by project.</p>;
  if (servers?.length === 0)
    return <p class="hint">None. Name them under mcpServers in config.json, and start Liminal Builder again.</p>;
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
      <p class="hint">Holds for sessions that are started or brought back from now on.</p>
      {problem !== "" && (
        <p class="error-text" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

function useToolServers(shell: Shell, projectId: ProjectId | null) {
  const [servers, setServers] = useState<readonly ToolServer[] | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    if (projectId === null) return;
    const hear = (message: ServerMessage) => {
      if (message.type === "mcp:servers" && message.projectId === projectId) setServers(message.servers);
    };
    void shell.attempt({ type: "mcp:list", projectId }, setProblem);
    // Answers pass here as well, and so does what another window changes.
    return shell.listen(hear);
  }, [projectId]);
  const choose = async ({ name }: ToolServer, enabled: boolean) => {
    setProblem("");
    if (projectId === null) return;
    const answer = await shell.attempt({ type: "mcp:choose", projectId, name, enabled }, setProblem);
    // Refused: the box shows again what is true.
    if (answer === null) setServers((known) => known && [...known]);
  };
  return { servers, problem, choose };
}
