import type { Choices } from "../../ports/agent-choices.ts";
import type { AgentSession } from "../../ports/agents.ts";
import { RefusalError } from "../../protocol/errors.ts";
import type { ConfigOption } from "../../protocol/session-parts.ts";

/** If the agent takes longer to change a setting, the session is created anyway and the change follows. */
const CHOICES_WAIT_MS_MAX = 5_000;

/** Starts a new agent session with the user's last choices, as far as the agent still offers them. */
export async function applyChoices(
  agent: AgentSession,
  options: () => Promise<readonly ConfigOption[]>,
  choices: Choices,
  onError: (error: unknown) => void,
): Promise<void> {
  if (!(await options()).some((option) => wantsChange(option, choices))) return;
  let giveUp: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    giveUp = setTimeout(resolve, CHOICES_WAIT_MS_MAX);
  });
  await Promise.race([applyAll(agent, options, choices).catch(onError), late]);
  clearTimeout(giveUp);
}

async function applyAll(
  agent: AgentSession,
  options: () => Promise<readonly ConfigOption[]>,
  choices: Choices,
): Promise<void> {
  for (const configId of inOrder(await options())) {
    // Read again each time: one choice may change the other options.
    const option = (await options()).find(({ id }) => id === configId);
    const value = choices.get(configId);
    if (!option || value === undefined || !wantsChange(option, choices)) continue;
    try {
      await agent.configure(configId, value);
    } catch (error) {
      // A value that the agent no longer accepts stays as the agent has it.
      if (!(error instanceof RefusalError)) throw error;
    }
  }
}

/** The model comes first: other options depend on it. */
function inOrder(options: readonly ConfigOption[]): string[] {
  const isModel = ({ category }: ConfigOption) => category === "model";
  return [...options.filter(isModel), ...options.filter((option) => !isModel(option))].map(({ id }) => id);
}

function wantsChange(option: ConfigOption, choices: Choices): boolean {
  const value = choices.get(option.id);
  return value !== undefined && value !== option.currentValue && isOffered(option, value);
}

/** Whether the agent's option has this value. */
export function isOffered(option: ConfigOption, value: string | boolean): boolean {
  if (option.type === "boolean") return typeof value === "boolean";
  return option.options.some((choice) =>
    "group" in choice ? choice.options.some((one) => one.value === value) : choice.value === value,
  );
}
