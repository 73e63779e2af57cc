import { CliType } from "../../protocol/ids.ts";
import type { AgentInfo } from "../../protocol/server-messages.ts";
import type { IconName } from "../../ui/icons/icon-shapes.ts";

/** Up to this many agents are one list; more are parted, and get a field to find them by. */
const ONE_LIST_AGENTS_MAX = 8;

interface PickerGroups {
  readonly likely: readonly AgentInfo[];
  readonly more: readonly AgentInfo[];
}

/** What the user has or expects first, then everything else there is; both in the server's order. */
export function pickerGroups(agents: readonly AgentInfo[]): PickerGroups {
  if (agents.length <= ONE_LIST_AGENTS_MAX) return { likely: agents, more: [] };
  // The server puts the best known ones before the built-in agent.
  const known = agents.findIndex(({ id }) => id === BUILTIN_AGENT);
  const isLikely = ({ availability, status }: AgentInfo, index: number) =>
    index <= known || availability !== "needs-install" || status !== "idle";
  return { likely: agents.filter(isLikely), more: agents.filter((agent, index) => !isLikely(agent, index)) };
}

/** Every word of the filter has to stand in the agent's name, id or description. */
export function matchesFilter({ id, name, description = "" }: AgentInfo, filter: string): boolean {
  const text = `${name} ${id} ${description}`.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The agent that needs no account, no model and no network. */
export const BUILTIN_AGENT = CliType.parse("builtin");

/** Three first messages that show what this is about; the built-in agent understands them. */
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
