import type { DatabaseSync } from "node:sqlite";
import {
  MOVED_TABLES,
  type MovedRow,
  type MovedTable,
  type Tables,
  type Value,
  type WritableTables,
} from "./moved-tables.ts";

export class SqliteTables implements Tables, WritableTables {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  async columns({ name }: MovedTable): Promise<readonly string[]> {
    return this.#db
      .prepare("SELECT name FROM pragma_table_info(?) ORDER BY cid")
      .all(name)
      .map((row) => String(row["name"]));
  }

  async *read({ name, orderedBy, rowsMax }: MovedTable, columns: readonly string[]) {
    const found = this.#db.prepare(`SELECT ${columns.join(", ")} FROM ${name} ORDER BY ${orderedBy}`).iterate();
    let rows: MovedRow[] = [];
    for (const row of found) {
      rows.push(Object.fromEntries(columns.map((column) => [column, storedValue(row[column])])));
      if (rows.length < rowsMax) continue;
      yield rows;
      rows = [];
    }
    yield rows;
  }

  async isEmpty(): Promise<boolean> {
    return MOVED_TABLES.every(({ name }) => this.#db.prepare(`SELECT 1 FROM ${name} LIMIT 1`).get() === undefined);
  }

  async clear(name: string): Promise<void> {
    this.#db.exec(`DELETE FROM ${name}`);
  }

  async write({ name }: MovedTable, columns: readonly string[], rows: readonly MovedRow[]): Promise<void> {
    const places = columns.map(() => "?").join(", ");
    const insert = this.#db.prepare(`INSERT INTO ${name} (${columns.join(", ")}) VALUES (${places})`);
    for (const row of rows) insert.run(...columns.map((column) => row[column] ?? null));
  }

  async finish(): Promise<void> {
    this.#db.exec("INSERT INTO search_backlog (session_key, before_position) SELECT key, next_position FROM session");
  }
}

function storedValue(value: unknown): Value {
  if (value === null || typeof value === "string" || typeof value === "number") return value;
  throw new Error(`A value that no table of this program has: ${typeof value}`);
}
