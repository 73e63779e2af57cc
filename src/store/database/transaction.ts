import type { DatabaseSync } from "node:sqlite";

/** How long a write waits for another program that holds the database. */
export const BUSY_TIMEOUT_MS = 5_000;

const open = new WeakSet<DatabaseSync>();

/** All of `work` happens, or none of it. Inside another one, it shares the fate of that. */
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

/** A full disk or a failing one has ended the transaction already: saying so again would hide what went wrong. */
export function rollBack(db: DatabaseSync): void {
  if (db.isTransaction) db.exec("ROLLBACK");
}
