import type { DatabaseSync } from "node:sqlite";
import { Entry } from "../../protocol/entry.ts";
import { transaction } from "../database/transaction.ts";
import { SearchWriter } from "./search-writer.ts";

/** One step is short enough not to be noticed while streaming or typing. */
const STEP_ENTRIES_MAX = 50;
const STEP_CHARS_MAX = 200_000;
/** After each step, a pause at least as long as the step. */
const REST_MS_MIN = 5;

interface BacklogOptions {
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

/**
 * Indexes older entries, newest first, and removes deleted ones, in small steps.
 * Its progress is stored in the database: an interrupted run continues there.
 */
export class SearchBacklog {
  readonly #db: DatabaseSync;
  readonly #options: BacklogOptions;
  readonly #writer: SearchWriter;
  readonly #sql;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  constructor(db: DatabaseSync, options: BacklogOptions) {
    this.#db = db;
    this.#options = options;
    this.#writer = new SearchWriter(db);
    this.#sql = {
      next: db.prepare(
        `SELECT backlog.*, session.title, session.last_active_at,
           CASE WHEN EXISTS (SELECT 1 FROM session AS source WHERE source.id = json_extract(session.origin, '$.sessionId'))
             THEN session.inherited ELSE 0 END AS inherited
         FROM search_backlog AS backlog
         JOIN session ON session.key = backlog.session_key ORDER BY session.last_active_at DESC LIMIT 1`,
      ),
      entries: db.prepare(
        "SELECT position, json FROM entry WHERE session_key = ? AND position < ? AND position > ? ORDER BY position DESC LIMIT ?",
      ),
      moveOn: db.prepare("UPDATE search_backlog SET before_position = ? WHERE session_key = ?"),
      finish: db.prepare("DELETE FROM search_backlog WHERE session_key = ?"),
      left: db.prepare("SELECT COALESCE(SUM(before_position - 1), 0) AS entries FROM search_backlog"),
      indexed: db.prepare("SELECT count(*) AS texts FROM search_text"),
    };
  }

  /** Entries not indexed yet, and indexed texts. */
  get progress(): { readonly entriesLeft: number; readonly textsIndexed: number } {
    return {
      entriesLeft: Number(this.#sql.left.get()?.["entries"] ?? 0),
      textsIndexed: Number(this.#sql.indexed.get()?.["texts"] ?? 0),
    };
  }

  /** Starts after the caller is done; calling it again while it runs has no effect. */
  start(): void {
    if (this.#isStopped) return;
    this.#timer ??= setTimeout(() => this.#work(), REST_MS_MIN).unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** One step; false when nothing was left to do. */
  step(): boolean {
    return transaction(this.#db, () => this.#readSome() || this.#writer.sweep(STEP_ENTRIES_MAX) > 0);
  }

  #work(): void {
    const startedAt = this.#options.now();
    this.#timer = undefined;
    try {
      if (!this.step()) return;
    } catch (error) {
      // A full or busy disk: the rest is done at the next start.
      this.#options.onError(error);
      return;
    }
    const restMs = Math.max(REST_MS_MIN, this.#options.now() - startedAt);
    this.#timer = setTimeout(() => this.#work(), restMs).unref();
  }

  #readSome(): boolean {
    const next = this.#sql.next.get();
    if (!next) return false;
    const sessionKey = Number(next["session_key"]);
    this.#writer.title(sessionKey, String(next["title"]));
    // Found in their source while that is there.
    const inherited = Number(next["inherited"]);
    let before = Number(next["before_position"]);
    let chars = 0;
    for (const row of this.#sql.entries.all(sessionKey, before, inherited, STEP_ENTRIES_MAX)) {
      const json = String(row["json"]);
      this.#writer.entry(sessionKey, Entry.parse(JSON.parse(json)), String(next["last_active_at"]), "older");
      before = Number(row["position"]);
      chars += json.length;
      if (chars > STEP_CHARS_MAX) break;
    }
    if (before === Number(next["before_position"]) || before <= inherited + 1) this.#sql.finish.run(sessionKey);
    else this.#sql.moveOn.run(before, sessionKey);
    return true;
  }
}
