import packageJson from "../../package.json" with { type: "json" };
import { asPlainJson } from "../lib/harmless-text.ts";
import { ignore } from "../lib/ignore.ts";
import { type CommandSpec, knownCommand, parseCommandLine } from "./command-line.ts";
import { COMMANDS } from "./command-table.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { helpOf, overview } from "./help.ts";
import { beQuiet, printError } from "./print.ts";
import { Styled, screenOf, type Text } from "./terminal.ts";

const SCREEN = screenOf(process.stdout, process.env);

const [name = "serve", ...words] = process.argv.slice(2);
process.stdout.on("error", (error) => {
  // The reader closed the pipe, like `head`: not a failure.
  if (Reflect.get(error, "code") === "EPIPE") process.exit(EXIT.done);
  throw error;
});
// Losing the notes on stderr is harmless; it does not change how the command ends.
process.stderr.on("error", ignore("there is nowhere else to report it"));
// A command that has not returned has not succeeded, whatever ends it.
process.exitCode = EXIT.failed;
process.once("beforeExit", unfinished);
// Not awaited: a CommonJS bundle of this file has no top-level await.
void main().then((code) => {
  process.off("beforeExit", unfinished);
  // `undefined`: it goes on, and ends well unless it says otherwise.
  process.exitCode = code ?? 0;
});

/** Nothing is left to wait for, and the command has no result: a promise was lost. */
function unfinished(): void {
  const words =
    "The command ended before it had a result. What it started may be running: see liminal ls. Then try again.";
  failed(new CliError(EXIT.failed, words, "UNFINISHED"));
}

async function main(): Promise<number | undefined> {
  if (name === "--help" || name === "-h") return show(overview(COMMANDS, SCREEN));
  if (name === "--version" || name === "-V") return show(`${packageJson.version}\n`);
  try {
    const command = knownCommand(COMMANDS, name);
    if (words.includes("--help") || words.includes("-h")) return show(helpOf(command, SCREEN));
    return await start(command);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return failed(error);
  }
}

async function start(command: CommandSpec): Promise<number | undefined> {
  const line = parseCommandLine(command, words, process.env);
  if (line.has("quiet")) beQuiet();
  const run = await command.load();
  return run(line, COMMANDS);
}

function show(text: Text): ExitCode {
  process.stdout.write(text instanceof Styled ? text.render(SCREEN) : text);
  return EXIT.done;
}

/** Programs get the error where they expect the result; people get it on stderr. */
function failed({ code, message, exitCode }: CliError): ExitCode {
  if (words.includes("--json"))
    process.stdout.write(`${asPlainJson(JSON.stringify({ error: { code, message, exitCode } }))}\n`);
  else printError(message);
  return exitCode;
}
