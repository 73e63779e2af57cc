import type { AgentInfo } from "../../protocol/server-messages.ts";

/** Every word of the filter has to occur in the agent's name, id or description. */
export function matchesFilter({ id, name, description = "" }: AgentInfo, filter: string): boolean {
  const text = `${name} ${id} ${description}`.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
