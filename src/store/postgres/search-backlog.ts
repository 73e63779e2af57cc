import { Entry } from "../../protocol/entry.ts";
import { UNTITLED } from "../../protocol/session-schema.ts";
import type { PostgresDatabase, Queries, Row } from "./database.ts";
import { indexOlderEntries, indexTitle } from "./search-writer.ts";

/** One step is short enough that the session it is about waits for nothing. */
const STEP_ENTRIES_MAX = 50;
const STEP_CHARS_MAX = 200_000;
/** After each step, a pause at least as long as the step. */
const REST_MS_MIN = 5;

interface BacklogOptions {
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

/**
 * Indexes in small steps what settled all at once, newest first. Its progress is stored in the database: an interrupted
 * run continues there, and of several servers each works at another session.
 */
export class PostgresSearchBacklog {
  readonly #db: PostgresDatabase;
  readonly #options: BacklogOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isWorking = false;
  #isStopped = false;

  constructor(db: PostgresDatabase, options: BacklogOptions) {
    this.#db = db;
    this.#options = options;
  }

  /** Entries not indexed yet, and indexed texts. */
  async progress(): Promise<{ readonly entriesLeft: number; readonly textsIndexed: number }> {
    const row = await this.#db.row(
      `SELECT (SELECT COALESCE(SUM(before_position - 1), 0) FROM search_backlog) AS entries,
         (SELECT count(*) FROM search_text) AS texts`,
    );
    return { entriesLeft: Number(row?.["entries"] ?? 0), textsIndexed: Number(row?.["texts"] ?? 0) };
  }

  /** Starts after the caller is done; calling it again while it runs has no effect. */
  start(): void {
    if (this.#isStopped || this.#isWorking) return;
    this.#timer ??= setTimeout(() => void this.#work(), REST_MS_MIN).unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** One step; false when nothing was left to do. */
  step(): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      const next = await tx.row(
        `SELECT backlog.session_key, backlog.before_position, session.title, session.last_active_at,
           CASE WHEN EXISTS (SELECT 1 FROM session AS source WHERE source.id = session.origin_id)
             THEN session.inherited ELSE 0 END AS inherited
         FROM search_backlog AS backlog JOIN session ON session.key = backlog.session_key
         ORDER BY session.last_active_at DESC LIMIT 1 FOR UPDATE OF backlog SKIP LOCKED`,
      );
      if (next) await readSome(tx, next);
      return next !== null;
    });
  }

  async #work(): Promise<void> {
    const startedAt = this.#options.now();
    this.#timer = undefined;
    this.#isWorking = true;
    try {
      if (!(await this.step())) return;
    } catch (error) {
      // The database is away: the rest is done at the next start.
      if (!this.#isStopped) this.#options.onError(error);
      return;
    } finally {
      this.#isWorking = false;
    }
    if (this.#isStopped) return;
    const restMs = Math.max(REST_MS_MIN, this.#options.now() - startedAt);
    this.#timer = setTimeout(() => void this.#work(), restMs).unref();
  }
}

async function readSome(tx: Queries, next: Row): Promise<void> {
  const sessionKey = Number(next["session_key"]);
  const title = String(next["title"]);
  if (title !== UNTITLED) await indexTitle(tx, sessionKey, title);
  // Found in their source while that is there.
  const inherited = Number(next["inherited"]);
  const start = Number(next["before_position"]);
  const rows = await tx.rows(
    `SELECT position, json FROM entry WHERE session_key = $1 AND position < $2 AND position > $3
     ORDER BY position DESC LIMIT ${STEP_ENTRIES_MAX}`,
    [sessionKey, start, inherited],
  );
  let chars = 0;
  const enough = rows.findIndex((row) => {
    chars += String(row["json"]).length;
    return chars > STEP_CHARS_MAX;
  });
  const read = enough === -1 ? rows : rows.slice(0, enough + 1);
  const entries = read.map((row) => Entry.parse(JSON.parse(String(row["json"]))));
  const at = String(next["last_active_at"]);
  await indexOlderEntries(
    tx,
    entries.map((entry) => ({ sessionKey, entry, at })),
  );
  const before = Number(read.at(-1)?.["position"] ?? start);
  if (before === start || before <= inherited + 1)
    await tx.run("DELETE FROM search_backlog WHERE session_key = $1", [sessionKey]);
  else await tx.run("UPDATE search_backlog SET before_position = $1 WHERE session_key = $2", [before, sessionKey]);
}
