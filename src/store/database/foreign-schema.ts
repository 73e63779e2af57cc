import { DatabaseSync } from "node:sqlite";
import { MIGRATIONS } from "../migrations.ts";
import { userVersionOf } from "./open-database.ts";

/**
 * Something in a database that acts by itself and that none of our migrations made: a trigger could answer permission
 * requests in the user's name without being seen anywhere. Its name, or null.
 */
export function findForeignActor(path: string): string | null {
  using db = new DatabaseSync(path, { readOnly: true });
  using ours = new DatabaseSync(":memory:");
  for (const migration of MIGRATIONS.slice(0, userVersionOf(db))) ours.exec(migration);
  const known = new Map(actorsOf(ours));
  return actorsOf(db).find(([name, sql]) => known.get(name) !== sql)?.[0] ?? null;
}

function actorsOf(db: DatabaseSync): readonly (readonly [string, string])[] {
  const rows = db.prepare("SELECT name, sql FROM sqlite_schema WHERE type IN ('trigger', 'view') ORDER BY name").all();
  return rows.map((row) => [String(row["name"]), String(row["sql"])] as const);
}
