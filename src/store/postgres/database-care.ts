import { SessionId } from "../../protocol/ids.ts";
import { Usage } from "../../protocol/session-parts.ts";
import type { PostgresDatabase } from "./database.ts";

interface Totals {
  readonly sessions: number;
  readonly facts: number;
  readonly tokens: number;
  readonly costUsd: number;
}

/** Operations on the whole database. */
export class PostgresCare {
  readonly #db: PostgresDatabase;

  constructor(db: PostgresDatabase) {
    this.#db = db;
  }

  /** Of every project, including removed ones. */
  async sessionIds(which: "archived" | "all"): Promise<readonly SessionId[]> {
    const where = which === "archived" ? "WHERE archived = 1" : "";
    return (await this.#db.rows(`SELECT id FROM session ${where} ORDER BY key`)).map(({ id }) => SessionId.parse(id));
  }

  /** Number of sessions, of all facts ever stored, and what the sessions have used. */
  async totals(): Promise<Totals> {
    const row = await this.#db.row("SELECT count(*) AS sessions, COALESCE(sum(last_seq), 0) AS facts FROM session");
    const used = await this.#db.rows("SELECT usage FROM session WHERE usage IS NOT NULL");
    const usages = used.map(({ usage }) => Usage.parse(JSON.parse(String(usage))));
    return {
      sessions: Number(row?.["sessions"]),
      facts: Number(row?.["facts"]),
      tokens: usages.reduce((sum, { tokens }) => sum + (tokens ?? 0), 0),
      costUsd: usages.reduce((sum, { cost }) => sum + (cost?.currency === "USD" ? cost.amount : 0), 0),
    };
  }

  /** Nothing: the database returns the space of deleted data by itself. */
  async compact(): Promise<number> {
    return 0;
  }
}
