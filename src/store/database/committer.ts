import type { DatabaseSync } from "node:sqlite";
import { storageFaultOf } from "./storage-watch.ts";
import { transaction } from "./transaction.ts";

interface Waiting {
  readonly write: () => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Commits the writes of all sessions, as many as are waiting in one transaction. The first write in a turn of the
 * event loop is committed at once, so that a single session does not wait; later ones in the same turn
 * share the next transaction.
 */
export class Committer {
  readonly #db: DatabaseSync;
  #waiting: Waiting[] = [];
  /** Something was committed in this turn of the event loop. */
  #isGathering = false;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Resolves when the write is durable. A failed write does not affect others. */
  commit(write: () => void): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ write, resolve, reject });
    if (!this.#isGathering) this.#commitWaiting();
    return promise;
  }

  /** Commits all waiting writes before it returns; called before the database is closed. */
  flush(): void {
    const batch = this.#waiting;
    this.#waiting = [];
    if (batch.length > 1) this.#writeTogether(batch);
    else for (const one of batch) this.#writeAlone(one);
  }

  #commitWaiting(): void {
    this.#isGathering = this.#waiting.length > 0;
    if (!this.#isGathering) return;
    this.flush();
    setImmediate(() => this.#commitWaiting());
  }

  #writeTogether(batch: readonly Waiting[]): void {
    try {
      transaction(this.#db, () => {
        for (const { write } of batch) write();
      });
    } catch (error) {
      // Trying each would wait for the other program as often as there are writes.
      if (storageFaultOf(error) === "in-use") for (const { reject } of batch) reject(error);
      else for (const one of batch) this.#writeAlone(one);
      return;
    }
    for (const { resolve } of batch) resolve();
  }

  #writeAlone({ write, resolve, reject }: Waiting): void {
    try {
      transaction(this.#db, write);
    } catch (error) {
      reject(error);
      return;
    }
    resolve();
  }
}
