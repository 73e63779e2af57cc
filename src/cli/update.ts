import { BackupError } from "../operations/backup/write-backup.ts";
import { installKind, ownCommands } from "../operations/install/installation.ts";
import { describeService, isInstalled, isRunning } from "../operations/install/service.ts";
import { goBack, UpdateError, update as updateTo } from "../operations/install/update.ts";
import { VERSION } from "../operations/version.ts";
import type { CommandLine } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { print, printNote } from "./print.ts";
import { dataDirOf } from "./running-server.ts";

/** Switches the command to another version, or back. */
export async function update(line: CommandLine): Promise<ExitCode> {
  const { env } = line;
  if (installKind() === "checkout")
    throw new CliError(EXIT.failed, "This is a checkout. Update it with: git pull && npm install");
  if (line.has("back")) {
    const program = await explained(async () => goBack(env));
    print(line, { status: "back", program }, `Back to ${program}. ${await restartWords(line)}`);
    return EXIT.done;
  }
  const commands = ownCommands(env);
  if (commands.length === 0)
    throw new CliError(
      EXIT.failed,
      "No command on PATH starts this program directly, so there is nothing to switch.\nUpdate it with what installed it, for example: npm install -g liminal-builder@latest",
    );
  const source = line.args[0] ?? "latest";
  const { version, program } = await explained(() =>
    updateTo({ source, commands, dataDir: dataDirOf(env), env, onStep: printNote }),
  );
  print(
    line,
    { status: "updated", from: VERSION, version, program, commands },
    `Updated from ${VERSION} to ${version}. ${await restartWords(line)} To go back: liminal update --back`,
  );
  return EXIT.done;
}

/** A running server keeps its version until it is started again. */
async function restartWords({ env }: CommandLine): Promise<string> {
  const service = describeService("", env, process.platform);
  const isService = service !== null && isInstalled(service) && (await isRunning(service, env));
  const start = isService ? service.start.map((command) => command.join(" ")).at(-1) : "liminal serve";
  return `A running server keeps its version until: liminal stop --keep-agents && ${start}.`;
}

async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UpdateError || error instanceof BackupError)
      throw new CliError(EXIT.failed, error.message, "UPDATE");
    throw error;
  }
}
