import type { PostgresDatabase, Row } from "./database.ts";
import { BEAT_MS, BEATS_MISSED_MAX, type Owner, Ownership, ownerFrom } from "./ownership.ts";

/** After the database was away, its owner gets this many looks of ours to count again. */
const BEATS_AFTER_OUTAGE = 12;
/** The owner forgets a replica whose count has stood still for so many beats of its own. */
const FORGOTTEN_BEATS = 20;
const TEAM_ID_CHARS = 8;

/** Where the other servers of a team reach one. */
export interface ReplicaAddress {
  readonly origin: string;
  /** In PEM; null without TLS. */
  readonly certificate: string | null;
}

interface ReplicaOptions extends ReplicaAddress {
  /** Of its own, with a short deadline: the beats of a server must not wait behind its work. */
  readonly db: PostgresDatabase;
  /** Of this run alone. */
  readonly id: string;
  /** A display name. */
  readonly name: string;
  readonly version: string;
  /** Another server is active than before, or none. */
  readonly onWorks: () => void;
}

/**
 * Tells a dead owner from one that is alive, by its count alone: it is dead when the count stood still during enough looks
 * in a row that the database answered. No clock is compared, and a database that is away declares nobody dead.
 */
export class OwnerWatch {
  #last: Owner | null = null;
  #stillCount = 0;
  #needed = BEATS_MISSED_MAX;

  /** True: nobody has the database, or whoever had it is dead. */
  isFree(seen: Owner): boolean {
    const last = this.#last;
    this.#last = seen;
    if (seen.name === null) return true;
    if (last?.epoch === seen.epoch && last.beats === seen.beats) this.#stillCount += 1;
    else {
      this.#stillCount = 0;
      if (last !== null) this.#needed = BEATS_MISSED_MAX;
    }
    return this.#stillCount >= this.#needed;
  }

  /** A look that the database did not answer. */
  missed(): void {
    this.#stillCount = 0;
    this.#needed = BEATS_AFTER_OUTAGE;
  }
}

/** The names of the servers of the team that counted while this looked. */
export async function aliveReplicas(db: PostgresDatabase, watchedMs: number): Promise<readonly string[]> {
  const look = () => db.rows("SELECT id, name, beats FROM replica ORDER BY name");
  const before = new Map((await look()).map((row) => [row["id"], row["beats"]]));
  if (before.size === 0) return [];
  await new Promise((resolve) => setTimeout(resolve, watchedMs));
  const now = await look();
  return now.filter((row) => before.get(row["id"]) !== row["beats"]).map((row) => String(row["name"]));
}

/**
 * One server of a team on one database. It counts up a row of its own while it is alive; while it stands by it watches the
 * owner, and takes over when that is dead or has given the database back.
 */
export class Replica {
  readonly id: string;
  readonly #options: ReplicaOptions;
  readonly #stills = new Map<string, { beats: number; stillCount: number }>();
  #watch = new OwnerWatch();
  #waiting: PromiseWithResolvers<Ownership | null> | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #beating: Promise<void> = Promise.resolve();
  #owner: Owner | null = null;
  #works: ReplicaAddress | null = null;
  #isSettled = Promise.withResolvers<void>();
  #isStopped = false;

  constructor(options: ReplicaOptions) {
    this.id = options.id;
    this.#options = options;
  }

  /** The same for all servers on this database, for good. */
  async teamId(): Promise<string> {
    const fresh = this.id.replaceAll("-", "").slice(0, TEAM_ID_CHARS);
    const rows = await this.#options.db.stored("UPDATE owner SET team_id = COALESCE(team_id, $1) RETURNING team_id", [
      fresh,
    ]);
    return String(rows[0]?.["team_id"]);
  }

  /** The first beat must be answered; later ones are tried again for as long as it takes. */
  async start(): Promise<void> {
    const seen = await this.#count();
    await this.#saw(seen);
    this.#schedule();
  }

  /** The server that works now, as far as it is known; null: none, this one, or one that is of no team. */
  get works(): ReplicaAddress | null {
    return this.#works;
  }

  /** Resolves when it is known that another server is alive and works; never when this one is to take over. */
  get otherWorks(): Promise<void> {
    return this.#isSettled.promise;
  }

  /** Stands by until the database is free, and takes it. Null: it was stopped before. */
  succeed(): Promise<Ownership | null> {
    if (this.#isStopped) return Promise.resolve(null);
    this.#watch = new OwnerWatch();
    this.#waiting ??= Promise.withResolvers();
    return this.#waiting.promise;
  }

  /** The others forget it. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#waiting?.resolve(null);
    this.#waiting = null;
    await this.#beating;
    await this.#options.db.run("DELETE FROM replica WHERE id = $1", [this.id]);
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#beating = this.#beat().finally(() => this.#schedule());
    }, BEAT_MS);
  }

  async #beat(): Promise<void> {
    try {
      await this.#saw(await this.#count());
    } catch {
      // Tried again with the next beat; what reads and writes reports a database that is away.
      this.#watch.missed();
    }
  }

  /** One statement: it counts up its own row, and reads who has the database. */
  async #count(): Promise<Row> {
    const { db, name, origin, certificate, version } = this.#options;
    const row = await db.row(
      `WITH me AS (
         INSERT INTO replica (id, name, origin, certificate, version) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (id) DO UPDATE SET beats = replica.beats + 1
       )
       SELECT owner.epoch, owner.name, owner.beats, owner.replica_id, works.origin, works.certificate
       FROM owner LEFT JOIN replica works ON works.id = owner.replica_id`,
      [this.id, name, origin, certificate, version],
    );
    return row ?? {};
  }

  async #saw(row: Row): Promise<void> {
    const seen = ownerFrom(row);
    const isMine = row["replica_id"] === this.id;
    const { origin, certificate } = row;
    const worked = this.#works?.origin;
    this.#works =
      isMine || seen.name === null || typeof origin !== "string"
        ? null
        : { origin, certificate: typeof certificate === "string" ? certificate : null };
    if (this.#works?.origin !== worked) this.#options.onWorks();
    const before = this.#owner;
    this.#owner = seen;
    if (!this.#waiting) return isMine ? this.#forgetDead() : undefined;
    if (before && seen.name !== null && before.beats !== seen.beats) this.#isSettled.resolve();
    if (!this.#watch.isFree(seen)) return;
    const { db, name } = this.#options;
    const ownership = await Ownership.seize(db, seen, name, this.id);
    this.#watch = new OwnerWatch();
    if (!ownership) return;
    // It was stopped meanwhile.
    if (!this.#waiting) return ownership.release();
    if (this.#works !== null) {
      this.#works = null;
      this.#options.onWorks();
    }
    this.#waiting.resolve(ownership);
    this.#waiting = null;
  }

  /** One that was only stopped writes its row again. */
  async #forgetDead(): Promise<void> {
    const { db } = this.#options;
    const rows = await db.rows("SELECT id, beats FROM replica WHERE id <> $1", [this.id]);
    for (const row of rows) {
      const [id, beats] = [String(row["id"]), Number(row["beats"])];
      const known = this.#stills.get(id);
      const stillCount = known?.beats === beats ? known.stillCount + 1 : 0;
      this.#stills.set(id, { beats, stillCount });
      if (stillCount < FORGOTTEN_BEATS) continue;
      this.#stills.delete(id);
      await db.run("DELETE FROM replica WHERE id = $1 AND beats = $2", [id, beats]);
    }
  }
}
