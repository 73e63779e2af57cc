import { restoreBackup } from "../operations/backup/restore-backup.ts";
import { AlreadyRunningError } from "../operations/instance-lock.ts";
import { explained, stampOf } from "./backup.ts";
import type { CommandLine } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { print } from "./print.ts";
import { dataDirOf } from "./running-server.ts";

export async function restore(line: CommandLine): Promise<ExitCode> {
  const dataDir = dataDirOf(line.env);
  const stamp = stampOf(new Date().toISOString());
  const { manifest, previous } = await explained(() =>
    stopped(() => restoreBackup({ backup: line.args[0] ?? "", dataDir, stamp })),
  );
  const { sessions, createdAt } = manifest;
  const kept = previous === null ? "" : ` The previous data is in ${previous}`;
  print(
    line,
    { dataDir, sessions, createdAt, previous },
    `Restored ${sessions} sessions (backup of ${createdAt}) to ${dataDir}.${kept}`,
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
