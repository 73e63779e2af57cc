import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { SessionId } from "../../protocol/ids.ts";

/** Vacuuming a larger one would block everyone for seconds; its free pages are reused instead. */
const COMPACT_BYTES_MAX = 1024 * 1024 * 1024;

/** Operations on the whole database. */
export class DatabaseCare {
  readonly #db: DatabaseSync;
  readonly #path: string;

  constructor(db: DatabaseSync, path: string) {
    this.#db = db;
    this.#path = path;
  }

  /** Of every project, including removed ones. */
  sessionIds(which: "archived" | "all"): readonly SessionId[] {
    const where = which === "archived" ? "WHERE archived = 1" : "";
    return this.#db
      .prepare(`SELECT id FROM session ${where} ORDER BY key`)
      .all()
      .map(({ id }) => SessionId.parse(id));
  }

  /** Number of sessions, of all facts ever stored, and what the sessions have used. */
  totals(): { readonly sessions: number; readonly facts: number; readonly tokens: number; readonly costUsd: number } {
    const row = this.#db
      .prepare(
        `SELECT count(*) AS sessions, COALESCE(sum(last_seq), 0) AS facts,
           COALESCE(sum(json_extract(usage, '$.tokens')), 0) AS tokens,
           COALESCE(sum(json_extract(usage, '$.cost.amount')) FILTER (WHERE json_extract(usage, '$.cost.currency') = 'USD'), 0) AS cost
         FROM session`,
      )
      .get();
    const value = (name: string) => Number(row?.[name]);
    return { sessions: value("sessions"), facts: value("facts"), tokens: value("tokens"), costUsd: value("cost") };
  }

  /** Returns the space of deleted data to the disk; the number of bytes freed. */
  compact(): number {
    const before = this.#bytes();
    if (before > COMPACT_BYTES_MAX) return 0;
    this.#db.exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
    return Math.max(0, before - this.#bytes());
  }

  #bytes(): number {
    const parts = [this.#path, `${this.#path}-wal`];
    return parts.reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
  }
}
