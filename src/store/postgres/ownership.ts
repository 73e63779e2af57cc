import { TakenOverError } from "./committer.ts";
import type { PostgresDatabase } from "./database.ts";

/** Another server works with this database. */
export class DatabaseInUseError extends Error {
  override readonly name = "DatabaseInUseError";
}

/** Who has the database, as it was at one look. */
export interface Owner {
  readonly epoch: number;
  /** Null: it was released. */
  readonly name: string | null;
  /** Counted up while its server is alive. */
  readonly beats: number;
}

/**
 * The right to write to a database, which one server has at a time. Its epoch stands in every commit: when another server
 * raises it, nothing of an earlier one is stored any more, however late it arrives. A server that is alive counts up a
 * row; whoever finds the count standing still takes over. No clocks are compared.
 */
export class Ownership {
  readonly #db: PostgresDatabase;
  readonly epoch: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isEnded = false;
  /** On the clock of this process: before the beat that was confirmed last. */
  #confirmedAtMs = performance.now();
  #confirming: Promise<boolean> | null = null;
  /** Beats that the database did not answer, since the start. */
  missedBeats = 0;

  private constructor(db: PostgresDatabase, epoch: number) {
    this.#db = db;
    this.epoch = epoch;
  }

  /** Takes the database when no server has it, or when its count stands still while this one looks. */
  static async take(db: PostgresDatabase, name: string, beatMs = BEAT_MS): Promise<Ownership> {
    const first = await look(db);
    let isAlive = first.name !== null;
    for (let beat = 0; isAlive && beat < BEATS_MISSED_MAX; beat += 1) {
      await new Promise((resolve) => setTimeout(resolve, beatMs));
      const now = await look(db);
      if (now.name !== null && (now.epoch !== first.epoch || now.beats !== first.beats)) throw inUse(now.name);
      if (now.name === null) isAlive = false;
    }
    const taken = await Ownership.seize(db, await look(db), name);
    if (!taken) throw inUse((await look(db)).name);
    return taken;
  }

  /** Takes the database if its owner is still as it was seen. Null: it was alive, or another server was faster. */
  static async seize(
    db: PostgresDatabase,
    seen: Owner,
    name: string,
    replicaId: string | null = null,
  ): Promise<Ownership | null> {
    const taken = await db.stored(
      "UPDATE owner SET epoch = epoch + 1, name = $1, beats = 0, replica_id = $2 WHERE epoch = $3 AND beats = $4 RETURNING epoch",
      [name, replicaId, seen.epoch, seen.beats],
    );
    const epoch = taken[0]?.["epoch"];
    return typeof epoch === "number" ? new Ownership(db, epoch) : null;
  }

  /** From now on others see that this server is alive. `onLost` is called once when another one has taken over. */
  start(onLost: () => void, beatMs = BEAT_MS): void {
    const beat = async () => {
      // A database that is away says nothing about that.
      const isOwn = await this.#beat().catch(() => {
        this.missedBeats += 1;
        return true;
      });
      if (this.#isEnded) return;
      if (isOwn) this.#timer = setTimeout(() => void beat(), beatMs);
      else onLost();
    };
    void beat();
  }

  /**
   * For what is stored without the epoch: rejects when another server has taken over, or when that cannot be known now. A
   * server that stood still looks before it stores anything.
   */
  async confirm(): Promise<void> {
    if (performance.now() - this.#confirmedAtMs < CONFIRMED_MS_MAX) return;
    this.#confirming ??= this.#beat().finally(() => {
      this.#confirming = null;
    });
    if (!(await this.#confirming)) throw new TakenOverError();
  }

  /** False: another server has taken over. */
  async #beat(): Promise<boolean> {
    const startedMs = performance.now();
    const isOwn = (await this.#db.run("UPDATE owner SET beats = beats + 1 WHERE epoch = $1", [this.epoch])) > 0;
    if (isOwn) this.#confirmedAtMs = startedMs;
    return isOwn;
  }

  /** The next server need not wait. */
  async release(): Promise<void> {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    // A database that is away keeps the name: the next server then looks whether this one is alive.
    await this.#db.run("UPDATE owner SET name = NULL WHERE epoch = $1", [this.epoch]);
  }
}

export const BEAT_MS = 500;
/** More than the time in which a busy server counts. */
export const BEATS_MISSED_MAX = 4;
/** Less than the time after which another server takes over. */
const CONFIRMED_MS_MAX = 1_000;

async function look(db: PostgresDatabase): Promise<Owner> {
  const row = await db.row("SELECT epoch, name, beats FROM owner");
  return ownerFrom(row ?? {});
}

export function ownerFrom(row: Readonly<Record<string, unknown>>): Owner {
  const name = row["name"];
  return {
    epoch: Number(row["epoch"]),
    name: typeof name === "string" ? name : null,
    beats: Number(row["beats"]),
  };
}

function inUse(name: string | null): DatabaseInUseError {
  return new DatabaseInUseError(
    `The server ${name ?? "of another machine"} works with this database, and one server uses a database at a time. Stop that one first, use another database, or make both servers of a team with LIMINAL_REPLICA_HOST.`,
  );
}
