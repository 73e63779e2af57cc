import { DatabaseSync } from "node:sqlite";
import { Entry } from "../../../src/protocol/entry.ts";
import { reduceSession } from "../../../src/protocol/reduce-session.ts";
import { EMPTY_SESSION, type SessionState } from "../../../src/protocol/session-schema.ts";
import { factFrom, readState } from "../../../src/store/session-log/session-columns.ts";

const BUSY_TIMEOUT_MS = 5_000;

interface StoredSession {
  readonly key: number;
  readonly id: string;
  readonly lastSeq: number;
  /** Older facts have become entries. */
  readonly keptFrom: number;
}

/** One consistent look at the database: all that is read through it was true at the same moment. */
export class StoreView implements Disposable {
  readonly #db: DatabaseSync;

  constructor(path: string) {
    this.#db = new DatabaseSync(path, { readOnly: true });
    this.#db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; BEGIN`);
  }

  sessions(): readonly StoredSession[] {
    const rows = this.#db.prepare("SELECT key, id, last_seq, kept_from_seq FROM session").all();
    return rows.map((row) => ({
      key: Number(row["key"]),
      id: String(row["id"]),
      lastSeq: Number(row["last_seq"]),
      keptFrom: Number(row["kept_from_seq"]),
    }));
  }

  factsAfter(key: number, seq: number): readonly string[] {
    const rows = this.#db.prepare("SELECT json FROM fact WHERE session_key = ? AND seq > ? ORDER BY seq").all(key, seq);
    return rows.map((row) => String(row["json"]));
  }

  /** What a server that starts now would go on with: the last snapshot and the facts after it, behind the entries. */
  state(key: number): SessionState {
    const row = this.#db.prepare("SELECT snapshot, snapshot_seq FROM session WHERE key = ?").get(key);
    const snapshot = typeof row?.["snapshot"] === "string" ? readState(row["snapshot"]) : EMPTY_SESSION;
    const tail = this.#db
      .prepare("SELECT seq, json FROM fact WHERE session_key = ? AND seq > ? ORDER BY seq")
      .all(key, Number(row?.["snapshot_seq"] ?? 0));
    const state = tail.reduce<SessionState>((folded, fact) => reduceSession(folded, factFrom(fact)), snapshot);
    return { ...state, settled: [...this.#entries(key), ...state.settled] };
  }

  /** What SQLite itself thinks of the file. */
  integrity(): string {
    return String(this.#db.prepare("PRAGMA integrity_check(1)").get()?.["integrity_check"] ?? "no answer");
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  /** Those of ended turns. */
  #entries(key: number): readonly Entry[] {
    const rows = this.#db.prepare("SELECT json FROM entry WHERE session_key = ? ORDER BY position").all(key);
    return rows.map((row) => Entry.parse(JSON.parse(String(row["json"]))));
  }
}
