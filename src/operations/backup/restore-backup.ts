import { copyFileSync, existsSync, linkSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { findForeignActor } from "../../store/database/foreign-schema.ts";
import { findWholeDamage, missingParts, userVersionOf } from "../../store/database/open-database.ts";
import { storageFaultOf } from "../../store/database/storage-watch.ts";
import { SCHEMA_VERSION } from "../../store/migrations.ts";
import { DataDir } from "../data-dir.ts";
import { countHeld } from "../held-agents.ts";
import { InstanceLock } from "../instance-lock.ts";
import { BackupError, type BackupManifest, CONFIG, checkFiles, DATABASE, readManifest } from "./write-backup.ts";

/** What is being brought in, until it is whole. */
const ASIDE = "restoring";
/** What SQLite keeps beside a database. */
const JOURNALS = ["-wal", "-shm"];

interface RestoreRequest {
  readonly backup: string;
  readonly dataDir: string;
  /** Names the folder for what was there before. */
  readonly stamp: string;
}

export interface Restored {
  readonly manifest: BackupManifest;
  /** Where everything is that the backup took the place of; null where there was nothing. */
  readonly previous: string | null;
}

/**
 * Puts a backup in place of what a data directory holds. Everything is checked and copied beside it first; then the
 * database changes in one step, so that at every moment there is the old one or the new one, and the old one is kept.
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
  const dataDir = new DataDir(request.dataDir);
  using _lock = new InstanceLock(dataDir);
  requireNoHeldAgents(dataDir);
  const aside = dataDir.file(ASIDE);
  try {
    rmSync(aside, { recursive: true, force: true });
    mkdirSync(aside, { mode: 0o700 });
    for (const { name } of manifest.files) copyFileSync(join(backup, name), join(aside, name));
    // What was copied is what will be used, so that is what must be sound.
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
    return { manifest, previous: putInPlace(dataDir, aside, manifest, request.stamp) };
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/** It was judged by what the manifest says; if that is not so, the next start would be the first to notice. */
function requireSchema(path: string, schema: number): void {
  using db = new DatabaseSync(path, { readOnly: true });
  const found = userVersionOf(db);
  if (found === schema) return;
  throw new BackupError(
    `The backup's manifest has schema ${schema}, but its database has schema ${found}. Use another backup. Nothing was changed.`,
  );
}

/** A database that lacks a part of its schema opens, and fails in use. */
function requireTables(path: string, schema: number): void {
  using db = new DatabaseSync(path, { readOnly: true });
  const missing = missingParts(db, schema);
  if (missing.length === 0) return;
  throw new BackupError(
    `The backup's database is incomplete: missing ${missing.join(", ")}. Use another backup. Nothing was changed.`,
  );
}

/** They wait for a server that knows what they said. */
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

/** Under two names until the new one takes the first; its journal is folded into it, so that no other database reads it. */
function keepDatabase(path: string, kept: string): void {
  if (foldJournal(path)) {
    keep(path, kept);
    return;
  }
  // Damaged: nothing can be folded, so all of it is moved as it is.
  for (const suffix of ["", ...JOURNALS]) if (existsSync(path + suffix)) renameSync(path + suffix, kept + suffix);
}

/** A second name costs nothing; where the disk knows no such thing, it is a copy. */
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
