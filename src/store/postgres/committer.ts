import type { Burst } from "./burst.ts";
import { burstStatement } from "./burst-statement.ts";
import { numbers, type PostgresDatabase } from "./database.ts";
import { DatabaseAwayError, databaseFaultOf, isUnanswered } from "./database-faults.ts";

interface Waiting {
  readonly burst: Burst;
  readonly sinceMs: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** What was committed since the start. */
export interface CommitFigures {
  /** Of one session each. */
  readonly commits: number;
  /** Each carries all commits that waited. */
  readonly statements: number;
  /** From the request to the answer, added up. */
  readonly waitedMs: number;
  /** Refused, since another server has the database or the session. */
  readonly fenced: number;
}

/** The session is not as this server left it. Nothing was stored. */
export class FencedError extends Error {
  override readonly name = "FencedError";
}

/** Another server has the database now. Nothing was stored, and nothing will be. */
export class TakenOverError extends Error {
  override readonly name = "TakenOverError";
  readonly storageFault = "in-use";

  constructor() {
    super("Another server has taken over this database.");
  }
}

/** One statement stays small enough to be answered in time. */
const BURSTS_MAX = 500;
const CHARS_MAX = 8_000_000;
/**
 * A database that was killed may show a commit that its synchronous standby never got. This one is answered when the
 * standby has it, and all before it.
 */
const ALL_BEFORE_IS_SAFE = "SELECT pg_logical_emit_message(true, 'liminal', '')";
const LOOK_AGAIN_MS_MIN = 100;
const LOOK_AGAIN_MS_MAX = 2_000;

/**
 * Stores the bursts of all sessions: one statement is in progress, and everything that arrives meanwhile is in the next
 * one. When the answer of the database is lost, the outcome of each burst is looked up by its id as soon as the
 * database is back: until then its commit is neither resolved nor rejected.
 */
export class PostgresCommitter {
  readonly #db: PostgresDatabase;
  readonly #epoch: number;
  readonly #onStored: (burst: Burst) => void;
  #waiting: Waiting[] = [];
  #isWorking = false;
  readonly #left = Promise.withResolvers<void>();
  #isLeaving = false;
  #isClosed = false;
  #isLost = false;
  readonly #figures = { commits: 0, statements: 0, waitedMs: 0, fenced: 0 };

  /** `db`: with a connection of its own. `onStored` is called before the commit resolves. */
  constructor(db: PostgresDatabase, epoch: number, onStored: (burst: Burst) => void) {
    this.#db = db;
    this.#epoch = epoch;
    this.#onStored = onStored;
  }

  get figures(): CommitFigures {
    return { ...this.#figures };
  }

  /** A session has one commit under way at a time. */
  commit(burst: Burst): Promise<void> {
    if (this.#isLost) {
      this.#figures.fenced += 1;
      return Promise.reject(new TakenOverError());
    }
    if (this.#isClosed) return Promise.reject(new Error("The store is closed."));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ burst, sinceMs: performance.now(), resolve, reject });
    if (!this.#isWorking) void this.#work();
    return promise;
  }

  /** From now on nothing waits for a database that is away: its commits are rejected, and may be stored or not. */
  leave(): void {
    this.#isLeaving = true;
    this.#left.resolve();
  }

  /** Another server has taken over: nothing is sent any more. */
  lose(): void {
    this.#isLost = true;
    this.leave();
    for (const one of this.#waiting.splice(0)) this.#fence(one, new TakenOverError());
  }

  /** Waiting bursts are dropped; the database is not touched. */
  close(): void {
    if (this.#isClosed) return;
    this.leave();
    this.#isClosed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(new Error("The store was closed before this was stored."));
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    while (this.#waiting.length > 0) {
      const batch = this.#nextBatch();
      // Whatever goes wrong with one batch, the next ones are stored.
      await this.#store(batch).catch((error: unknown) => {
        for (const { reject } of batch) reject(error);
      });
      // Sessions whose commit was just stored may commit again in this turn of the event loop: all of them share the next
      // statement with those that waited.
      if (batch.length + this.#waiting.length > 1) await new Promise((resolve) => setImmediate(resolve));
    }
    this.#isWorking = false;
  }

  #nextBatch(): readonly Waiting[] {
    let chars = 0;
    const fits = this.#waiting.findIndex(({ burst }, nth) => {
      chars += burst.frames.reduce((sum, { json }) => sum + json.length, 0);
      return nth > 0 && chars > CHARS_MAX;
    });
    return this.#waiting.splice(0, Math.min(BURSTS_MAX, fits === -1 ? BURSTS_MAX : fits));
  }

  async #store(batch: readonly Waiting[]): Promise<void> {
    try {
      const missing = await this.#send(batch);
      await this.#settle(missing, "told");
    } catch (error) {
      if (this.#isClosed) for (const { reject } of batch) reject(error);
      else if (isUnanswered(error)) await this.#settle(batch, "unanswered");
      else if (batch.length === 1 || databaseFaultOf(error) !== null) for (const { reject } of batch) reject(error);
      else for (const one of batch) await this.#store([one]);
    }
  }

  /** Resolves those that are stored, and returns the others. */
  async #send(batch: readonly Waiting[]): Promise<readonly Waiting[]> {
    const { statement, values } = burstStatement(
      batch.map(({ burst }) => burst),
      this.#epoch,
    );
    const rows = await this.#db.rows(statement, values);
    this.#figures.statements += 1;
    const stored = new Set(rows.map((row) => Number(row["key"])));
    if (stored.size > 0) this.#db.onStored();
    for (const one of batch) if (stored.has(one.burst.key)) this.#resolve(one);
    return batch.filter(({ burst }) => !stored.has(burst.key));
  }

  /** Finds out which bursts of unknown outcome were stored: each is stored, sent again, or will never be stored. */
  async #settle(batch: readonly Waiting[], why: "told" | "unanswered"): Promise<void> {
    if (batch.length === 0) return;
    const found = await this.#look(batch, why);
    if (found === null) {
      for (const { reject } of batch) reject(new DatabaseAwayError("The server ended before the database answered."));
      return;
    }
    for (const one of batch) {
      const { key, commitId, previousSeq, sessionId } = one.burst;
      const row = found.get(key);
      if (row?.["commit_id"] === commitId) this.#resolve(one);
      else if (row && row["epoch"] !== this.#epoch) this.#fence(one, new TakenOverError());
      else if (why === "unanswered" && row?.["last_seq"] === previousSeq) await this.#store([one]);
      else this.#fence(one, new FencedError(`Session ${sessionId} was changed by another program, or deleted.`));
    }
  }

  /** The database's state of these sessions; asks until it answers. Null: the server ends meanwhile. */
  async #look(
    batch: readonly Waiting[],
    why: "told" | "unanswered",
  ): Promise<ReadonlyMap<number, Readonly<Record<string, unknown>>> | null> {
    const keys = numbers(batch.map(({ burst }) => burst.key));
    for (let ms = LOOK_AGAIN_MS_MIN; ; ms = Math.min(ms * 2, LOOK_AGAIN_MS_MAX)) {
      try {
        if (why === "unanswered") await this.#db.rows(ALL_BEFORE_IS_SAFE);
        const rows = await this.#db.rows(
          "SELECT key, last_seq, commit_id, (SELECT epoch FROM owner) AS epoch FROM session WHERE key = ANY($1::bigint[])",
          [keys],
        );
        return new Map(rows.map((row) => [Number(row["key"]), row]));
      } catch (error) {
        if (databaseFaultOf(error) === null) throw error;
        if (this.#isLeaving) return null;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      await Promise.race([promise, this.#left.promise]);
      clearTimeout(timer);
    }
  }

  #fence({ reject }: Waiting, error: Error): void {
    this.#figures.fenced += 1;
    reject(error);
  }

  #resolve({ burst, sinceMs, resolve }: Waiting): void {
    this.#figures.commits += 1;
    this.#figures.waitedMs += performance.now() - sinceMs;
    this.#onStored(burst);
    resolve();
  }
}
