import type { SlashCommand } from "../../../protocol/session-parts.ts";

const SHOWN_COMMANDS_MAX = 50;

/** Commands for what is typed: those whose name begins so, then those that hold it, then those that speak of it. */
export function filterCommands(commands: readonly SlashCommand[], query: string): readonly SlashCommand[] {
  const words = query.toLowerCase();
  const rank = ({ name, description }: SlashCommand): number => {
    const place = name.toLowerCase().indexOf(words);
    if (place === 0) return 0;
    if (place > 0) return 1;
    return words.length > 1 && description.toLowerCase().includes(words) ? 2 : 3;
  };
  return [0, 1, 2]
    .flatMap((wanted) => commands.filter((command) => rank(command) === wanted))
    .slice(0, SHOWN_COMMANDS_MAX);
}
