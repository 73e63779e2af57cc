import { parseArgs } from "node:util";
import { nearestWord } from "../lib/nearest-word.ts";
import type { CommandSpec } from "./command-spec.ts";
import { commandNamed, OPTIONS_OF_ALL } from "./command-table.ts";
import { CliError, EXIT } from "./exit-codes.ts";
import { usageOf } from "./help-text.ts";
import { type Screen, screenOf } from "./terminal.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** One command as it was typed, with what it may look at. */
export interface CommandLine {
  readonly args: readonly string[];
  readonly json: boolean;
  readonly env: Environment;
  /** Where the result is shown. */
  readonly screen: Screen;
  /** The value of an option; undefined where it was not given. */
  text(option: string): string | undefined;
  has(option: string): boolean;
}

/** Reads the words after the command's name by its row in the table. */
export function parseCommandLine(command: CommandSpec, words: readonly string[], env: Environment): CommandLine {
  const specs = [...command.options, ...OPTIONS_OF_ALL];
  const options = Object.fromEntries(
    specs.map(({ name, short, value }) => [
      name,
      { type: value === undefined ? ("boolean" as const) : ("string" as const), ...(short && { short }) },
    ]),
  );
  const { values, positionals } = parsed(command, () =>
    parseArgs({ args: [...words], options, allowPositionals: true, strict: true }),
  );
  for (const { name, choices } of specs) {
    const value = values[name];
    if (choices && typeof value === "string" && !choices.includes(value))
      throw misused(
        command,
        `Invalid value "${value}" for --${name}: expected ${inWords(choices)}.${suggestion(value, choices)}`,
      );
  }
  const isHelp = values["help"] === true;
  const { argsMin, argsMax } = command;
  if (!isHelp && (positionals.length < argsMin || positionals.length > argsMax))
    throw misused(
      command,
      positionals.length < argsMin
        ? `Missing argument: ${argumentNames(command)[positionals.length] ?? command.args}.`
        : `Unexpected argument "${positionals[argsMax]}".`,
    );
  return {
    args: positionals,
    json: values["json"] === true,
    env,
    screen: screenOf(process.stdout, env),
    text: (option) => {
      const value = values[option];
      return typeof value === "string" ? value : undefined;
    },
    has: (option) => values[option] === true,
  };
}

/** The arguments as help shows them, one by one: `<session>`, `<message | ->`. */
function argumentNames({ args }: CommandSpec): readonly string[] {
  return args.match(/<[^>]*>|\[[^\]]*\]/g) ?? [];
}

function parsed<Result>(command: CommandSpec, parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    const unknown = error instanceof TypeError ? /^Unknown option '(--?[^']+)'/.exec(error.message)?.[1] : undefined;
    if (unknown !== undefined) {
      const known = [...command.options, ...OPTIONS_OF_ALL].map(({ name }) => `--${name}`);
      throw misused(command, `Unknown option ${unknown}.${suggestion(unknown, known)}`);
    }
    // Bun's second sentence is about "--", and ends in the middle.
    if (error instanceof TypeError && "code" in error)
      throw misused(command, error.message.replace(/\. To specify .*/s, "."));
    throw error;
  }
}

function inWords(choices: readonly string[]): string {
  return `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
}

/** " Did you mean …?", where something known is close to what was typed. */
export function suggestion(typed: string, known: readonly string[]): string {
  const meant = nearestWord(typed, known);
  return meant === null ? "" : ` Did you mean ${meant}?`;
}

export function misused(command: CommandSpec, problem: string): CliError {
  const more = `Usage: ${usageOf(command)}\nMore: liminal ${command.name} --help`;
  return new CliError(EXIT.usage, `${problem}\n${more}`, "USAGE");
}

/** A whole number of at least 1, as an option has it. */
export function countOf(line: CommandLine, option: string, fallback: number): number {
  const text = line.text(option);
  if (text === undefined) return fallback;
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1) return count;
  throw new CliError(
    EXIT.usage,
    `Invalid value "${text}" for --${option}: expected a whole number of at least 1.`,
    "USAGE",
  );
}

/** For an unknown word, or one too many or too few, after a command with subcommands. */
export function misusedSubcommand(name: string, line: CommandLine, known: readonly string[]): CliError {
  const [verb = "", , extra] = line.args;
  if (!known.includes(verb) && verb !== "")
    return misusedNamed(name, `Unknown subcommand "${verb}".${suggestion(verb, known)}`);
  return misusedNamed(name, extra === undefined ? `Wrong arguments for "${verb}".` : `Unexpected argument "${extra}".`);
}

/** For a command that finds out by itself that its words make no sense. */
export function misusedNamed(name: string, problem: string): CliError {
  const command = commandNamed(name);
  return command ? misused(command, problem) : new CliError(EXIT.usage, problem, "USAGE");
}
