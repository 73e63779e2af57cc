import { z } from "zod/mini";
import { parseJson } from "../../lib/parse-json.ts";
import { numbers, type Queries, type Value as SqlValue, texts } from "../postgres/database.ts";
import {
  MOVED_TABLES,
  type MovedRow,
  type MovedTable,
  type Tables,
  type Value,
  type WritableTables,
} from "./moved-tables.ts";

const Origin = z.object({ sessionId: z.string() });
const EntryParts = z.object({
  type: z.string(),
  parentToolCallId: z.optional(z.string()),
  steered: z.optional(z.boolean()),
  turnId: z.optional(z.string()),
});

/** Columns here that are only part of JSON there, by table. */
const DERIVED: Readonly<Record<string, (row: MovedRow) => MovedRow>> = {
  session: ({ origin }) => ({
    origin_id: typeof origin === "string" ? (Origin.safeParse(parseJson(origin)).data?.sessionId ?? null) : null,
  }),
  entry: ({ json }) => {
    const entry = EntryParts.safeParse(parseJson(String(json))).data;
    return {
      type: entry?.type ?? "",
      inner_one: entry?.parentToolCallId === undefined ? 0 : 1,
      steered: entry?.type === "user" && entry.steered === true ? 1 : 0,
      turn_id: entry?.turnId ?? null,
    };
  },
};
const WITH_NUMBERS_OF_ITS_OWN = ["session", "policy_rule", "permission_record"];

/** Within one transaction: reads see one moment, and writes take effect together or not at all. */
export class PostgresTables implements Tables, WritableTables {
  readonly #tx: Queries;
  readonly #types = new Map<string, ReadonlyMap<string, string>>();

  constructor(tx: Queries) {
    this.#tx = tx;
  }

  async columns({ name }: MovedTable): Promise<readonly string[]> {
    return [...(await this.#typesOf(name)).keys()];
  }

  async *read({ name, orderedBy, rowsMax }: MovedTable, columns: readonly string[]) {
    const types = await this.#typesOf(name);
    await this.#tx.run(
      `DECLARE moved NO SCROLL CURSOR FOR SELECT ${columns.join(", ")} FROM ${name} ORDER BY ${orderedBy}`,
    );
    for (;;) {
      const rows = await this.#tx.rows(`FETCH ${rowsMax} FROM moved`);
      yield rows.map(
        (row): MovedRow =>
          Object.fromEntries(columns.map((column) => [column, storedValue(row[column], types.get(column))])),
      );
      if (rows.length < rowsMax) break;
    }
    await this.#tx.run("CLOSE moved");
  }

  async isEmpty(): Promise<boolean> {
    const looks = MOVED_TABLES.map(({ name }) => `EXISTS (SELECT 1 FROM ${name})`);
    return (await this.#tx.row(`SELECT ${looks.join(" OR ")} AS some`))?.["some"] !== true;
  }

  async clear(name: string): Promise<void> {
    await this.#tx.run(`DELETE FROM ${name}`);
  }

  async write({ name }: MovedTable, columns: readonly string[], rows: readonly MovedRow[]): Promise<void> {
    if (rows.length === 0) return;
    const types = await this.#typesOf(name);
    const whole = rows.map((row) => ({ ...row, ...DERIVED[name]?.(row) }));
    const names = Object.keys(DERIVED[name]?.(rows[0] ?? {}) ?? {});
    const all = [...columns, ...names];
    const lists = all.map((column, nth) => listAt(nth + 1, types.get(column) ?? "text"));
    await this.#tx.run(
      `INSERT INTO ${name} (${all.join(", ")}) OVERRIDING SYSTEM VALUE SELECT * FROM unnest(${lists.join(", ")})`,
      all.map((column) => listOf(whole, column, types.get(column) ?? "text")),
    );
  }

  async finish(): Promise<void> {
    for (const name of WITH_NUMBERS_OF_ITS_OWN)
      await this.#tx.rows(
        `SELECT setval(pg_get_serial_sequence('${name}', 'key'), COALESCE(max(key), 0) + 1, false) FROM ${name}`,
      );
    await this.#tx.run(
      "INSERT INTO search_backlog (session_key, before_position) SELECT key, next_position FROM session",
    );
  }

  async #typesOf(name: string): Promise<ReadonlyMap<string, string>> {
    const known = this.#types.get(name);
    if (known) return known;
    const rows = await this.#tx.rows(
      `SELECT column_name::text AS name, data_type::text AS type FROM information_schema.columns
       WHERE table_schema = current_schema() AND table_name = $1 ORDER BY ordinal_position`,
      [name],
    );
    const types = new Map(rows.map((row) => [String(row["name"]), String(row["type"])]));
    this.#types.set(name, types);
    return types;
  }
}

const isWhole = (type: string) => type === "bigint" || type === "integer";

/** Fractions have no array type: the database parses their digits. */
function listAt(place: number, type: string): string {
  if (isWhole(type)) return `$${place}::bigint[]::${type}[]`;
  return type === "text" ? `$${place}::text[]` : `$${place}::text[]::${type}[]`;
}

function listOf(rows: readonly MovedRow[], column: string, type: string): SqlValue {
  const values = rows.map((row) => row[column] ?? null);
  if (isWhole(type)) return numbers(values.map((value) => (value === null ? null : Number(value))));
  return texts(values.map((value) => (value === null ? null : String(value))));
}

function storedValue(value: unknown, type: string | undefined): Value {
  if (value === null || value === undefined) return null;
  return type === "text" ? String(value) : Number(value);
}

/** Removes everything that a move has written. */
export async function emptyPostgres(tx: Queries): Promise<void> {
  await tx.run(`TRUNCATE ${MOVED_TABLES.map(({ name }) => name).join(", ")} CASCADE`);
}
