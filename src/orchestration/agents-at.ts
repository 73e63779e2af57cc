import { splitPlace } from "../protocol/place-path.ts";
import type { AgentInfo } from "../protocol/server-messages.ts";
import type { OrchestrationParts } from "./children.ts";

/** The agents that can be started in a directory. At a place those with a command there, whatever is installed here. */
export function agentsAt(
  { agents, hasCommandAt }: Pick<OrchestrationParts, "agents" | "hasCommandAt">,
  directory: string | undefined,
): readonly AgentInfo[] {
  const at = directory === undefined ? null : splitPlace(directory);
  if (at === null) return agents();
  return agents().map(({ message: _, ...agent }) => {
    if (!hasCommandAt(at.place, agent.id))
      return {
        ...agent,
        availability: "needs-install",
        message: `Add its command under places.${at.place}.agents in config.json.`,
      };
    return agent.availability === "needs-sign-in" ? agent : { ...agent, availability: "ready" };
  });
}
