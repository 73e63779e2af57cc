import { parseArgs } from "node:util";
import { nearestWord } from "../lib/nearest-word.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { type Screen, screenOf } from "./terminal.ts";

/** What completion offers in a place: words of its own, or what the program looks up. */
export type Offer =
  | readonly string[]
  | "files"
  | "directories"
  | "agents"
  | "sessions"
  | "devices"
  | "requests"
  | "commands"
  | "nothing";

export interface OptionSpec {
  readonly name: string;
  readonly short?: string;
  /** What stands after it, in words; without it the option is a switch. */
  readonly value?: string;
  /** The only values it takes. */
  readonly choices?: readonly string[];
  /** What completion offers; the choices where it has some. */
  readonly offer?: Offer;
  readonly help: string;
}

export function offerOf({ choices, offer }: OptionSpec): Offer {
  return choices ?? offer ?? "files";
}

export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  /** What follows the name, as help shows it. */
  readonly args: string;
  readonly argsMin: number;
  readonly argsMax: number;
  /** What completion offers for the arguments, in order; the last one counts for all after it. */
  readonly offers: readonly Offer[];
  readonly options: readonly OptionSpec[];
  /** More than the summary says: what happens when. */
  readonly notes?: readonly string[];
  /** What `--json` prints; null where there is nothing to print. */
  readonly json: string | null;
  readonly examples: readonly string[];
  /** Loads the command when it is used, so that no command waits for the code of another. */
  readonly load: () => Promise<Run>;
  /** It parses its own words, and runs until the process is stopped. */
  readonly parsesItself?: true;
}

export type Run = (line: CommandLine, commands: readonly CommandSpec[]) => Promise<ExitCode | undefined>;

/** Options of every command. */
export const OPTIONS_OF_ALL: readonly OptionSpec[] = [
  { name: "json", help: "print JSON: one object, or one per line where documented" },
  { name: "quiet", short: "q", help: "print only the result and errors" },
  { name: "help", short: "h", help: "show this help" },
];

export function usageOf({ name, args }: CommandSpec): string {
  return ["liminal", name, args, "[options]"].filter((word) => word !== "").join(" ");
}

export function knownCommand(commands: readonly CommandSpec[], typed: string): CommandSpec {
  const command = commands.find(({ name }) => name === typed);
  if (command) return command;
  const meant = suggestion(
    typed,
    commands.map(({ name }) => name),
  );
  throw new CliError(EXIT.usage, `Unknown command "${typed}".${meant} Run liminal help for a list.`, "USAGE");
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** One command as it was typed, with what it may look at. */
export interface CommandLine {
  readonly command: CommandSpec;
  /** Everything after the command's name, as it was typed. */
  readonly words: readonly string[];
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
  const screen = screenOf(process.stdout, env);
  if (command.parsesItself)
    return { command, words, args: words, json: false, env, screen, text: () => undefined, has: () => false };
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
    command,
    words,
    args: positionals,
    json: values["json"] === true,
    env,
    screen,
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

function misused(command: CommandSpec, problem: string): CliError {
  const more = `Usage: ${usageOf(command)}\nMore: liminal ${command.name} --help`;
  return new CliError(EXIT.usage, `${problem}\n${more}`, "USAGE");
}

/** For a command that finds a mistake in its own arguments. */
export function wrongUsage({ command }: CommandLine, problem: string): CliError {
  return misused(command, problem);
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

/** For an unknown subcommand, or one with too many or too few arguments. */
export function wrongSubcommand(line: CommandLine, known: readonly string[]): CliError {
  const [verb = "", , extra] = line.args;
  if (!known.includes(verb) && verb !== "")
    return wrongUsage(line, `Unknown subcommand "${verb}".${suggestion(verb, known)}`);
  return wrongUsage(line, extra === undefined ? `Wrong arguments for "${verb}".` : `Unexpected argument "${extra}".`);
}
