import type { PostgresDatabase } from "./database.ts";
import { databaseFaultOf, sqlStateOf } from "./database-faults.ts";

/** Something stands before the database that gives a connection away after each transaction. */
export class PoolerError extends Error {
  override readonly name = "PoolerError";
  readonly advice = "Set pool_mode = session for this database in PgBouncer, or use the address of PostgreSQL itself.";

  constructor() {
    super(
      "A pooler in front of the database gives connections away after each transaction, which loses prepared statements.",
    );
  }
}

/** Chance may hide it: another client can be in between. */
const LOOKS = 5;
/** What PostgreSQL says to a prepared statement of another connection: unknown, or known already. */
const FOREIGN_STATEMENT = ["26000", "42P05"];

/**
 * Rejects with a PoolerError if two connections are served by the same process of PostgreSQL: without a pooler, or with
 * one in session mode, each has its own.
 */
export async function refusePooler(db: PostgresDatabase): Promise<void> {
  const [one, other] = [db.beside({ connectionsMax: 1 }), db.beside({ connectionsMax: 1 })];
  const processOf = async (connection: PostgresDatabase) =>
    (await connection.row("SELECT pg_backend_pid() AS pid"))?.["pid"];
  try {
    for (let nth = 0; nth < LOOKS; nth += 1)
      if ((await processOf(one)) === (await processOf(other))) throw new PoolerError();
  } catch (error) {
    if (databaseFaultOf(error) === null && FOREIGN_STATEMENT.includes(sqlStateOf(error) ?? "")) throw new PoolerError();
    throw error;
  } finally {
    await Promise.all([one.close(), other.close()]);
  }
}
