import type { Storage } from "../../ports/storage.ts";
import { REFUSE, type Refusal } from "../../protocol/errors.ts";
import { type StorageFault, type StorageState, WRITABLE } from "../../protocol/storage.ts";
import type { PostgresDatabase } from "./database.ts";
import { databaseFaultOf } from "./database-faults.ts";

const RETRY_MS_MIN = 250;
const RETRY_MS_MAX = 2_000;
/** More than a burst of agent output: a disk with less room would be full again at once. */
const TRIAL_BYTES = 64 * 1024;
/** No command has this id, so its receipt is never requested; one left by a crash is deleted with old ones. */
const TRIAL_ID = "storage-trial";
const TRIAL_TIME = "1970-01-01T00:00:00.000Z";

/**
 * Tracks whether data can be stored. A failed query makes the app read-only; it tries to store something by itself, with
 * increasing delays, until that works.
 */
export class PostgresStorage implements Storage {
  readonly #db: PostgresDatabase;
  readonly #onChanged: (state: StorageState) => void;
  #fault: StorageFault | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  constructor(db: PostgresDatabase, onChanged: (state: StorageState) => void) {
    this.#db = db;
    this.#onChanged = onChanged;
    db.onFailed = (error) => this.#failed(error);
    db.onStored = () => this.#works();
  }

  get state(): StorageState {
    const fault = this.#fault;
    return fault === null ? WRITABLE : { writable: false, fault, message: wordsOf(fault) };
  }

  refusal(): Refusal | null {
    return this.#fault === null ? null : REFUSE.unwritable(wordsOf(this.#fault));
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #failed(error: unknown): void {
    const fault = databaseFaultOf(error);
    if (fault === null || fault === this.#fault || this.#isStopped) return;
    const isNew = this.#fault === null;
    this.#fault = fault;
    this.#onChanged(this.state);
    if (isNew) this.#schedule(RETRY_MS_MIN);
  }

  #works(): void {
    if (this.#fault === null || this.#isStopped) return;
    clearTimeout(this.#timer);
    this.#fault = null;
    this.#onChanged(WRITABLE);
  }

  #schedule(ms: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      // It reports itself whether it worked.
      tryToStore(this.#db).catch(() => {
        if (this.#fault !== null) this.#schedule(Math.min(ms * 2, RETRY_MS_MAX));
      });
    }, ms).unref();
  }
}

async function tryToStore(db: PostgresDatabase): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run(
      "INSERT INTO receipt (command_id, answer, at) VALUES ($1, $2, $3) ON CONFLICT (command_id) DO UPDATE SET answer = excluded.answer",
      [TRIAL_ID, "-".repeat(TRIAL_BYTES), TRIAL_TIME],
    );
    await tx.run("DELETE FROM receipt WHERE command_id = $1", [TRIAL_ID]);
  });
}

function wordsOf(fault: StorageFault): string {
  switch (fault) {
    case "disk-full":
      return "The disk of the database is full. Free some space there to continue automatically.";
    case "read-only":
      return "The database accepts no changes. Make it writable, or make its standby the primary, to continue automatically.";
    case "disk-error":
      return "The database does not answer. Check that it runs and can be reached. Work continues automatically when it is back.";
    case "in-use":
      return "Another server has taken over the database. Use that one, or stop it and start this one again.";
    default:
      return fault satisfies never;
  }
}
