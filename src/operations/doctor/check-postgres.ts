import { connectionSettings, DatabaseUrlError } from "../../store/postgres/connection-settings.ts";
import { PostgresDatabase } from "../../store/postgres/database.ts";
import { tlsAdvice } from "../../store/postgres/database-faults.ts";
import { POSTGRES_SCHEMA_VERSION, schemaVersionOf, serverVersion } from "../../store/postgres/migrations.ts";
import { PoolerError, refusePooler } from "../../store/postgres/pooler.ts";
import { aliveReplicas } from "../../store/postgres/replica.ts";
import { errorText, type Finding, note, ok, problem } from "./finding.ts";

const DEADLINE_MS = 5_000;
/** The first schema that knows of teams. */
const TEAM_SCHEMA = 2;
/** Each live server counts more than once in this time. */
const BEATS_WATCHED_MS = 1_500;
const SKEW_MS_MAX = 60_000;
const REACH =
  "Check that it runs, that it can be reached from here, and the user, password and name in LIMINAL_DATABASE_URL.";

/** Whether a server can work with the database of this URL. Only reads. */
export async function checkPostgres(url: string, nowMs: () => number): Promise<readonly Finding[]> {
  let db: PostgresDatabase | null = null;
  try {
    const settings = connectionSettings(url);
    db = new PostgresDatabase(settings, { connectionsMax: 1, deadlineMs: DEADLINE_MS });
    await refusePooler(db);
    return [await look(db), ...(await lookAround(db, settings.hosts.length, nowMs))];
  } catch (error) {
    return [problemWith(error)];
  } finally {
    await db?.close();
  }
}

function problemWith(error: unknown): Finding {
  if (error instanceof DatabaseUrlError) return problem("database", error.message, "Correct LIMINAL_DATABASE_URL.");
  if (error instanceof PoolerError) return problem("database", error.message, error.advice);
  return problem("database", `The PostgreSQL database cannot be used: ${errorText(error)}`, tlsAdvice(error) ?? REACH);
}

async function look(db: PostgresDatabase): Promise<Finding> {
  const { name, isTooOld } = await serverVersion(db);
  if (isTooOld) return problem("database", `PostgreSQL ${name} is too old.`, "Use PostgreSQL 15 or newer.");
  const { version: found, fitsFrom } = await schemaVersionOf(db);
  if (found === 0) return note("database", `PostgreSQL ${name} answers; the first start makes the tables.`);
  if (found > POSTGRES_SCHEMA_VERSION && fitsFrom > POSTGRES_SCHEMA_VERSION)
    return problem(
      "database",
      `The PostgreSQL database was made by a newer version (schema ${found}, this version supports ${POSTGRES_SCHEMA_VERSION}).`,
      "Update Liminal Builder, or use another database.",
    );
  const owner = (await db.row("SELECT name FROM owner"))?.["name"];
  const server = typeof owner === "string" ? `The server ${owner} works with it` : "No server works with it now";
  const others = found < TEAM_SCHEMA ? "" : standbyWords(await aliveReplicas(db, BEATS_WATCHED_MS), owner);
  return ok(
    "database",
    `PostgreSQL ${name} answers (schema ${found}, this version supports ${POSTGRES_SCHEMA_VERSION}). ${server}.${others}`,
  );
}

/** Whether a promoted standby would have all published data, and whether both clocks agree. */
async function lookAround(db: PostgresDatabase, hosts: number, nowMs: () => number): Promise<readonly Finding[]> {
  const before = nowMs();
  const row = await db.row(
    "SELECT current_setting('synchronous_standby_names') AS names, (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS now",
  );
  const skewMs = Math.abs(Number(row?.["now"]) - (before + nowMs()) / 2);
  return [standbyFinding(String(row?.["names"] ?? ""), hosts), clockFinding(skewMs)];
}

function standbyFinding(names: string, hosts: number): Finding {
  if (names !== "") return ok("standby", `A commit waits for a standby of the database (${names}).`);
  if (hosts === 1) return ok("standby", "No commit waits for a standby of the database.");
  return note(
    "standby",
    "The database has several hosts, and no commit waits for a standby: one that is promoted may lack the last words.",
    "Set synchronous_standby_names on the primary.",
  );
}

function clockFinding(skewMs: number): Finding {
  if (skewMs <= SKEW_MS_MAX) return ok("clocks", "The clocks of this machine and of the database agree.");
  return note(
    "clocks",
    `The clocks of this machine and of the database are ${Math.round(skewMs / 1_000)} s apart. Nothing is decided by them, but times that are shown are wrong on one of them.`,
    "Let both get their time by NTP.",
  );
}

function standbyWords(alive: readonly string[], owner: unknown): string {
  const others = alive.filter((name) => name !== owner);
  return others.length === 0 ? "" : ` Standing by: ${others.join(", ")}.`;
}
