import { existsSync, lstatSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { DATABASE } from "../operations/backup/write-backup.ts";
import { installKind, ownCommands, readUpdates, versionsFolder } from "../operations/install/installation.ts";
import { describeService, isInstalled, removeService, runAll } from "../operations/install/service.ts";
import { PROGRAM_DIR } from "../operations/own-program.ts";
import type { CommandLine } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { print } from "./print.ts";
import { dataDirOf } from "./running-server.ts";
import { endServer } from "./stop.ts";

interface Plan {
  readonly removes: readonly string[];
  readonly stays: readonly string[];
}

/** Removes our installation, and lists what remains. Data is only removed on request. */
export async function uninstall(line: CommandLine): Promise<ExitCode> {
  const { env } = line;
  const dataDir = dataDirOf(env);
  const takesData = line.has("data");
  const plan = planOf(line, dataDir, takesData);
  const list = (title: string, paths: readonly string[]) => [title, ...paths.map((path) => `  ${path}`)];
  const words = [
    ...(plan.removes.length === 0 ? ["There is nothing of ours to remove."] : list("Removes:", plan.removes)),
    ...list("Stays:", plan.stays),
  ];
  if (!line.has("yes")) {
    print(
      line,
      { status: "preview", ...plan },
      [...words, "Nothing was changed. Do it with: liminal uninstall --yes"].join("\n"),
    );
    return EXIT.done;
  }
  if (takesData) requireDataDir(dataDir, env);
  // Before the service is gone: it would be started again only after a crash.
  await endServer(env, false);
  await removeServiceOf(line);
  removeProgram(line);
  if (takesData) rmSync(dataDir, { recursive: true, force: true });
  print(line, { status: "uninstalled", ...plan }, [...words, "Done."].join("\n"));
  return EXIT.done;
}

/** A wrong LIMINAL_DATA_DIR must not delete other files. */
function requireDataDir(dataDir: string, env: CommandLine["env"]): void {
  const home = env["HOME"] || homedir();
  if (`${home}/`.startsWith(`${dataDir}/`) || !existsSync(join(dataDir, DATABASE)))
    throw new CliError(
      EXIT.failed,
      `${dataDir} is no data directory of ours. Nothing was changed. Check LIMINAL_DATA_DIR.`,
    );
}

function planOf({ env }: CommandLine, dataDir: string, takesData: boolean): Plan {
  const service = describeService("", env, process.platform);
  const versions = versionsFolder(env);
  const data = `${dataDir} (your sessions, settings and installed agents)`;
  const removes = [
    ...(service && isInstalled(service) ? [`${service.path} (the service)`] : []),
    ...(existsSync(versions) ? [`${dirname(versions)} (versions of updates)`] : []),
    ...(installKind() === "executable" ? executables({ env }) : []),
    ...(takesData ? [data] : []),
  ];
  const stays = [
    ...(takesData ? [] : [`${data}; remove it with --data`]),
    ...(installKind() === "executable" ? [] : [programWords()]),
    "your projects and their worktrees",
  ];
  return { removes, stays };
}

function programWords(): string {
  return installKind() === "checkout"
    ? `${PROGRAM_DIR} (this checkout)`
    : "the package liminal-builder; remove it with what installed it, for example: npm uninstall -g liminal-builder";
}

/** The commands, or the file itself where it is not on PATH. */
function executables({ env }: Pick<CommandLine, "env">): readonly string[] {
  const commands = ownCommands(env);
  return commands.length > 0 ? commands : [process.execPath];
}

async function removeServiceOf({ env }: CommandLine): Promise<void> {
  const service = describeService("", env, process.platform);
  if (!service || !isInstalled(service)) return;
  await runAll(service.stop, env);
  removeService(service);
}

/** Commands that an update has switched start again what they started before the first one. */
function removeProgram(line: CommandLine): void {
  const updates = readUpdates(line.env);
  const isExecutable = installKind() === "executable";
  const gone = isExecutable ? executables(line) : [];
  const first = updates?.first ?? null;
  for (const command of updates?.commands ?? []) {
    if (first !== null && existsSync(first)) {
      const aside = `${command}.${process.pid}`;
      symlinkSync(first, aside);
      renameSync(aside, command);
    } else if (lstatSync(command, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(command);
  }
  for (const command of gone) if (first === null) rmSync(command, { force: true });
  const versions = versionsFolder(line.env);
  if (existsSync(versions)) rmSync(dirname(versions), { recursive: true, force: true });
}
