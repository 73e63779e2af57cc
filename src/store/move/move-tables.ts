import { createHash } from "node:crypto";
import { invariant } from "../../lib/assert.ts";
import {
  FILLED_BY_TRIGGERS,
  MOVED_TABLES,
  type MovedRow,
  type MovedTable,
  type Tables,
  type WritableTables,
} from "./moved-tables.ts";

/** Columns that only one of the databases has: the other one reads them from JSON, or computes its own. */
const OF_ONE: ReadonlySet<string> = new Set([
  ...["session.commit_id", "session.origin_id"],
  ...["entry.type", "entry.inner_one", "entry.steered", "entry.turn_id"],
]);

/** Copies everything into an empty database; how many rows of each table. */
export async function copyTables(from: Tables, to: Tables & WritableTables): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const table of MOVED_TABLES) {
    const columns = await commonColumns(table, from, to);
    if (table.name === FILLED_BY_TRIGGERS) await to.clear(table.name);
    let count = 0;
    for await (const rows of from.read(table, columns)) {
      await to.write(table, columns, rows);
      count += rows.length;
    }
    counts.set(table.name, count);
  }
  await to.finish();
  return counts;
}

/** The tables that differ, by name; empty: every value of every row is in both. */
export async function differingTables(one: Tables, other: Tables): Promise<readonly string[]> {
  const differing: string[] = [];
  for (const table of MOVED_TABLES) {
    const columns = await commonColumns(table, one, other);
    const [first, second] = [await digestOf(table, columns, one), await digestOf(table, columns, other)];
    if (first !== second) differing.push(table.name);
  }
  return differing;
}

async function commonColumns(table: MovedTable, one: Tables, other: Tables): Promise<readonly string[]> {
  const [first, second] = [await one.columns(table), await other.columns(table)];
  const missing = [
    ...first.filter((column) => !second.includes(column)),
    ...second.filter((column) => !first.includes(column)),
  ].filter((column) => !OF_ONE.has(`${table.name}.${column}`));
  invariant(missing.length === 0, `${table.name} has columns that would not be moved: ${missing.join(", ")}`);
  return first.filter((column) => second.includes(column));
}

/** Over all rows in any order: databases sort texts in different ways. */
async function digestOf(table: MovedTable, columns: readonly string[], tables: Tables): Promise<string> {
  let sum = 0n;
  let count = 0;
  for await (const rows of tables.read(table, columns)) {
    for (const row of rows) sum = BigInt.asUintN(DIGEST_BITS, sum + digestOfRow(row, columns));
    count += rows.length;
  }
  return `${count} ${sum}`;
}

const DIGEST_BITS = 256;

function digestOfRow(row: MovedRow, columns: readonly string[]): bigint {
  const values = JSON.stringify(columns.map((column) => row[column] ?? null));
  return BigInt(`0x${createHash("sha256").update(values).digest("hex")}`);
}
