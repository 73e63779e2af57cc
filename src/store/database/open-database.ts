import { closeSync, copyFileSync, existsSync, openSync, readFileSync, renameSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { MIGRATIONS } from "../migrations.ts";
import { copyBeforeMigration } from "./copy-before-migration.ts";
import type * as Salvaging from "./salvage.ts";
import type { Salvage } from "./salvage.ts";
import { BUSY_TIMEOUT_MS, rollBack } from "./transaction.ts";
import { WatchedDatabase } from "./watched-database.ts";

/** Loaded with a damaged database, in that step (decision 149). */
const LATER = {
  salvage: (): typeof Salvaging => require("./salvage.ts"),
};

/** Above this size only the schema is checked at start: reading every page would cost the user seconds. */
const QUICK_CHECK_BYTES_MAX = 32 * 1024 * 1024;

/** The database was written by a newer program; opening it could damage it. */
export class NewerDatabaseError extends Error {
  override readonly name = "NewerDatabaseError";

  constructor(path: string, found: number) {
    super(
      `The database ${path} was made by a newer version of Liminal Builder (schema ${found}, this version supports ${MIGRATIONS.length}). ` +
        "Update Liminal Builder, set LIMINAL_DATA_DIR to another directory, or go back to the copy made before the update " +
        "(docs/upgrading.md). Nothing was changed.",
    );
  }
}

export interface OpenedDatabase {
  readonly db: WatchedDatabase;
  /** Where a damaged database was moved, if it was. */
  readonly movedAside: string | null;
  /** What was copied from it; null if nothing could be read. */
  readonly salvage: Salvage | null;
  /** A copy of what was found, when the end of the write-ahead log was damaged and changes are missing. */
  readonly damagedCopy: string | null;
  /** The copy from before the migration, if there was one. */
  readonly copiedTo: string | null;
  /** True when the database did not exist before. */
  readonly created: boolean;
}

/**
 * Opens, checks and migrates. A damaged file is moved aside completely, never overwritten, and its readable data is
 * copied.
 */
export function openDatabase(path: string, stamp: string): OpenedDatabase {
  const existed = existsSync(path) && statSync(path).size > 0;
  if (existed) {
    const damage = findDamage(path);
    if (damage) {
      const movedAside = moveAside(path, stamp);
      const salvage = LATER.salvage().salvageDatabase(movedAside, path, MIGRATIONS, isDamage, stamp);
      return { ...prepare(path), movedAside, salvage, damagedCopy: null, created: salvage === null };
    }
  }
  const damagedCopy = existed && isWalDamaged(`${path}-wal`) ? copyAside(path, stamp) : null;
  return { ...prepare(path), movedAside: null, salvage: null, damagedCopy, created: !existed };
}

/** Checks what opening it would find, without changing or moving anything. */
export function inspectDatabase(path: string): { readonly damage: string | null; readonly version: number } {
  const damage = findDamage(path);
  if (damage !== null) return { damage, version: 0 };
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    return { damage: null, version: userVersionOf(db) };
  } finally {
    db.close();
  }
}

function prepare(path: string): Pick<OpenedDatabase, "db" | "copiedTo"> {
  // SQLite would create it readable to everyone, and creates the files beside it with the same mode.
  closeSync(openSync(path, "a", 0o600));
  const db = new WatchedDatabase(path);
  try {
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    const found = userVersionOf(db);
    if (found > MIGRATIONS.length) throw new NewerDatabaseError(path, found);
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;");
    const isOlder = found > 0 && found < MIGRATIONS.length;
    const copiedTo = isOlder ? copyBeforeMigration(db, path, found) : null;
    migrate(db, found);
    return { db, copiedTo };
  } catch (error) {
    db.close();
    throw error;
  }
}

function migrate(db: DatabaseSync, from: number): void {
  for (let version = from; version < MIGRATIONS.length; version++) {
    db.exec("BEGIN IMMEDIATE");
    try {
      db.exec(MIGRATIONS[version] ?? "");
      db.exec(`PRAGMA user_version = ${version + 1}`);
      db.exec("COMMIT");
    } catch (error) {
      rollBack(db);
      throw error;
    }
  }
}

/** Tables and columns that a database of this schema has and this one lacks. */
export function missingParts(db: DatabaseSync, schema: number): readonly string[] {
  using whole = new DatabaseSync(":memory:");
  for (const step of MIGRATIONS.slice(0, schema)) whole.exec(step);
  const partsOf = (from: DatabaseSync) =>
    from
      .prepare(
        `SELECT sqlite_master.name AS "table", info.name AS "column" FROM sqlite_master, pragma_table_info(sqlite_master.name) AS info
         WHERE sqlite_master.type = 'table' AND sqlite_master.name NOT LIKE 'sqlite_%'`,
      )
      .all()
      .map(({ table, column }) => `${String(table)}.${String(column)}`);
  const found = new Set(partsOf(db));
  const tables = new Set([...found].map((part) => part.split(".")[0]));
  const missing = partsOf(whole).filter((part) => !found.has(part));
  const nameOf = (part: string) => (tables.has(part.split(".")[0]) ? `column ${part}` : `table ${part.split(".")[0]}`);
  return [...new Set(missing.map(nameOf))];
}

/** The schema that the database has. */
export function userVersionOf(db: DatabaseSync): number {
  return Number(db.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
}

/**
 * SQLite's description of the damage, or null. Only damage counts: a locked file or a full disk is no reason to move
 * data.
 * Opened read-only: a damaged or newer file, and its journal, stay byte for byte the same.
 */
function findDamage(path: string): string | null {
  let db: DatabaseSync | null = null;
  try {
    db = new DatabaseSync(path, { readOnly: true });
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    db.prepare("SELECT count(*) AS tables FROM sqlite_master").get();
    const found = userVersionOf(db);
    if (found > MIGRATIONS.length) throw new NewerDatabaseError(path, found);
    if (statSync(path).size > QUICK_CHECK_BYTES_MAX) return null;
    const verdict = String(db.prepare("PRAGMA quick_check(1)").get()?.["quick_check"] ?? "no answer");
    return verdict === "ok" ? null : verdict;
  } catch (error) {
    if (isDamage(error)) return String(error);
    throw error;
  } finally {
    db?.close();
  }
}

const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

function isDamage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code: unknown = Reflect.get(error, "errcode");
  if (typeof code === "number") return (code & 0xff) === SQLITE_CORRUPT || (code & 0xff) === SQLITE_NOTADB;
  return /malformed|not a database/.test(error.message);
}

/** Reads every page and index, however long that takes; returns the problem, or null. */
export function findWholeDamage(path: string): string | null {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const verdict = String(db.prepare("PRAGMA integrity_check(1)").get()?.["integrity_check"] ?? "no answer");
    return verdict === "ok" ? null : verdict;
  } catch (error) {
    if (isDamage(error)) return String(error);
    throw error;
  } finally {
    db.close();
  }
}

function moveAside(path: string, stamp: string): string {
  return setAside(path, stamp, renameSync);
}

/** Opening it applies the valid part and drops the rest, so it is copied first. */
function copyAside(path: string, stamp: string): string {
  return setAside(path, stamp, copyFileSync);
}

function setAside(path: string, stamp: string, put: (from: string, to: string) => void): string {
  const target = `${path}.damaged-${stamp}`;
  for (const suffix of ["", "-wal", "-shm"]) {
    if (existsSync(path + suffix)) put(path + suffix, target + suffix);
  }
  return target;
}

/** Larger ones, which only a huge transaction creates, are left to SQLite: reading them would take seconds. */
const WAL_BYTES_MAX = 64 * 1024 * 1024;
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;

/**
 * True if committed changes are lost. SQLite reads a write-ahead log up to the first invalid frame and silently drops
 * the rest. That is right for a transaction that was being written, and wrong for transactions
 * after a damaged position: a frame with this log's salt that ends a transaction, after an invalid one.
 */
export function isWalDamaged(path: string): boolean {
  if (!existsSync(path)) return false;
  const { size } = statSync(path);
  if (size < HEADER_BYTES + FRAME_HEADER_BYTES || size > WAL_BYTES_MAX) return false;
  return hasLostCommits(readFileSync(path));
}

type Sum = readonly [number, number];

function hasLostCommits(bytes: Buffer): boolean {
  const magic = bytes.readUInt32BE(0);
  const pageBytes = bytes.readUInt32BE(8);
  // A log that was never started is empty; one with a wrong header is not.
  if (magic === 0 && pageBytes === 0) return false;
  const isBigEndian = magic === MAGIC + 1;
  if ((magic !== MAGIC && !isBigEndian) || pageBytes < 512 || pageBytes > 65_536) return true;
  const read = (place: number) => (isBigEndian ? bytes.readUInt32BE(place) : bytes.readUInt32LE(place));
  let sum = checksum(read, 0, 24, [0, 0]);
  if (!isSum(bytes, 24, sum)) return true;
  const frameBytes = FRAME_HEADER_BYTES + pageBytes;
  let isBroken = false;
  for (let frame = HEADER_BYTES; frame + frameBytes <= bytes.byteLength; frame += frameBytes) {
    const isOurs = bytes.compare(bytes, 16, 24, frame + 8, frame + 16) === 0;
    const isCommit = bytes.readUInt32BE(frame + 4) !== 0;
    if (isBroken && isOurs && isCommit) return true;
    if (isBroken) continue;
    sum = checksum(read, frame + FRAME_HEADER_BYTES, pageBytes, checksum(read, frame, 8, sum));
    isBroken = !isOurs || !isSum(bytes, frame + 16, sum);
  }
  return false;
}

function isSum(bytes: Buffer, place: number, [first, second]: Sum): boolean {
  return bytes.readUInt32BE(place) === first && bytes.readUInt32BE(place + 4) === second;
}

/** As in the SQLite file format. */
function checksum(read: (place: number) => number, from: number, length: number, start: Sum): Sum {
  let [first, second] = start;
  for (let place = from; place < from + length; place += 8) {
    first = (first + read(place) + second) >>> 0;
    second = (second + read(place + 4) + first) >>> 0;
  }
  return [first, second];
}
