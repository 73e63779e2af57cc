import { join } from "node:path";
import { BackupError, writeBackup } from "../operations/backup/write-backup.ts";
import { BACKUP_OF_POSTGRES } from "../operations/data-maintenance.ts";
import { VERSION } from "../operations/version.ts";
import type { CommandLine } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { print } from "./print.ts";
import { dataDirOf } from "./running-server.ts";

const FOLDER = "backups";

/** Reads the database itself: a running server is not involved, and keeps working. */
export async function backup(line: CommandLine): Promise<ExitCode> {
  if (line.env["LIMINAL_DATABASE_URL"]) throw new CliError(EXIT.failed, BACKUP_OF_POSTGRES, "BACKUP");
  const dataDir = dataDirOf(line.env);
  const now = new Date().toISOString();
  const target = line.args[0] ?? join(dataDir, FOLDER, stampOf(now));
  const withCheckpoints = line.has("checkpoints");
  const { path, bytes, manifest } = await explained(() =>
    writeBackup({ dataDir, target, version: VERSION, now, withCheckpoints }),
  );
  const { sessions, createdAt, checkpoints } = manifest;
  const more = checkpoints === undefined ? "" : ` and the checkpoints of ${directories(checkpoints.length)}`;
  const vaults = checkpoints?.length;
  print(
    line,
    { path, bytes, sessions, createdAt, ...(vaults !== undefined && { vaults }) },
    `Backed up ${sessions} sessions${more} to ${path}`,
  );
  return EXIT.done;
}

export function directories(count: number): string {
  return count === 1 ? "1 directory" : `${count} directories`;
}

/** A time for a file name. */
export function stampOf(now: string): string {
  return now.slice(0, -1).replaceAll(":", "-");
}

/** A backup error ends the command with its message. */
export async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BackupError) throw new CliError(EXIT.failed, error.message, "BACKUP");
    throw error;
  }
}
