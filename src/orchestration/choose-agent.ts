import { type CliType, cliTypeOf, type ProjectId } from "../protocol/ids.ts";
import type { AgentInfo } from "../protocol/server-messages.ts";
import type { Delegations } from "../sessions/delegation/delegations.ts";
import type { SessionService } from "../sessions/session-service.ts";
import type { Caller } from "./caller.ts";
import { ToolError } from "./tool-error.ts";

interface Choice {
  readonly caller: Caller;
  readonly agents: () => readonly AgentInfo[];
  readonly sessions: SessionService;
  readonly delegations: Delegations;
}

/** It gives work to others rather than doing it: unless told otherwise, to the agent that the user works with. */
const ORCHESTRATOR = "builtin";

/** By id or name. */
export function namedAgent({ agents }: Pick<Choice, "agents">, wanted: string): CliType {
  const found = agents().find(({ id, name }) => id === wanted || name.toLowerCase() === wanted.toLowerCase());
  if (found) return found.id;
  throw new ToolError(`There is no agent "${wanted}". Ready here: ${readyOnes(agents()).join(", ")}.`);
}

/**
 * For a caller that names none: its own kind. The orchestrator and programs outside get the agent that the user last worked with in
 * the project; without one, the orchestrator gets its own kind, and a program the first that is ready.
 */
export function usualAgent(choice: Choice, projectId: ProjectId): CliType {
  const own = choice.caller === null ? null : cliTypeOf(choice.caller);
  if (own !== null && own !== ORCHESTRATOR) return own;
  const ready = readyOnes(choice.agents());
  const chosen = lastUsed(choice, projectId, ready) ?? own ?? ready[0];
  if (chosen !== undefined) return chosen;
  throw new ToolError("There is no agent that is ready. Install one first, or sign in to one.");
}

function readyOnes(agents: readonly AgentInfo[]): readonly CliType[] {
  return agents.flatMap(({ id, availability }) => (availability === "ready" ? [id] : []));
}

/** What agents and programs have started says nothing about what the user likes. */
function lastUsed(choice: Choice, projectId: ProjectId, ready: readonly CliType[]): CliType | undefined {
  const { sessions, delegations } = choice;
  return (sessions.list(projectId, true) ?? [])
    .filter(({ cliType }) => cliType !== ORCHESTRATOR && ready.includes(cliType))
    .filter(({ id }) => delegations.parentOf(id) === undefined)
    .toSorted((one, other) => other.lastActiveAt.localeCompare(one.lastActiveAt))[0]?.cliType;
}
