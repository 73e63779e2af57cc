import { parseArgs } from "node:util";
import { nearestWord } from "../lib/nearest-word.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { type Screen, screenOf } from "./terminal.ts";

/** What completion offers: fixed words, or a lookup by the program. */
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
  /** The placeholder of its value; without it the option is a switch. */
  readonly value?: string;
  /** The placeholder of a value that may be left out; one that is given follows an equals sign. */
  readonly optionalValue?: string;
  /** The only allowed values. */
  readonly choices?: readonly string[];
  /** What completion offers; the choices if there are any. */
  readonly offer?: Offer;
  /** It may be given several times. */
  readonly isRepeatable?: true;
  readonly help: string;
}

export function offerOf({ choices, offer }: OptionSpec): Offer {
  return choices ?? offer ?? "files";
}

export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  /** The arguments, as shown in help. */
  readonly args: string;
  readonly argsMin: number;
  readonly argsMax: number;
  /** What completion offers for the arguments, in order; the last one applies to all after it. */
  readonly offers: readonly Offer[];
  readonly options: readonly OptionSpec[];
  /** Details beyond the summary. */
  readonly notes?: readonly string[];
  /** What `--json` prints; null if there is nothing to print. */
  readonly json: string | null;
  readonly examples: readonly string[];
  /** Loads the command on use, so that no command waits for the code of another. */
  readonly load: () => Promise<Run>;
  /** It works on this machine's data or processes, so it cannot use a server elsewhere. */
  readonly isLocal?: true;
  /** It parses its own arguments, and runs until the process is stopped. */
  readonly parsesItself?: true;
}

export type Run = (line: CommandLine, commands: readonly CommandSpec[]) => Promise<ExitCode | undefined>;

/** Options of every command. */
export const OPTIONS_OF_ALL: readonly OptionSpec[] = [
  { name: "json", help: "print JSON: one object, or one per line where documented" },
  { name: "quiet", short: "q", help: "print only the result and errors" },
  {
    name: "host",
    value: "address",
    offer: "nothing",
    help: "use a server elsewhere, for example https://box:3000, with LIMINAL_TOKEN as its token",
  },
  { name: "help", short: "h", help: "show this help" },
];

/** All options of a command; its own go before those of every command. */
export function optionsOf({ options, isLocal }: CommandSpec): readonly OptionSpec[] {
  const own = new Set(options.map(({ name }) => name));
  return [...options, ...OPTIONS_OF_ALL.filter(({ name }) => !own.has(name) && !(isLocal && name === "host"))];
}

export function usageOf({ name, args }: CommandSpec): string {
  return ["liminal", name, args, "[options]"].filter((word) => word !== "").join(" ");
}

export function knownCommand(commands: readonly CommandSpec[], typed: string): CommandSpec {
  const command = commands.find(({ name }) => name === typed);
  if (command) return command;
  if (typed.startsWith("-")) {
    const words = `The command comes first, then its options: liminal ls ${typed}. Run liminal help for a list.`;
    throw new CliError(EXIT.usage, words, "USAGE");
  }
  const meant = suggestion(
    typed,
    commands.map(({ name }) => name),
  );
  throw new CliError(EXIT.usage, `Unknown command "${typed}".${meant} Run liminal help for a list.`, "USAGE");
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** A parsed command with its environment. */
export interface CommandLine {
  readonly command: CommandSpec;
  /** Everything after the command's name, unparsed. */
  readonly words: readonly string[];
  readonly args: readonly string[];
  readonly json: boolean;
  readonly env: Environment;
  /** Where the result is shown. */
  readonly screen: Screen;
  /** The value of an option; undefined if it was not given. */
  text(option: string): string | undefined;
  /** The values of an option that may be given several times. */
  texts(option: string): readonly string[];
  has(option: string): boolean;
}

/** Parses the arguments of a command by its row in the table. */
export function parseCommandLine(command: CommandSpec, words: readonly string[], env: Environment): CommandLine {
  const screen = screenOf(process.stdout, env);
  if (command.parsesItself)
    return {
      command,
      words,
      args: words,
      json: false,
      env,
      screen,
      text: () => undefined,
      texts: () => [],
      has: () => false,
    };
  const specs = [...command.options, ...OPTIONS_OF_ALL];
  const options = Object.fromEntries(
    specs.map(({ name, short, value, optionalValue, isRepeatable = false }) => [
      name,
      {
        type: (value ?? optionalValue) === undefined ? ("boolean" as const) : ("string" as const),
        multiple: isRepeatable,
        ...(short && { short }),
      },
    ]),
  );
  const withoutValue = new Map(
    specs.flatMap(({ name, optionalValue }) => (optionalValue === undefined ? [] : [[`--${name}`, `--${name}=`]])),
  );
  const { values, positionals } = parsed(command, () =>
    parseArgs({
      args: words.map((word) => withoutValue.get(word) ?? word),
      options,
      allowPositionals: true,
      strict: true,
    }),
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
  const host = values["host"];
  if (typeof host === "string" && command.isLocal)
    throw misused(command, `--host: ${command.name} works on this machine only. Run it there.`);
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
    env: typeof host === "string" ? { ...env, LIMINAL_SERVER: host } : env,
    screen,
    text: (option) => {
      const value = values[option];
      return typeof value === "string" ? value : undefined;
    },
    texts: (option) => [values[option] ?? []].flat().filter((value) => typeof value === "string"),
    has: (option) => values[option] === true || typeof values[option] === "string",
  };
}

/** The arguments as in help, one by one: `<session>`, `<message | ->`. */
function argumentNames({ args }: CommandSpec): readonly string[] {
  return args.match(ARGUMENT) ?? [];
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
    const given = error instanceof TypeError ? /--(\S+) <value>' argument missing/.exec(error.message)?.[1] : undefined;
    const option = [...command.options, ...OPTIONS_OF_ALL].find(({ name }) => name === given);
    if (option?.value !== undefined) throw misused(command, `--${option.name} needs a value: <${option.value}>.`);
    // Bun's second sentence is about "--", and ends in the middle.
    if (error instanceof TypeError && "code" in error)
      throw misused(command, error.message.replace(/\. To specify .*/s, "."));
    throw error;
  }
}

function inWords(choices: readonly string[]): string {
  return `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
}

/** " Did you mean …?", if a known word is similar. */
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

/** The value of an option as a whole number of at least 1. */
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
  const [verb = "", ...given] = line.args;
  if (!known.includes(verb) && verb !== "")
    return wrongUsage(line, `Unknown subcommand "${verb}".${suggestion(verb, known)}`);
  const wanted = argumentsOf(line.command, verb);
  const [missing, extra] = [wanted[given.length], given[wanted.length]];
  if (missing?.startsWith("<")) return wrongUsage(line, `Missing argument: ${missing}.`);
  return wrongUsage(line, extra === undefined ? `Wrong arguments for "${verb}".` : `Unexpected argument "${extra}".`);
}

const ARGUMENT = /<[^>]*>|\[[^\]]*\]/g;

/** The arguments of a subcommand as in help, where several may share those of the last: `enable | disable <name>`. */
function argumentsOf({ args }: CommandSpec, verb: string): readonly string[] {
  const ways = args.slice(1, -1).split(/ \| (?![^<]*>)/);
  const from = ways.slice(ways.findIndex((way) => way.split(" ")[0] === verb));
  const way = verb === "list" ? undefined : from.find((one) => one.includes(" "));
  return way?.match(ARGUMENT) ?? [];
}
