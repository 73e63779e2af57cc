import type { AgentInfo } from "../../protocol/server-messages.ts";
import { Dialog } from "../controls/dialog.tsx";
import type { Shell } from "../state/shell.ts";
import type { ShellState } from "../state/shell-state.ts";
import { AgentRow } from "./agent-row.tsx";
import { type AgentsStatus, memoryWords, useAgentsStatus } from "./agents-status.ts";

/** Every agent that runs or has run: what it costs, what it says, and the way to bring it back. */
export function AgentsDialog({ shell }: { shell: Shell }) {
  const state = shell.server.value;
  const reading = useAgentsStatus(state.agents);
  const status = reading.phase === "read" ? reading.status : null;
  const shown = state.agents.filter((agent) => hasRun(state, status, agent));
  return (
    <Dialog title="Agents" onClose={() => shell.closeDialog()}>
      <div class="dialog-body">
        {shown.length === 0 && reading.phase !== "reading" && (
          <p>No agent has run yet. One starts with its first session.</p>
        )}
        <ul class="agent-list">
          {shown.map((agent) => (
            <AgentRow key={agent.id} shell={shell} agent={agent} status={status} />
          ))}
        </ul>
        <p class="hint" role="status">
          {reading.phase === "failed" && "The server does not say what runs right now. Trying again."}
        </p>
      </div>
      <footer class="dialog-foot">
        <span class="faint">{status === null ? "" : totalWords(status)}</span>
      </footer>
    </Dialog>
  );
}

/** An agent nobody has used or installed is no news; one whose process was put to rest still is. */
function hasRun(
  { sessions }: ShellState,
  status: AgentsStatus | null,
  { id, status: now, installedVersion }: AgentInfo,
): boolean {
  if (now !== "idle" || [...sessions.values()].some(({ cliType }) => cliType === id)) return true;
  if (installedVersion !== undefined) return true;
  return status?.agents.some((agent) => agent.id === id && agent.pid !== null) === true;
}

function totalWords({ agents, sessions }: AgentsStatus): string {
  const pids = new Set([...agents, ...sessions].flatMap(({ pid }) => pid ?? []));
  const bytes = agents.reduce((sum, { memoryBytes }) => sum + (memoryBytes ?? 0), 0);
  if (pids.size === 0) return "Nothing runs right now.";
  const processes = pids.size === 1 ? "1 process" : `${pids.size} processes`;
  return bytes === 0 ? processes : `${processes}, ${memoryWords(bytes)}`;
}
