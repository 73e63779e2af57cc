import type { CommandSpec, OptionSpec } from "./command-spec.ts";
import { ACTING_COMMANDS } from "./table/acting-commands.ts";
import { READING_COMMANDS } from "./table/reading-commands.ts";
import { SERVER_COMMANDS } from "./table/server-commands.ts";

/** The one description of the command line: parsing, help and completion are all made from it. */
export const COMMANDS: readonly CommandSpec[] = [...ACTING_COMMANDS, ...READING_COMMANDS, ...SERVER_COMMANDS];

/** Every command has these. */
export const OPTIONS_OF_ALL: readonly OptionSpec[] = [
  { name: "json", help: "print JSON: one object, or one per line where documented" },
  { name: "quiet", short: "q", help: "print only the result and errors" },
  { name: "help", short: "h", help: "show this help" },
];

export function commandNamed(name: string): CommandSpec | undefined {
  return COMMANDS.find((command) => command.name === name);
}
