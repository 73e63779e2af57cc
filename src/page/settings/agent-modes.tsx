import { useEffect, useState } from "preact/hooks";
import type { CliType } from "../../protocol/ids.ts";
import type { PermissionMode } from "../../protocol/permission-policy.ts";
import { MODE_WORDS } from "../../protocol/rule-words.ts";
import type { AgentInfo } from "../../protocol/server-messages.ts";
import { Choice } from "../permissions/choice.tsx";
import type { PolicyState } from "../permissions/use-policies.ts";
import type { Shell } from "../state/shell.ts";

/** What each agent may do without asking, where its project and session say nothing else. */
export function AgentModes({ shell }: { shell: Shell }) {
  const agents = shell.server.value.agents.filter(isInUse);
  return (
    <>
      {agents.map((agent) => (
        <AgentMode key={agent.id} shell={shell} agent={agent} />
      ))}
      <p class="hint">Projects and sessions can override this: see Permissions at the top of a session.</p>
    </>
  );
}

function isInUse({ availability, installedVersion, status }: AgentInfo): boolean {
  return availability === "ready" || installedVersion !== undefined || status !== "idle";
}

function AgentMode({ shell, agent: { id, name } }: { shell: Shell; agent: AgentInfo }) {
  const { state, problem, change } = useAgentPolicy(shell, id);
  return (
    <>
      <div class="setting">
        <span>{name}</span>
        <Choice
          label={`Permissions of ${name}`}
          words={MODE_WORDS}
          value={state?.mode ?? state?.inherited ?? "ask"}
          onChoose={(mode) => void change(mode)}
        />
      </div>
      {problem !== "" && (
        <p class="error-text" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

function useAgentPolicy(shell: Shell, cliType: CliType) {
  const [state, setState] = useState<PolicyState | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    void shell.attempt({ type: "policy:get", scope: "agent", cliType }, setProblem).then((answer) => {
      if (answer?.type === "policy:state") setState(answer);
    });
  }, [cliType]);
  const change = async (mode: PermissionMode) => {
    setProblem("");
    const answer = await shell.attempt({ type: "policy:set", scope: "agent", cliType, mode }, setProblem);
    if (answer?.type === "policy:state") setState(answer);
  };
  return { state, problem, change };
}
