import { type CliType, cliTypeOf } from "../protocol/ids.ts";
import type { AgentInfo } from "../protocol/server-messages.ts";
import type { Caller } from "./caller.ts";
import { ToolError } from "./tool-error.ts";

interface Choice {
  readonly caller: Caller;
  readonly agents: () => readonly AgentInfo[];
}

/** By id or name; without one, the caller's own kind, and for a program outside the first that is ready. */
export function chooseAgent({ caller, agents }: Choice, wanted: string | undefined): CliType {
  if (wanted === undefined && caller !== null) return cliTypeOf(caller);
  const ready = agents().filter(({ availability }) => availability === "ready");
  const found = agents().find(({ id, name }) => id === wanted || name.toLowerCase() === wanted?.toLowerCase());
  const chosen = wanted === undefined ? ready[0] : found;
  if (chosen) return chosen.id;
  throw new ToolError(`There is no agent "${wanted ?? ""}". Ready here: ${ready.map(({ id }) => id).join(", ")}.`);
}
