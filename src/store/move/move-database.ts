import { chmodSync } from "node:fs";
import { hostname } from "node:os";
import { DatabaseSync } from "node:sqlite";
import { SessionId } from "../../protocol/ids.ts";
import { openDatabase } from "../database/open-database.ts";
import { connectionSettings, DatabaseUrlError } from "../postgres/connection-settings.ts";
import { PostgresDatabase } from "../postgres/database.ts";
import { databaseFaultOf, sqlStateOf } from "../postgres/database-faults.ts";
import { migrate, POSTGRES_SCHEMA_VERSION, schemaVersionOf, UnfitDatabaseError } from "../postgres/migrations.ts";
import { DatabaseInUseError, Ownership } from "../postgres/ownership.ts";
import { PostgresSessionLog } from "../postgres/session-log.ts";
import { PostgresTransferStore } from "../postgres/transfer-store.ts";
import { SqliteSessionLog } from "../session-log/sqlite-session-log.ts";
import { SqliteTransferStore } from "../sqlite-transfer-store.ts";
import { differingSessions } from "./compare-sessions.ts";
import { copyTables, differingTables } from "./move-tables.ts";
import { emptyPostgres, PostgresTables } from "./postgres-tables.ts";
import { SqliteTables } from "./sqlite-tables.ts";

/** Nothing was moved; the message says why, and what to do. */
export class MoveError extends Error {
  override readonly name = "MoveError";
}

export interface Moved {
  readonly projects: number;
  readonly sessions: number;
  readonly entries: number;
  readonly receipts: number;
}

/** One transaction for everything. */
const MOVE_MS_MAX = 24 * 60 * 60 * 1000;
const STAMP = "moved";
const SETTING = "LIMINAL_DATABASE_URL";

/**
 * Copies a SQLite database into an empty one of PostgreSQL, and compares the two. `copy`: a path for a temporary copy
 * of it. The original is only read: it is not even migrated.
 */
export function copyToPostgres(original: string, copy: string, url: string): Promise<Moved> {
  return withPostgres(url, async (target) => {
    copyDatabase(original, copy);
    const { db: source } = openDatabase(copy, STAMP);
    try {
      await migrate(target);
      return await owning(target, (epoch) => fill(source, target, epoch));
    } finally {
      source.close();
    }
  });
}

async function fill(source: DatabaseSync, target: PostgresDatabase, epoch: number): Promise<Moved> {
  const from = new SqliteTables(source);
  const counts = await target.transaction(async (tx) => {
    const to = new PostgresTables(tx);
    if (!(await to.isEmpty()))
      throw new MoveError("The database has data already. Use an empty one. Nothing was changed.");
    const copied = await copyTables(from, to);
    requireSameTables(await differingTables(from, to));
    return copied;
  });
  try {
    await requireSameSessions(source, target, epoch);
  } catch (error) {
    await target.transaction(emptyPostgres);
    throw error;
  }
  return movedOf(counts);
}

/** Makes a new SQLite database of one of PostgreSQL, and compares the two. The original is only read. */
export function copyFromPostgres(url: string, database: string): Promise<Moved> {
  return withPostgres(url, async (source) => {
    await requireData(source);
    const { db: target } = openDatabase(database, STAMP);
    try {
      const moved = await owning(source, (epoch) => read(source, target, epoch));
      // A renamed database has to be one file.
      target.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      return moved;
    } finally {
      target.close();
    }
  });
}

async function read(source: PostgresDatabase, target: DatabaseSync, epoch: number): Promise<Moved> {
  const to = new SqliteTables(target);
  const counts = await source.transaction(async (tx) => {
    await tx.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    const from = new PostgresTables(tx);
    target.exec("BEGIN IMMEDIATE");
    const copied = await copyTables(from, to);
    target.exec("COMMIT");
    requireSameTables(await differingTables(from, to));
    return copied;
  });
  await requireSameSessions(target, source, epoch);
  return movedOf(counts);
}

/** The server migrates it when it starts. */
async function requireData(source: PostgresDatabase): Promise<void> {
  const { version: found } = await schemaVersionOf(source);
  if (found === 0) throw new MoveError("The database has no data of Liminal Builder. Nothing was changed.");
  if (found === POSTGRES_SCHEMA_VERSION) return;
  throw new MoveError(
    `The database has schema ${found}, and this version moves schema ${POSTGRES_SCHEMA_VERSION}. Start a server of this version on it once, and stop it. Nothing was changed.`,
  );
}

async function withPostgres<Result>(url: string, work: (db: PostgresDatabase) => Promise<Result>): Promise<Result> {
  try {
    const db = new PostgresDatabase(connectionSettings(url), { deadlineMs: MOVE_MS_MAX });
    try {
      return await work(db);
    } finally {
      await db.close();
    }
  } catch (error) {
    throw explained(error);
  }
}

/** Errors of the database that the user can fix. */
function explained(error: unknown): unknown {
  if (error instanceof DatabaseUrlError) return new MoveError(error.message.replaceAll(SETTING, "The address"));
  if (error instanceof UnfitDatabaseError || error instanceof DatabaseInUseError) return new MoveError(error.message);
  if (!(error instanceof Error) || (databaseFaultOf(error) ?? sqlStateOf(error)) === null) return error;
  return new MoveError(
    `The database could not be used: ${error.message} Check its address, its user and password, and that it is running.`,
  );
}

/** While this program has the database, no server works with it. */
async function owning<Result>(db: PostgresDatabase, work: (epoch: number) => Promise<Result>): Promise<Result> {
  const ownership = await Ownership.take(db, `liminal move on ${hostname()}`);
  const lost = Promise.withResolvers<never>();
  ownership.start(() => lost.reject(new MoveError("A server has taken over the database meanwhile. Stop it first.")));
  try {
    return await Promise.race([work(ownership.epoch), lost.promise]);
  } finally {
    await ownership.release();
  }
}

function requireSameTables(differing: readonly string[]): void {
  if (differing.length === 0) return;
  throw new MoveError(`The copy is not like the original (${differing.join(", ")}) and was thrown away. Try again.`);
}

/** Folded as a server folds them, through the stores. */
async function requireSameSessions(sqlite: DatabaseSync, postgres: PostgresDatabase, epoch: number): Promise<void> {
  const ids = sqlite.prepare("SELECT id FROM session ORDER BY key").all();
  const log = new SqliteSessionLog(sqlite);
  const other = new PostgresSessionLog(postgres, epoch);
  try {
    const differing = await differingSessions(
      ids.map((row) => SessionId.parse(row["id"])),
      { log, transfers: new SqliteTransferStore(sqlite, log) },
      { log: other, transfers: new PostgresTransferStore(postgres, other) },
    );
    if (differing.length === 0) return;
    throw new MoveError(`Sessions read differently from the copy, which was thrown away: ${differing.join(", ")}.`);
  } finally {
    await other.close();
  }
}

/** In one read transaction of SQLite. */
function copyDatabase(from: string, to: string): void {
  const source = new DatabaseSync(from, { readOnly: true });
  try {
    source.prepare("VACUUM INTO ?").run(to);
  } finally {
    source.close();
  }
  chmodSync(to, 0o600);
}

function movedOf(counts: ReadonlyMap<string, number>): Moved {
  const count = (table: string) => counts.get(table) ?? 0;
  return {
    projects: count("project"),
    sessions: count("session"),
    entries: count("entry"),
    receipts: count("receipt"),
  };
}
