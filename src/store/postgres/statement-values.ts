import { numbers, texts, type Value } from "./database.ts";

type ColumnType = "bigint" | "integer" | "double precision" | "text";
/** The columns of a table that a statement is given. */
export type ColumnTypes = Readonly<Record<string, ColumnType>>;
/** One row of it. */
export type GivenRow<Columns extends ColumnTypes> = Readonly<Record<keyof Columns, string | number | null>>;

/** Collects the values of one statement. */
export class StatementValues {
  readonly values: Value[] = [];

  /** The place of this value in the statement. */
  add(value: Value): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  /** Rows as one list per column: `unnest($1::bigint[], $2::text[]) AS name(key, json)`. */
  table<Columns extends ColumnTypes>(name: string, columns: Columns, rows: readonly GivenRow<Columns>[]): string {
    const names: readonly (keyof Columns & string)[] = Object.keys(columns);
    const lists = names.map((column) => {
      const type = columns[column] ?? "text";
      const items = rows.map((row) => row[column]);
      // Fractions have no list of their own: their digits are read by the database.
      if (type === "bigint" || type === "integer") return `${this.add(numbers(items.map(numberOf)))}::${type}[]`;
      return `${this.add(texts(items.map((item) => (item === null ? null : String(item)))))}::text[]${type === "text" ? "" : `::${type}[]`}`;
    });
    return `unnest(${lists.join(", ")}) AS ${name}(${names.join(", ")})`;
  }
}

function numberOf(item: string | number | null): number | null {
  return item === null ? null : Number(item);
}
