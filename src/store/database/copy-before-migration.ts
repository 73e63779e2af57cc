import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";

/** Older ones are deleted: each is as large as all data at that time. */
const COPIES_KEPT_MAX = 3;

/** The database could not be copied, so it was not changed. */
export class NoCopyError extends Error {
  override readonly name = "NoCopyError";
}

/** Copies the database, for a return to the version that wrote it. Returns the path; nothing else may write meanwhile. */
export function copyBeforeMigration(db: DatabaseSync, path: string, version: number): string {
  const copy = `${path}.schema-${version}`;
  try {
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    copyFileSync(path, `${copy}.partial`, constants.COPYFILE_FICLONE);
    chmodSync(`${copy}.partial`, 0o600);
    reachDisk(`${copy}.partial`);
    renameSync(`${copy}.partial`, copy);
  } catch (error) {
    rmSync(`${copy}.partial`, { force: true });
    if (!(error instanceof Error)) throw error;
    throw new NoCopyError(
      `${path} must be migrated, but it could not be copied first (${error.message}). Free some space and restart. Nothing was changed.`,
    );
  }
  dropOldCopies(path);
  return copy;
}

/** Flushed before the database is changed: otherwise a power loss could destroy both. */
function reachDisk(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function dropOldCopies(path: string): void {
  const prefix = `${basename(path)}.schema-`;
  const copies = readdirSync(dirname(path))
    .filter((name) => name.startsWith(prefix))
    .map((name) => ({ at: join(dirname(path), name), version: Number(name.slice(prefix.length)) }))
    .filter(({ version }) => Number.isInteger(version))
    .map((copy) => ({ ...copy, madeAtMs: statSync(copy.at).mtimeMs }))
    .sort((one, other) => other.madeAtMs - one.madeAtMs || other.version - one.version);
  for (const { at } of copies.slice(COPIES_KEPT_MAX)) rmSync(at, { force: true });
}
