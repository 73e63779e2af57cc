import { readFileSync } from "node:fs";
import { SQL } from "bun";
import { ignore } from "../../lib/ignore.ts";
import { type ConnectionSettings, type DatabaseHost, DatabaseUrlError } from "./connection-settings.ts";
import { DatabaseAwayError, databaseFaultOf, isCut } from "./database-faults.ts";

/**
 * Every query of the PostgreSQL store goes through here.
 *
 * - Statements are written with `$1`, `$2`, … and values beside them: `db.rows("SELECT … WHERE id = $1", [id])`.
 * - Texts may have any character: zeros, which PostgreSQL refuses, are escaped on the way in and come back as they were;
 *   half surrogates become U+FFFD, as SQLite keeps them. What is JSON stays `text`, never `jsonb`, which refuses both.
 *   JSON is therefore not read with SQL: what a statement must know stands in a column of its own.
 * - `bigint` comes back as a string: `Number(row["key"])`; `integer`, `double precision` and `boolean` as they are. Flags
 *   are `integer` 0 or 1, so that rows are decoded by the same functions as those of SQLite.
 * - A list is one value: `texts([...])` for `$1::text[]`, `numbers([...])` for `$1::bigint[]`.
 * - All that must happen together happens in `db.transaction((tx) => …)`; inside it only `tx` is used.
 * - Nothing here waits for ever: an unanswered query rejects with a DatabaseAwayError after its deadline.
 * - Of several hosts, the one that takes changes is used. It is looked for again when that fails.
 */

export type Row = Readonly<Record<string, unknown>>;
export type Value = string | number | boolean | null | List;

/** A list as one value of a statement. */
class List {
  readonly type: "TEXT" | "BIGINT";
  readonly items: readonly (string | number | null)[];

  constructor(type: List["type"], items: List["items"]) {
    this.type = type;
    this.items = items;
  }
}

/** For `$1::text[]`. */
export function texts(items: readonly (string | null)[]): List {
  return new List("TEXT", items);
}

/** For `$1::bigint[]`; whole numbers only. */
export function numbers(items: readonly (number | null)[]): List {
  return new List("BIGINT", items);
}

/** What statements are run with: the database itself, or one transaction in it. */
export interface Queries {
  rows(statement: string, values?: readonly Value[]): Promise<readonly Row[]>;
  /** The first row, or null. */
  row(statement: string, values?: readonly Value[]): Promise<Row | null>;
  /** Resolves with the number of rows that were changed. */
  run(statement: string, values?: readonly Value[]): Promise<number>;
}

interface DatabaseOptions {
  readonly connectionsMax: number;
  /** For one statement, and more for a long one. A hanging backend is detected in no other way. */
  readonly deadlineMs: number;
}

const OPTIONS: DatabaseOptions = { connectionsMax: 8, deadlineMs: 15_000 };
const CONNECT_SECONDS_MAX = 5;
/** One of several hosts answers in this time, or another one is used. */
const PROBE_MS_MAX = 2_000;
const NOWHERE: DatabaseHost = { hostname: "localhost", port: 0, socketDir: null };
/** A slow disk takes long texts at this rate. */
const CHARS_PER_MS = 500;

/** A pool of connections to one database. */
export class PostgresDatabase implements Queries {
  readonly #settings: ConnectionSettings;
  readonly #options: DatabaseOptions;
  readonly #ca: string | null;
  #host: DatabaseHost;
  #pool: SQL;
  /** It is not known that the host takes changes, and there are others. */
  #isUnsure: boolean;
  /** While it is looked for: which of several hosts takes changes. */
  #finding: Promise<void> | null = null;
  #isClosed = false;
  /** Called before whoever asked gets the error, for errors that mean that nothing can be stored. */
  onFailed: (error: unknown) => void = () => undefined;
  /** Called when something was stored. */
  onStored: () => void = () => undefined;
  /** Awaited before anything is stored; rejects where this server may not store. A SELECT does not ask. */
  mayStore: (() => Promise<void>) | null = null;

  constructor(settings: ConnectionSettings, options: Partial<DatabaseOptions> = {}) {
    this.#settings = settings;
    this.#options = { ...OPTIONS, ...options };
    this.#ca = settings.rootCertificate === null ? null : readRootCertificate(settings.rootCertificate);
    this.#host = settings.hosts[0] ?? NOWHERE;
    this.#pool = this.#connect();
    this.#isUnsure = settings.hosts.length > 1;
  }

  /** A pool of its own to the same database, with its own limits. What it meets is reported here too. */
  beside(options: Partial<DatabaseOptions>): PostgresDatabase {
    const other = new PostgresDatabase(this.#settings, { ...this.#options, ...options });
    other.onFailed = (error) => this.onFailed(error);
    other.onStored = () => this.onStored();
    return other;
  }

  async rows(statement: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    const ask = () =>
      this.#watched(async (pool) => (await query(pool, statement, values)).map(decoded), extraMs(values));
    try {
      return await ask();
    } catch (error) {
      // What only reads is asked again on another connection: this one may have been lost long before.
      if (!isCut(error) || !/^\s*SELECT\b/.test(statement)) throw error;
      return await ask();
    }
  }

  /** What a statement gives back that stores something. */
  async stored(statement: string, values: readonly Value[]): Promise<readonly Row[]> {
    await this.mayStore?.();
    const rows = await this.rows(statement, values);
    this.onStored();
    return rows;
  }

  async row(statement: string, values: readonly Value[] = []): Promise<Row | null> {
    return (await this.rows(statement, values))[0] ?? null;
  }

  async run(statement: string, values: readonly Value[] = []): Promise<number> {
    await this.mayStore?.();
    const count = await this.#watched(
      async (pool) => changedCount(await query(pool, statement, values)),
      extraMs(values),
    );
    this.onStored();
    return count;
  }

  /** All of `work` happens, or none of it. */
  async transaction<Result>(work: (tx: Queries) => Promise<Result>): Promise<Result> {
    await this.mayStore?.();
    // In an object: what the transaction gives back is Bun's to change otherwise.
    const { result } = await this.#watched((pool) => pool.begin(async (tx) => ({ result: await work(queriesOf(tx)) })));
    this.onStored();
    return result;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool.close({ timeout: 0 });
  }

  async #watched<Result>(work: (pool: SQL) => Promise<Result>, moreMs = 0): Promise<Result> {
    try {
      return await this.#inTime(work, moreMs);
    } catch (error) {
      const storageFault = databaseFaultOf(error);
      if (storageFault === null || !(error instanceof Error)) throw error;
      this.#isUnsure = this.#settings.hosts.length > 1;
      this.onFailed(error);
      // So that whoever reports it knows it for what it is, without knowing this database.
      throw Object.assign(error, { storageFault });
    }
  }

  async #inTime<Result>(work: (pool: SQL) => Promise<Result>, moreMs: number): Promise<Result> {
    const deadlineMs = this.#options.deadlineMs + moreMs;
    if (this.#isUnsure) await this.#found();
    const pool = this.#pool;
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      reject(new DatabaseAwayError(`The database did not answer within ${Math.round(deadlineMs / 1000)} s.`));
      this.#replace(pool);
    }, deadlineMs);
    try {
      return await Promise.race([work(pool), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Connections that stand still are given up: their queries must not be answered later. */
  #replace(pool: SQL): void {
    if (pool !== this.#pool || this.#isClosed) return;
    this.#pool = this.#connect();
    void pool.close({ timeout: 0 });
  }

  /** Resolves when a host is in use that takes changes; rejects when none does now. All who wait look once. */
  #found(): Promise<void> {
    this.#finding ??= this.#find().finally(() => {
      this.#finding = null;
    });
    return this.#finding;
  }

  async #find(): Promise<void> {
    const asked = await Promise.all(this.#settings.hosts.map(async (host) => ({ host, no: await this.#whyNot(host) })));
    const found = asked.find(({ no }) => no === null)?.host;
    if (this.#isClosed) throw new DatabaseAwayError("The connection to the database was closed.");
    if (!found)
      throw new DatabaseAwayError(
        `No server of the database takes changes: ${asked.map(({ host, no }) => `${nameOf(host)} ${no}`).join("; ")}.`,
      );
    this.#isUnsure = false;
    if (found === this.#host) return;
    this.#host = found;
    this.#replace(this.#pool);
  }

  /** Why a host cannot be used; null: it takes changes. */
  async #whyNot(host: DatabaseHost): Promise<string | null> {
    const probe = this.#connect(host, 1);
    const { promise: late, resolve } = Promise.withResolvers<string>();
    const timer = setTimeout(() => resolve("does not answer"), PROBE_MS_MAX);
    const ask = async () => {
      const rows = await query(probe, "SELECT pg_is_in_recovery() AS is_standby", []);
      return rows[0]?.["is_standby"] === false ? null : "is a standby";
    };
    try {
      return await Promise.race([ask(), late]);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      clearTimeout(timer);
      probe.close({ timeout: 0 }).catch(ignore("it was asked what it was opened for"));
    }
  }

  #connect(host = this.#host, max = this.#options.connectionsMax): SQL {
    const { username, password, database, tls } = this.#settings;
    const { hostname, port, socketDir } = host;
    return new SQL({
      adapter: "postgres",
      ...{ username, password, database, hostname, port, max },
      ...(socketDir !== null && { path: socketDir }),
      ...(tls !== "disable" && { tls: this.#ca === null ? tls : trusting(this.#ca, tls) }),
      connectionTimeout: CONNECT_SECONDS_MAX,
      connection: { application_name: "liminal", synchronous_commit: "on" },
    });
  }
}

function readRootCertificate(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new DatabaseUrlError(
      `LIMINAL_DATABASE_URL: the file ${path} cannot be read. Correct sslrootcert: it names the certificate that has signed the one of the database.`,
    );
  }
}

/** With a certificate of its own to trust, `require` looks at it too, as libpq does; only `verify-full` at the name. */
function trusting(ca: string, mode: ConnectionSettings["tls"]): object {
  return mode === "verify-full" ? { ca } : { ca, checkServerIdentity: () => undefined };
}

function nameOf({ hostname, port, socketDir }: DatabaseHost): string {
  return socketDir ?? `${hostname}:${port}`;
}

/** What a statement gets beyond the deadline of a short one. */
function extraMs(values: readonly Value[]): number {
  const sizes = values.map((value) => {
    if (value instanceof List)
      return value.items.reduce<number>((sum, item) => sum + (typeof item === "string" ? item.length : 0), 0);
    return typeof value === "string" ? value.length : 0;
  });
  return sizes.reduce((sum, size) => sum + size, 0) / CHARS_PER_MS;
}

type Runner = Pick<SQL, "unsafe">;
type Answer = readonly Row[] & { readonly count?: unknown };

function queriesOf(runner: Runner): Queries {
  const rows: Queries["rows"] = async (statement, values = []) => (await query(runner, statement, values)).map(decoded);
  return {
    rows,
    row: async (statement, values) => (await rows(statement, values))[0] ?? null,
    run: async (statement, values = []) => changedCount(await query(runner, statement, values)),
  };
}

async function query(runner: Runner, statement: string, values: readonly Value[]): Promise<Answer> {
  return await runner.unsafe(statement, values.map(encoded));
}

function changedCount(answer: Answer): number {
  return Number(answer.count ?? 0);
}

function encoded(value: Value): unknown {
  if (value instanceof List) return encodedList(value);
  return typeof value === "string" ? escapeText(value) : value;
}

const lists = new SQL({ adapter: "postgres" });

function encodedList({ type, items }: List): unknown {
  return lists.array(
    items.map((item) => (typeof item === "string" ? escapeText(item) : item)),
    type,
  );
}

function decoded(row: Row): Row {
  for (const value of Object.values(row))
    if (typeof value === "string" && value.includes(MARK)) return decodedTexts(row);
  return row;
}

function decodedTexts(row: Row): Row {
  const entries = Object.entries(row);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === "string" ? unescapeText(value) : value]),
  );
}

const MARK = "\u0001";
const ZERO = "\u0000";

/** PostgreSQL refuses zeros. JSON never has one, nor the mark: it writes both as `\u` and four digits. */
export function escapeText(text: string): string {
  const whole = text.toWellFormed();
  if (!whole.includes(ZERO) && !whole.includes(MARK)) return whole;
  return whole.replaceAll(MARK, `${MARK}1`).replaceAll(ZERO, `${MARK}0`);
}

export function unescapeText(text: string): string {
  return text.replaceAll(`${MARK}0`, ZERO).replaceAll(`${MARK}1`, MARK);
}
