import packageJson from "../../package.json" with { type: "json" };
import { asPlainJson } from "../lib/harmless-text.ts";
import { ignore } from "../lib/ignore.ts";
import type { CommandSpec } from "./command-spec.ts";
import { COMMANDS, commandNamed } from "./command-table.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { helpOf, overview } from "./help-text.ts";
import { type CommandLine, parseCommandLine, suggestion } from "./parse-command-line.ts";
import { beQuiet, tellFailure } from "./print.ts";
import { Styled, screenOf, type Text } from "./terminal.ts";

const SCREEN = screenOf(process.stdout, process.env);

type Run = (line: CommandLine) => Promise<ExitCode>;

/** Each loaded when it is wanted, and not before: what one command needs, the others do not wait for. */
const RUNS: Readonly<Record<string, () => Promise<Run>>> = {
  run: async () => (await import("./run.ts")).run,
  send: async () => (await import("./send.ts")).send,
  attach: async () => (await import("./attach.ts")).attach,
  cancel: async () => (await import("./cancel.ts")).cancel,
  kill: async () => (await import("./kill.ts")).kill,
  permit: async () => (await import("./permit.ts")).permit,
  ls: async () => (await import("./ls.ts")).ls,
  search: async () => (await import("./search.ts")).search,
  export: async () => (await import("./export.ts")).exportSession,
  logs: async () => (await import("./logs.ts")).logs,
  agents: async () => (await import("./agents.ts")).agents,
  projects: async () => (await import("./projects.ts")).projects,
  "mcp-servers": async () => (await import("./mcp-servers.ts")).mcpServers,
  pair: async () => (await import("./pair.ts")).pair,
  devices: async () => (await import("./devices.ts")).devices,
  open: async () => (await import("./open.ts")).open,
  stop: async () => (await import("./stop.ts")).stop,
  backup: async () => (await import("./backup.ts")).backup,
  restore: async () => (await import("./restore.ts")).restore,
  doctor: async () => (await import("./doctor.ts")).doctor,
  completion: async () => (await import("./completion.ts")).completion,
  help: async () => help,
};

const [name = "serve", ...words] = process.argv.slice(2);
process.stdout.on("error", (error) => {
  // Whoever read us has seen enough, like `head`: not a failure of ours.
  if (Reflect.get(error, "code") === "EPIPE") process.exit(EXIT.done);
  throw error;
});
// What is told beside the result is lost without harm; how the command ends is not changed by it.
process.stderr.on("error", ignore("there is nowhere else to report it"));
process.exitCode = await main();

async function main(): Promise<number | undefined> {
  if (name === "--help" || name === "-h") return show(overview(SCREEN));
  if (name === "--version" || name === "-V") return show(`${packageJson.version}\n`);
  try {
    const command = knownCommand(name);
    if (words.includes("--help") || words.includes("-h")) return show(helpOf(command, SCREEN));
    return await start(command);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return failed(error);
  }
}

/** The server and the MCP bridge read their own words, and run until they are told to end. */
async function start(command: CommandSpec): Promise<number | undefined> {
  if (command.name === "serve") {
    await (await import("./serve.ts")).serve(words);
    return undefined;
  }
  if (command.name === "mcp") {
    await (await import("./mcp.ts")).mcp(words);
    return undefined;
  }
  const line = parseCommandLine(command, words, process.env);
  if (line.has("quiet")) beQuiet();
  const run = await RUNS[command.name]?.();
  if (!run) throw new Error(`the command ${command.name} has no implementation`);
  return run(line);
}

function show(text: Text): ExitCode {
  process.stdout.write(text instanceof Styled ? text.render(SCREEN) : text);
  return EXIT.done;
}

async function help({ args: [about] }: CommandLine): Promise<ExitCode> {
  return show(about === undefined ? overview(SCREEN) : helpOf(knownCommand(about), SCREEN));
}

function knownCommand(typed: string): CommandSpec {
  const command = commandNamed(typed);
  if (command) return command;
  const meant = suggestion(
    typed,
    COMMANDS.map((one) => one.name),
  );
  throw new CliError(EXIT.usage, `Unknown command "${typed}".${meant} Run liminal help for a list.`, "USAGE");
}

/** Programs get the error where they look for the result; people get it beside the result. */
function failed({ code, message, exitCode }: CliError): ExitCode {
  if (words.includes("--json"))
    process.stdout.write(`${asPlainJson(JSON.stringify({ error: { code, message, exitCode } }))}\n`);
  else tellFailure(message);
  return exitCode;
}
