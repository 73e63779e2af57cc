import type { Storage } from "../../ports/storage.ts";
import { REFUSE, type Refusal } from "../../protocol/errors.ts";
import { StorageFault, type StorageState, WRITABLE } from "../../protocol/storage.ts";
import { BUSY_TIMEOUT_MS } from "./transaction.ts";
import type { WatchedDatabase } from "./watched-database.ts";

const RETRY_MS_MIN = 250;
const RETRY_MS_MAX = 10_000;
/** More than a burst of agent output: a disk with less room would be full again at once. */
const TRIAL_BYTES = 64 * 1024;
/** No command has this id, so its receipt is never requested; one left by a crash is deleted with old ones. */
const TRIAL_ID = "storage-trial";
const TRIAL_TIME = "1970-01-01T00:00:00.000Z";

interface StorageWatchOptions {
  /** Where everything is stored, for the user to find. */
  readonly path: string;
  readonly onChanged: (state: StorageState) => void;
}

/**
 * Tracks whether data can be stored. A failed write makes the app read-only; it retries
 * automatically with increasing delays, and at once with every command.
 */
export class StorageWatch implements Storage {
  readonly #db: WatchedDatabase;
  readonly #options: StorageWatchOptions;
  #fault: StorageFault | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isTrying = false;

  constructor(db: WatchedDatabase, options: StorageWatchOptions) {
    this.#db = db;
    this.#options = options;
    db.onFailed = (error) => this.#failed(error);
  }

  get state(): StorageState {
    const fault = this.#fault;
    return fault === null ? WRITABLE : { writable: false, fault, message: wordsOf(fault, this.#options.path) };
  }

  refusal(): Refusal | null {
    if (this.#fault !== null) this.#tryAgain();
    return this.#fault === null ? null : REFUSE.unwritable(wordsOf(this.#fault, this.#options.path));
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#db.onFailed = () => undefined;
  }

  #failed(error: unknown): void {
    const fault = storageFaultOf(error);
    if (fault === null || this.#isTrying || fault === this.#fault) return;
    const isNew = this.#fault === null;
    this.#fault = fault;
    this.#options.onChanged(this.state);
    if (isNew) this.#schedule(RETRY_MS_MIN);
  }

  #schedule(ms: number): void {
    this.#timer = setTimeout(() => {
      if (!this.#tryAgain()) this.#schedule(Math.min(ms * 2, RETRY_MS_MAX));
    }, ms).unref();
  }

  /** True if storage works again. */
  #tryAgain(): boolean {
    if (this.#db.isTransaction) return false;
    this.#isTrying = true;
    try {
      tryToStore(this.#db);
    } catch (error) {
      if (storageFaultOf(error) === null) throw error;
      return false;
    } finally {
      this.#isTrying = false;
    }
    clearTimeout(this.#timer);
    this.#fault = null;
    this.#options.onChanged(this.state);
    return true;
  }
}

/** Durably stores some data of a certain size, and removes it again. */
function tryToStore(db: WatchedDatabase): void {
  // Callers must not wait for another program that holds the database.
  db.exec("PRAGMA busy_timeout = 0");
  try {
    db.prepare("INSERT OR REPLACE INTO receipt (command_id, answer, at) VALUES (?, ?, ?)").run(
      TRIAL_ID,
      "-".repeat(TRIAL_BYTES),
      TRIAL_TIME,
    );
    db.prepare("DELETE FROM receipt WHERE command_id = ?").run(TRIAL_ID);
  } finally {
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

function wordsOf(fault: StorageFault, path: string): string {
  switch (fault) {
    case "disk-full":
      return `The disk of ${path} is full. Free some space to continue automatically.`;
    case "read-only":
      return `${path} is read-only. Make it writable to continue automatically.`;
    case "disk-error":
      return `The disk of ${path} reports errors. Check the disk and its free space. Work continues automatically once it is fixed.`;
    case "in-use":
      return `Another program has locked the database in ${path}. Close it to continue automatically.`;
    default:
      return fault satisfies never;
  }
}

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;

const BY_RESULT: ReadonlyMap<number, StorageFault> = new Map([
  [SQLITE_FULL, "disk-full"],
  [SQLITE_READONLY, "read-only"],
  [SQLITE_IOERR, "disk-error"],
  [SQLITE_CANTOPEN, "disk-error"],
  [SQLITE_BUSY, "in-use"],
  [SQLITE_LOCKED, "in-use"],
]);

const BY_CODE: ReadonlyMap<unknown, StorageFault> = new Map<unknown, StorageFault>([
  ["ENOSPC", "disk-full"],
  ["EDQUOT", "disk-full"],
  ["EROFS", "read-only"],
  ["EIO", "disk-error"],
  ["EFBIG", "disk-error"],
]);

/** The disk problem behind an error; null for every other error. */
export function storageFaultOf(error: unknown): StorageFault | null {
  if (!(error instanceof Error)) return null;
  const named = StorageFault.safeParse(Reflect.get(error, "storageFault"));
  if (named.success) return named.data;
  const result: unknown = Reflect.get(error, "errcode");
  // The low byte is the kind; the rest has details.
  if (typeof result === "number") return BY_RESULT.get(result & 0xff) ?? null;
  return BY_CODE.get(Reflect.get(error, "code")) ?? null;
}
