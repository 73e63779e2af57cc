import { join } from "node:path";
import { BackupError, writeBackup } from "../operations/backup/write-backup.ts";
import { VERSION } from "../operations/version.ts";
import type { CommandLine } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { print } from "./print.ts";
import { dataDirOf } from "./running-server.ts";

const FOLDER = "backups";

/** Reads the database itself: a server that runs is not asked, and works on. */
export async function backup(line: CommandLine): Promise<ExitCode> {
  const dataDir = dataDirOf(line.env);
  const now = new Date().toISOString();
  const target = line.args[0] ?? join(dataDir, FOLDER, stampOf(now));
  const { path, bytes, manifest } = await explained(() => writeBackup({ dataDir, target, version: VERSION, now }));
  const { sessions, createdAt } = manifest;
  print(line, { path, bytes, sessions, createdAt }, `Backed up ${sessions} sessions to ${path}`);
  return EXIT.done;
}

/** A time that can stand in a file name. */
export function stampOf(now: string): string {
  return now.slice(0, -1).replaceAll(":", "-");
}

/** What a backup cannot do ends the command with its words. */
export async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BackupError) throw new CliError(EXIT.failed, error.message, "BACKUP");
    throw error;
  }
}
