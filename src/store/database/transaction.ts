import type { DatabaseSync } from "node:sqlite";

/** How long a write waits for another program that holds the database. */
export const BUSY_TIMEOUT_MS = 5_000;

const open = new WeakSet<DatabaseSync>();

/** All of `work` happens, or none of it. Nested, it is part of the outer transaction. */
export function transaction<Result>(db: DatabaseSync, work: () => Result): Result {
  if (open.has(db)) return work();
  db.exec("BEGIN IMMEDIATE");
  open.add(db);
  try {
    const result = work();
    db.exec("COMMIT");
    return result;
  } catch (error) {
    rollBack(db);
    throw error;
  } finally {
    open.delete(db);
  }
}

/** A full or failing disk has already ended the transaction: a rollback error would hide the cause. */
export function rollBack(db: DatabaseSync): void {
  if (db.isTransaction) db.exec("ROLLBACK");
}
