import { copyFileSync, existsSync, linkSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { findForeignActor } from "../../store/database/foreign-schema.ts";
import { findWholeDamage, missingParts, userVersionOf } from "../../store/database/open-database.ts";
import { storageFaultOf } from "../../store/database/storage-watch.ts";
import { SCHEMA_VERSION } from "../../store/migrations.ts";
import { GitError } from "../../workspace/git/run-git.ts";
import { type UnbundledVaults, unbundleVaults } from "../../workspace/vault-bundles.ts";
import { DataDir } from "../data-dir.ts";
import { countHeld } from "../held-agents.ts";
import { InstanceLock } from "../instance-lock.ts";
import {
  BackupError,
  type BackupManifest,
  CHECKPOINTS,
  CONFIG,
  checkFiles,
  checkListed,
  DATABASE,
  readManifest,
  VAULTS,
} from "./write-backup.ts";

/** The staging folder until the restore is complete. */
const ASIDE = "restoring";
/** Files that SQLite keeps beside a database. */
const JOURNALS = ["-wal", "-shm"];

interface RestoreRequest {
  readonly backup: string;
  readonly dataDir: string;
  /** Names the folder for the previous data. */
  readonly stamp: string;
}

export interface Restored {
  readonly manifest: BackupManifest;
  /** The folder with everything that the backup replaced; null if there was nothing. */
  readonly previous: string | null;
  /** Null when the backup has none. */
  readonly checkpoints: UnbundledVaults | null;
}

/**
 * Replaces the contents of a data directory with a backup. Everything is checked and copied to a staging folder first;
 * then the database changes in one step, so that at every moment the old or the new one exists. The old one is kept.
 */
export async function restoreBackup(request: RestoreRequest): Promise<Restored> {
  try {
    return await checkAndRestore(request);
  } catch (error) {
    if (error instanceof BackupError || !(error instanceof Error)) throw error;
    if (storageFaultOf(error) === null && !("code" in error)) throw error;
    throw new BackupError(`Could not restore the backup to ${request.dataDir}: ${error.message}.`);
  }
}

async function checkAndRestore(request: RestoreRequest): Promise<Restored> {
  const backup = resolve(request.backup);
  const manifest = await readManifest(backup);
  if (manifest.schema > SCHEMA_VERSION)
    throw new BackupError(
      `The backup was made by a newer version of Liminal Builder (schema ${manifest.schema}, this version supports ${SCHEMA_VERSION}). Update first. Nothing was changed.`,
    );
  await checkFiles(backup, manifest);
  await checkListed(join(backup, CHECKPOINTS), manifest.checkpoints ?? []);
  const dataDir = new DataDir(request.dataDir);
  using _lock = new InstanceLock(dataDir);
  requireNoHeldAgents(dataDir);
  const aside = dataDir.file(ASIDE);
  try {
    rmSync(aside, { recursive: true, force: true });
    mkdirSync(aside, { mode: 0o700 });
    for (const { name } of manifest.files) copyFileSync(join(backup, name), join(aside, name));
    // Checks the copies, because those will be used.
    await checkFiles(aside, manifest);
    const damage = findWholeDamage(join(aside, DATABASE));
    if (damage !== null)
      throw new BackupError(`The backup's database is damaged (${damage}). Use another backup. Nothing was changed.`);
    requireSchema(join(aside, DATABASE), manifest.schema);
    requireTables(join(aside, DATABASE), manifest.schema);
    const foreign = findForeignActor(join(aside, DATABASE));
    if (foreign !== null)
      throw new BackupError(
        `The backup's database contains active objects that Liminal Builder never creates (${foreign}). It was tampered with: do not use it. Nothing was changed.`,
      );
    // They are added to the existing ones, so this has no visible effect yet.
    const checkpoints = await restoreCheckpoints(backup, dataDir, manifest);
    return { manifest, previous: putInPlace(dataDir, aside, manifest, request.stamp), checkpoints };
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

async function restoreCheckpoints(
  backup: string,
  dataDir: DataDir,
  { checkpoints }: BackupManifest,
): Promise<UnbundledVaults | null> {
  if (checkpoints === undefined || checkpoints.length === 0) return null;
  const files = checkpoints.map(({ name }) => name);
  try {
    return await unbundleVaults(join(backup, CHECKPOINTS), files, dataDir.file(VAULTS));
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new BackupError(
      `The checkpoints of the backup could not be restored: ${error.message} Sessions and settings were not changed.`,
    );
  }
}

/** The restore was allowed by the manifest's schema; if the file differs, only the next start would notice. */
function requireSchema(path: string, schema: number): void {
  using db = new DatabaseSync(path, { readOnly: true });
  const found = userVersionOf(db);
  if (found === schema) return;
  throw new BackupError(
    `The backup's manifest has schema ${schema}, but its database has schema ${found}. Use another backup. Nothing was changed.`,
  );
}

/** A database without part of its schema opens, and fails in use. */
function requireTables(path: string, schema: number): void {
  using db = new DatabaseSync(path, { readOnly: true });
  const missing = missingParts(db, schema);
  if (missing.length === 0) return;
  throw new BackupError(
    `The backup's database is incomplete: missing ${missing.join(", ")}. Use another backup. Nothing was changed.`,
  );
}

/** Their journals belong to the current database. */
function requireNoHeldAgents(dataDir: DataDir): void {
  if (countHeld(dataDir.path) === 0) return;
  throw new BackupError(
    `Agents of the last run are still running for ${dataDir.path}. Start Liminal Builder, stop it with liminal stop, then restore. Nothing was changed.`,
  );
}

function putInPlace(dataDir: DataDir, aside: string, manifest: BackupManifest, stamp: string): string | null {
  const names = manifest.files.map(({ name }) => name);
  const replaced = names.filter((name) => existsSync(dataDir.file(name)));
  const previous = replaced.length === 0 ? null : dataDir.file(`before-restore-${stamp}`);
  if (previous !== null) {
    mkdirSync(previous, { mode: 0o700 });
    if (replaced.includes(DATABASE)) keepDatabase(dataDir.database, join(previous, DATABASE));
    if (replaced.includes(CONFIG)) copyFileSync(dataDir.file(CONFIG), join(previous, CONFIG));
  }
  for (const name of names) renameSync(join(aside, name), dataDir.file(name));
  return previous;
}

/**
 * Keeps it under two names until the new one takes the first; its journal is merged, so that no other database reads
 * it.
 */
function keepDatabase(path: string, kept: string): void {
  if (foldJournal(path)) {
    keep(path, kept);
    return;
  }
  // Damaged: its journal cannot be merged, so all files are moved.
  for (const suffix of ["", ...JOURNALS]) if (existsSync(path + suffix)) renameSync(path + suffix, kept + suffix);
}

/** A hard link costs nothing; on a disk without hard links it is a copy. */
function keep(path: string, kept: string): void {
  try {
    linkSync(path, kept);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    copyFileSync(path, kept);
  }
}

function foldJournal(path: string): boolean {
  const db = new DatabaseSync(path);
  try {
    db.exec("PRAGMA journal_mode = DELETE");
  } catch (error) {
    if (storageFaultOf(error) !== null) throw error;
    return false;
  } finally {
    db.close();
  }
  return JOURNALS.every((suffix) => !existsSync(path + suffix));
}
