import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Entry } from "../../../src/protocol/entry.ts";
import { reduceSession } from "../../../src/protocol/reduce-session.ts";
import { FactMessage } from "../../../src/protocol/server-messages.ts";
import type { Turn } from "../../../src/protocol/session-parts.ts";
import { EMPTY_SESSION, type SessionState } from "../../../src/protocol/session-state.ts";
import type { Witness } from "./witness.ts";

const BUSY_TIMEOUT_MS = 5_000;

interface FollowedLog {
  state: SessionState;
  /** Facts left the log before they were read here: from then on its fold means nothing. */
  hasGap: boolean;
}

interface StoredSession {
  readonly key: number;
  readonly id: string;
  readonly lastSeq: number;
  /** Older facts have become entries. */
  readonly keptFrom: number;
}

/** Reads the database itself, beside the server, and folds the log from its first fact on with the product's reducer. */
export class LogFollower {
  readonly #path: string;
  readonly #witness: Witness;
  readonly #logs = new Map<string, FollowedLog>();
  /** How turns ended, by the turn's id. */
  readonly turnEnds = new Map<string, Turn>();
  readonly breaches: string[] = [];

  constructor(dataDir: string, witness: Witness) {
    this.#path = join(dataDir, "liminal.db");
    this.#witness = witness;
  }

  get gaps(): number {
    return [...this.#logs.values()].filter(({ hasGap }) => hasGap).length;
  }

  /** Reads on from where it stands. */
  poll(): void {
    if (!existsSync(this.#path)) return;
    using view = new StoreView(this.#path);
    for (const session of view.sessions()) this.#read(view, session);
  }

  folded(sessionId: string): { readonly state: SessionState; readonly hasGap: boolean } {
    return this.#logs.get(sessionId) ?? { state: EMPTY_SESSION, hasGap: false };
  }

  #read(view: StoreView, { key, id, lastSeq, keptFrom }: StoredSession): void {
    const log = this.#logs.get(id) ?? { state: EMPTY_SESSION, hasGap: false };
    this.#logs.set(id, log);
    for (const json of view.factsAfter(key, log.state.seq)) {
      const fact = FactMessage.safeParse(JSON.parse(json)).data;
      if (!fact) {
        this.breaches.push(`${id}: a fact in the log that no client can read: ${json.slice(0, 200)}`);
        continue;
      }
      const expected = log.state.seq + 1;
      if (fact.seq !== expected && expected >= keptFrom) this.breaches.push(`${id}: the log has no fact ${expected}`);
      if (fact.seq !== expected) log.hasGap = true;
      if (fact.type === "session:turn" && fact.turn.state === "idle" && fact.turn.turnId !== undefined)
        this.turnEnds.set(fact.turn.turnId, fact.turn);
      log.state = reduceSession(log.state, fact);
      this.#witness.compare(id, fact.seq, fact);
    }
    if (log.state.seq !== lastSeq)
      this.breaches.push(`${id}: the log ends at ${log.state.seq}, its row says ${lastSeq}`);
  }
}

/** One consistent look at the database. */
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

  /** Those of ended turns. */
  entries(key: number): readonly Entry[] {
    const rows = this.#db.prepare("SELECT json FROM entry WHERE session_key = ? ORDER BY position").all(key);
    return rows.map((row) => Entry.parse(JSON.parse(String(row["json"]))));
  }

  /** What SQLite itself thinks of the file. */
  integrity(): string {
    return String(this.#db.prepare("PRAGMA integrity_check(1)").get()?.["integrity_check"] ?? "no answer");
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}
