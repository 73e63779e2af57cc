import { existsSync } from "node:fs";
import { restoreBackup } from "../operations/backup/restore-backup.ts";
import { AlreadyRunningError } from "../operations/instance-lock.ts";
import { directories, explained, stampOf } from "./backup.ts";
import { type CommandLine, wrongUsage } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { print } from "./print.ts";
import { dataDirOf } from "./running-server.ts";

const OPTIONS_OF_FILES = ["yes", "path", "all", "stop"];

/** Two arguments are a session and a checkpoint of its files; one is the folder of a backup. */
export async function restore(line: CommandLine): Promise<ExitCode> {
  if (line.args.length === 2) return (await import("./restore-files.ts")).restoreFiles(line);
  if (OPTIONS_OF_FILES.some((option) => line.has(option) || line.texts(option).length > 0))
    throw wrongUsage(line, "Missing argument: <checkpoint>. List checkpoints with: liminal checkpoints <session>");
  const [backup = ""] = line.args;
  if (!existsSync(backup))
    throw new CliError(
      EXIT.failed,
      `${backup} is not a backup: there is no such folder. To bring files of a session back: liminal restore <session> <checkpoint>`,
      "BACKUP",
    );
  const dataDir = dataDirOf(line.env);
  const stamp = stampOf(new Date().toISOString());
  const { manifest, previous, checkpoints } = await explained(() =>
    stopped(() => restoreBackup({ backup, dataDir, stamp })),
  );
  const { sessions, createdAt } = manifest;
  const more =
    checkpoints === null
      ? ""
      : ` and ${checkpoints.checkpoints} checkpoints of ${directories(checkpoints.vaults)} that were not there`;
  const kept = previous === null ? "" : ` The previous data is in ${previous}`;
  print(
    line,
    { dataDir, sessions, createdAt, previous, ...(checkpoints !== null && { checkpoints: checkpoints.checkpoints }) },
    `Restored ${sessions} sessions${more} (backup of ${createdAt}) to ${dataDir}.${kept}`,
  );
  return EXIT.done;
}

async function stopped<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AlreadyRunningError)) throw error;
    throw new CliError(EXIT.failed, `${error.message} Stop it with: liminal stop. Nothing was changed.`, "RUNNING");
  }
}
