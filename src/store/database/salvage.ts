import { closeSync, copyFileSync, existsSync, openSync, readSync, rmSync, statSync, truncateSync } from "node:fs";
import { homedir } from "node:os";
import { basename } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseJson } from "../../lib/parse-json.ts";
import { type RebuiltSchema, rebuildSchema, versionInHeader } from "./rebuild-schema.ts";

/** Rows read at once; an unreadable range is halved until the unreadable row is isolated. */
const RANGE_ROWS = 512;
/** After this many unreadable rows of one table the rest is skipped: trying each would take minutes. */
const FAILURES_MAX = 20_000;
const ROW_BYTES_MIN = 24;
const EMPTY_RANGES_MAX = 4;
/** Offsets of the page size and the number of pages in a database file. */
const HEADER = { bytes: 100, pageSizeAt: 16, pagesAt: 28 } as const;
/** For entries without a time, in a session whose own times are lost. */
const UNKNOWN_TIME = "1970-01-01T00:00:00.000Z";
/** Rebuilt from the entries, in the background. */
const REBUILT = /^search_/;

export interface Salvage {
  /** Rows that were copied, by table. */
  readonly copied: ReadonlyMap<string, number>;
  /** Row numbers that could not be read, by table; there may have been fewer rows. */
  readonly lost: ReadonlyMap<string, number>;
  /** Tables that were not found, because the list of tables was lost; they may have been empty. */
  readonly missing: readonly string[];
}

type Row = Record<string, unknown>;

/**
 * Copies all readable data of a damaged database into a new one of the same schema. `isDamage` distinguishes damage
 * from other errors; `stamp`, unique per salvage, is part of newly created ids. Null if nothing can be read; then no
 * file is left.
 */
export function salvageDatabase(
  from: string,
  to: string,
  migrations: readonly string[],
  isDamage: (error: unknown) => boolean,
  stamp: string,
): Salvage | null {
  const work = `${to}.salvaging`;
  try {
    const isPadded = paddedCopy(from, work);
    const isListed = hasTables(isPadded ? work : from, isDamage);
    const version = isListed ? isListed.version : (versionInHeader(from) ?? migrations.length);
    if (version < 1 || version > migrations.length) return null;
    const schema = migrations.slice(0, version);
    const salvage = isListed && copyTables(isPadded ? work : from, to, { schema, isDamage, rebuilt: null, stamp });
    // Nothing refers to the rows of a table whose first page is damaged, but they exist.
    const isRootLost = salvage && [...salvage.lost.keys()].some((table) => !salvage.copied.has(table));
    if (salvage && !isRootLost) return salvage;
    using model = new DatabaseSync(":memory:");
    for (const step of schema) model.exec(step);
    const rebuilt = rebuildSchema(from, work, model);
    if (!rebuilt) return salvage;
    for (const suffix of JOURNALS) rmSync(to + suffix, { force: true });
    return copyTables(work, to, { schema, isDamage, rebuilt, stamp });
  } finally {
    for (const suffix of JOURNALS) rmSync(work + suffix, { force: true });
  }
}

/** Null when the list of tables is unreadable. */
function hasTables(path: string, isDamage: (error: unknown) => boolean): { readonly version: number } | null {
  const source = new DatabaseSync(path, { readOnly: true });
  try {
    source.prepare("SELECT count(*) FROM sqlite_master").get();
    return { version: Number(source.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0) };
  } catch (error) {
    if (isDamage(error)) return null;
    throw error;
  } finally {
    source.close();
  }
}

interface CopyOptions {
  readonly schema: readonly string[];
  readonly isDamage: (error: unknown) => boolean;
  readonly rebuilt: RebuiltSchema | null;
  readonly stamp: string;
}

function copyTables(from: string, to: string, options: CopyOptions): Salvage {
  const { schema } = options;
  const source = new DatabaseSync(from, { readOnly: true });
  closeSync(openSync(to, "a", 0o600));
  const target = new DatabaseSync(to);
  try {
    target.exec("PRAGMA foreign_keys = OFF; BEGIN");
    for (const step of schema) target.exec(step);
    target.exec(`PRAGMA user_version = ${schema.length}`);
    const rowsMax = Math.ceil(statSync(from).size / ROW_BYTES_MIN);
    const salvage = new TableCopier(source, target, rowsMax, options).copyAll();
    target.exec("COMMIT");
    return salvage;
  } finally {
    target.close();
    source.close();
  }
}

const JOURNALS = ["", "-wal", "-shm"];

/** SQLite reads nothing of a truncated file: a copy gets its full length back. False for one that is long enough. */
function paddedCopy(from: string, to: string): boolean {
  const { size } = statSync(from);
  if (size < HEADER.bytes) return false;
  const header = Buffer.alloc(HEADER.bytes);
  const file = openSync(from, "r");
  readSync(file, header, 0, HEADER.bytes, 0);
  closeSync(file);
  const pageBytes = header.readUInt16BE(HEADER.pageSizeAt) === 1 ? 65_536 : header.readUInt16BE(HEADER.pageSizeAt);
  const fullBytes = pageBytes * header.readUInt32BE(HEADER.pagesAt);
  if (size >= fullBytes || fullBytes > size * 100) return false;
  for (const suffix of JOURNALS) if (existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix);
  truncateSync(to, fullBytes);
  return true;
}

class TableCopier {
  readonly #source: DatabaseSync;
  readonly #target: DatabaseSync;
  readonly #rowsMax: number;
  readonly #isDamage: (error: unknown) => boolean;
  readonly #rebuilt: RebuiltSchema | null;
  readonly #stamp: string;
  readonly #copied = new Map<string, number>();
  readonly #lost = new Map<string, number>();

  constructor(source: DatabaseSync, target: DatabaseSync, rowsMax: number, { isDamage, rebuilt, stamp }: CopyOptions) {
    this.#source = source;
    this.#target = target;
    this.#rowsMax = rowsMax;
    this.#isDamage = isDamage;
    this.#rebuilt = rebuilt;
    this.#stamp = stamp;
  }

  copyAll(): Salvage {
    const triggers = this.#target.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").all();
    for (const { name } of triggers) this.#target.exec(`DROP TRIGGER ${quoted(name)}`);
    const tables = this.#target
      .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .all();
    for (const { name, sql } of tables) {
      const table = String(name);
      if (REBUILT.test(table)) continue;
      for (const part of this.#rebuilt ? (this.#rebuilt.parts.get(table) ?? []) : [table])
        if (/WITHOUT ROWID/i.test(String(sql))) this.#copyFromBothEnds(table, part);
        else this.#copyByRow(table, part);
    }
    this.#mend(tables.map(({ name }) => String(name)));
    for (const { sql } of triggers) this.#target.exec(String(sql));
    return { copied: this.#copied, lost: this.#lost, missing: this.#rebuilt?.missing ?? [] };
  }

  /** `part` is the table in the source, or a piece of it. */
  #copyByRow(table: string, part: string): void {
    const rows = this.#source.prepare(`SELECT * FROM ${quoted(part)} NOT INDEXED WHERE rowid BETWEEN ? AND ?`);
    let failures = 0;
    const copy = (first: number, last: number): void => {
      if (failures >= FAILURES_MAX) {
        this.#count(this.#lost, table, last - first + 1);
        return;
      }
      const found = this.#read(() => rows.all(first, last));
      if (found) for (const row of found) this.#put(table, row);
      else if (first === last) {
        failures += 1;
        this.#count(this.#lost, table, 1);
      } else {
        const middle = Math.floor((first + last) / 2);
        copy(first, middle);
        copy(middle + 1, last);
      }
    };
    const highest = this.#read(() => this.#source.prepare(`SELECT max(rowid) AS last FROM ${quoted(part)}`).get());
    const last = highest ? Number(highest["last"] ?? 0) : this.#rowsMax;
    let emptyRanges = 0;
    for (let first = 1; first <= last; first += RANGE_ROWS) {
      const before = this.#copied.get(table) ?? 0;
      copy(first, Math.min(first + RANGE_ROWS - 1, last));
      emptyRanges = (this.#copied.get(table) ?? 0) === before ? emptyRanges + 1 : 0;
      // If the last page is damaged its end is unknown, and every number after it fails.
      if (highest === null && emptyRanges >= EMPTY_RANGES_MAX) break;
    }
  }

  /** Tables without row numbers: up to the first unreadable page from either end. */
  #copyFromBothEnds(table: string, part: string): void {
    const key = this.#target
      .prepare(`SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk`)
      .all(table)
      .map(({ name }) => quoted(name));
    const isWhole = this.#copyInOrder(table, part, key.join(", "));
    if (isWhole) return;
    this.#copyInOrder(table, part, key.map((name) => `${name} DESC`).join(", "));
    this.#count(this.#lost, table, 1);
  }

  /** Whether the table could be read to its end, or to where it was copied before. */
  #copyInOrder(table: string, part: string, order: string): boolean {
    try {
      const rows = this.#source.prepare(`SELECT * FROM ${quoted(part)} ORDER BY ${order}`).iterate();
      for (const row of rows) if (!this.#put(table, row)) return true;
      return true;
    } catch (error) {
      if (this.#isDamage(error)) return false;
      throw error;
    }
  }

  /** False for an existing row. Values destroyed by a damaged page are left out. */
  #put(table: string, row: Row): boolean {
    const isNonsense = typeof row["json"] === "string" && parseJson(row["json"]) === undefined;
    if (isNonsense) {
      this.#count(this.#lost, table, 1);
      return true;
    }
    const names = Object.keys(row);
    const insert = `INSERT OR IGNORE INTO ${quoted(table)} (${names.map(quoted).join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
    try {
      const { changes } = this.#target.prepare(insert).run(...names.map((name) => plainValue(row[name])));
      if (Number(changes) > 0) this.#count(this.#copied, table, 1);
      return Number(changes) > 0;
    } catch (error) {
      // A value of the wrong kind: the table is strict, and the page was damaged.
      if (!(error instanceof Error) || !/cannot store|constraint/i.test(error.message)) throw error;
      this.#count(this.#lost, table, 1);
      return true;
    }
  }

  /** Entries of a session whose own row is lost are shown in a new one: its title, agent and project are unknown. */
  #mendSessions(): void {
    const orphans = this.#target
      .prepare(
        `SELECT session_key AS key, max(position) AS last, min(json_extract(json, '$.timestamp')) AS first_at,
           max(json_extract(json, '$.timestamp')) AS last_at
         FROM entry WHERE session_key NOT IN (SELECT key FROM session) GROUP BY session_key`,
      )
      .all();
    if (orphans.length === 0) return;
    this.#target
      .prepare("INSERT OR IGNORE INTO project (id, path, name, added_at, position) VALUES (?, ?, ?, ?, 0)")
      .run(`recovered-${this.#stamp}`, homedir(), basename(homedir()) || homedir(), UNKNOWN_TIME);
    this.#target.prepare("UPDATE project SET removed = 0 WHERE path = ?").run(homedir());
    const add = this.#target.prepare(
      `INSERT INTO session (key, id, project_id, cli_type, title, created_at, last_active_at, turn, agent_session_id,
         agent_session_at, cwd, agent_state, agent_state_at, next_position)
       SELECT ?, ?, id, 'builtin', 'Recovered session', ?, ?, '{"state":"idle"}', '', ?, path, 'idle', ?, ?
       FROM project WHERE path = ?`,
    );
    for (const { key, last, first_at, last_at } of orphans) {
      const [from, to] = [String(first_at ?? UNKNOWN_TIME), String(last_at ?? UNKNOWN_TIME)];
      add.run(
        Number(key),
        `builtin:recovered-${this.#stamp}-${Number(key)}`,
        from,
        to,
        from,
        to,
        Number(last) + 1,
        homedir(),
      );
      // Without the state they were folded into, the facts of the last turns cannot be used.
      this.#target.prepare("DELETE FROM fact WHERE session_key = ?").run(Number(key));
      this.#count(this.#lost, "session", 1);
    }
  }

  /** Sessions without their project get a new one; other data of a lost session is removed. */
  #mend(tables: readonly string[]): void {
    this.#mendSessions();
    const orphans = this.#target
      .prepare(
        `SELECT project_id AS id, min(cwd) AS path, min(created_at) AS at FROM session
         WHERE project_id NOT IN (SELECT id FROM project) GROUP BY project_id`,
      )
      .all();
    const add = this.#target.prepare(
      `INSERT OR IGNORE INTO project (id, path, name, added_at, position)
       VALUES (?, ?, ?, ?, (SELECT COALESCE(MAX(position), 0) + 1 FROM project))`,
    );
    for (const { id, path, at } of orphans)
      add.run(String(id), String(path), basename(String(path)) || String(path), String(at));
    this.#target.exec(
      `UPDATE session SET project_id = (SELECT id FROM project WHERE path = session.cwd)
       WHERE project_id NOT IN (SELECT id FROM project) AND cwd IN (SELECT path FROM project)`,
    );
    for (const table of tables) {
      if (REBUILT.test(table)) continue;
      const keys = this.#target.prepare("SELECT * FROM pragma_foreign_key_list(?)").all(table);
      for (const { from, table: parent, to } of keys) {
        const gone = `${quoted(from)} IS NOT NULL AND ${quoted(from)} NOT IN (SELECT ${quoted(to)} FROM ${quoted(parent)})`;
        const { changes } = this.#target.prepare(`DELETE FROM ${quoted(table)} WHERE ${gone}`).run();
        if (Number(changes) > 0) this.#count(this.#lost, table, Number(changes));
      }
    }
    // What the triggers would have written.
    if (tables.includes("agent_session"))
      this.#target.exec(
        `INSERT OR IGNORE INTO agent_session (cli_type, agent_session_id, session_key)
         SELECT cli_type, agent_session_id, key FROM session WHERE agent_session_id <> '' ORDER BY key`,
      );
    if (tables.includes("search_backlog"))
      this.#target.exec(
        "INSERT INTO search_backlog (session_key, before_position) SELECT key, next_position FROM session",
      );
  }

  #read<Found>(read: () => Found): Found | null {
    try {
      return read();
    } catch (error) {
      if (this.#isDamage(error)) return null;
      throw error;
    }
  }

  #count(counts: Map<string, number>, table: string, rows: number): void {
    counts.set(table, (counts.get(table) ?? 0) + rows);
  }
}

function quoted(name: unknown): string {
  return `"${String(name).replaceAll('"', '""')}"`;
}

function plainValue(value: unknown): string | number | bigint | Uint8Array | null {
  const isPlain = typeof value === "string" || typeof value === "number" || typeof value === "bigint";
  return isPlain || value instanceof Uint8Array ? value : null;
}
