import type { DatabaseSync } from "node:sqlite";

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
    db.exec("ROLLBACK");
    throw error;
  } finally {
    open.delete(db);
  }
}
