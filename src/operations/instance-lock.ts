import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { parseJson } from "../lib/parse-json.ts";
import { type DataDir, makePrivate, writePrivate } from "./data-dir.ts";

const Note = z.object({ pid: z.int(), port: z.int() });

/** A command that checks for a running server holds the file for a moment, and for longer where it is held up itself. */
const LOOK_MS_MAX = 500;
const LOOKS_MAX = 20;

/** Another server uses this data directory. */
export class AlreadyRunningError extends Error {
  override readonly name = "AlreadyRunningError";
}

/**
 * One server per data directory. The lock belongs to the operating system, held through SQLite: it is released the
 * moment the process ends, in any way, so it can never be stale.
 */
export class InstanceLock implements Disposable {
  readonly #db: DatabaseSync;
  readonly #noteFile: string;
  /** The last run was killed, or the machine went down, before it could remove its note. */
  readonly wasNotReleased: boolean;

  constructor(dataDir: DataDir) {
    this.#noteFile = dataDir.file("server.json");
    makePrivate(dataDir.file("lock"));
    const db = acquire(dataDir);
    if (db === null)
      throw new AlreadyRunningError(
        `${dataDir.path} is in use by another Liminal Builder${this.#holder()}. Stop that one, or set LIMINAL_DATA_DIR to another directory.`,
      );
    this.#db = db;
    this.wasNotReleased = existsSync(this.#noteFile);
    // Left by a killed process: its pid may be reused by now.
    rmSync(this.#noteFile, { force: true });
  }

  /** Describes the running server to a second one and to local tools. Never contains a secret. */
  announce(note: { pid: number; port: number; origin: string; startedAt: string; version: string }): void {
    writePrivate(this.#noteFile, `${JSON.stringify(note)}\n`);
  }

  [Symbol.dispose](): void {
    rmSync(this.#noteFile, { force: true });
    this.#db.close();
  }

  #holder(): string {
    if (!existsSync(this.#noteFile)) return "";
    // Informational only: an unreadable note is ignored.
    const note = Note.safeParse(parseJson(readFileSync(this.#noteFile, "utf8")));
    return note.success ? ` (process ${note.data.pid}, port ${note.data.port})` : "";
  }
}

/** Null when another server has it. Those who only look are waited for: nobody can look while a server has it. */
function acquire(dataDir: DataDir): DatabaseSync | null {
  for (let looks = 1; ; looks += 1) {
    const db = new DatabaseSync(dataDir.file("lock"));
    try {
      db.exec(
        `PRAGMA busy_timeout = ${LOOK_MS_MAX}; PRAGMA journal_mode = DELETE; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;`,
      );
      return db;
    } catch (error) {
      db.close();
      if (!isBusy(error)) throw error;
      if (looks === LOOKS_MAX || isLockHeld(dataDir.path)) return null;
    }
  }
}

/** Whether a server uses this data directory now. Acquires nothing. */
export function isLockHeld(dataDir: string): boolean {
  const path = join(dataDir, "lock");
  if (!existsSync(path)) return false;
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    db.exec("PRAGMA busy_timeout = 0");
    db.prepare("SELECT count(*) FROM sqlite_master").get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    db.close();
  }
}

function isBusy(error: unknown): boolean {
  return /locked|busy/i.test(String(error));
}
