import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { SessionId } from "../../protocol/ids.ts";

/** A larger one would keep everyone waiting for seconds; what is free in it is used again instead. */
const COMPACT_BYTES_MAX = 1024 * 1024 * 1024;

/** What concerns the database as a whole. */
export class DatabaseCare {
  readonly #db: DatabaseSync;
  readonly #path: string;

  constructor(db: DatabaseSync, path: string) {
    this.#db = db;
    this.#path = path;
  }

  /** Of every project, also of those that were removed. */
  sessionIds(which: "archived" | "all"): readonly SessionId[] {
    const where = which === "archived" ? "WHERE archived = 1" : "";
    return this.#db
      .prepare(`SELECT id FROM session ${where} ORDER BY key`)
      .all()
      .map(({ id }) => SessionId.parse(id));
  }

  /** How many sessions there are, and how many facts were ever stored in them. */
  totals(): { readonly sessions: number; readonly facts: number } {
    const row = this.#db.prepare("SELECT count(*) AS sessions, COALESCE(sum(last_seq), 0) AS facts FROM session").get();
    return { sessions: Number(row?.["sessions"]), facts: Number(row?.["facts"]) };
  }

  /** Gives back to the disk what deleted things took; how many bytes that was. */
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
