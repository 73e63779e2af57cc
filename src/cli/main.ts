import packageJson from "../../package.json" with { type: "json" };
import { asPlainJson } from "../lib/harmless-text.ts";
import { ignore } from "../lib/ignore.ts";
import { type CommandSpec, knownCommand, parseCommandLine } from "./command-line.ts";
import { COMMANDS } from "./command-table.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { helpOf, overview } from "./help.ts";
import { beQuiet, tellFailure } from "./print.ts";
import { Styled, screenOf, type Text } from "./terminal.ts";

const SCREEN = screenOf(process.stdout, process.env);

const [name = "serve", ...words] = process.argv.slice(2);
process.stdout.on("error", (error) => {
  // Whoever read us has seen enough, like `head`: not a failure of ours.
  if (Reflect.get(error, "code") === "EPIPE") process.exit(EXIT.done);
  throw error;
});
// What is told beside the result is lost without harm; how the command ends is not changed by it.
process.stderr.on("error", ignore("there is nowhere else to report it"));
// Not awaited: a CommonJS bundle of this file has no top-level await.
void main().then((code) => {
  process.exitCode = code;
});

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

/** Programs get the error where they look for the result; people get it beside the result. */
function failed({ code, message, exitCode }: CliError): ExitCode {
  if (words.includes("--json"))
    process.stdout.write(`${asPlainJson(JSON.stringify({ error: { code, message, exitCode } }))}\n`);
  else tellFailure(message);
  return exitCode;
}
