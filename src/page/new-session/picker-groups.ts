import { BUILTIN_AGENT } from "../../protocol/builtin-model.ts";
import type { AgentInfo } from "../../protocol/server-messages.ts";
import type { IconName } from "../../ui/icons/icon-shapes.ts";

/** Up to this many agents are one list; more are grouped, with a filter field. */
const ONE_LIST_AGENTS_MAX = 8;

interface PickerGroups {
  readonly likely: readonly AgentInfo[];
  readonly more: readonly AgentInfo[];
}

/** Agents that the user has or expects, then all others; both in the server's order. */
export function pickerGroups(agents: readonly AgentInfo[]): PickerGroups {
  if (agents.length <= ONE_LIST_AGENTS_MAX) return { likely: agents, more: [] };
  // The server lists the best known ones before the built-in agent.
  const known = agents.findIndex(({ id }) => id === BUILTIN_AGENT);
  const isLikely = ({ availability, status }: AgentInfo, index: number) =>
    index <= known || availability !== "needs-install" || status !== "idle";
  return { likely: agents.filter(isLikely), more: agents.filter((agent, index) => !isLikely(agent, index)) };
}

/** Three first messages that demonstrate the app; the built-in agent understands them. */
export const EXAMPLE_PROMPTS: readonly {
  readonly icon: IconName;
  readonly words: string;
  readonly shows: string;
  readonly prompt: string;
}[] = [
  { icon: "plan", words: "Show one of everything", shows: "plan, tools, images", prompt: "all" },
  { icon: "shield", words: "Run git status, and ask me first", shows: "permissions", prompt: "run git status" },
  { icon: "message", words: "Tell me what you can do", shows: "streaming text", prompt: "help" },
];
