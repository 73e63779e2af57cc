import { randomUUID } from "node:crypto";
import { ConfigError, readConfig, type ServerConfig } from "../config.ts";
import { checkAgents } from "./check-agents.ts";
import { checkData } from "./check-data.ts";
import { checkPlaces } from "./check-places.ts";
import { checkPrograms } from "./check-programs.ts";
import { checkServer, checkTls } from "./check-server.ts";
import { checkService } from "./check-service.ts";
import { type Finding, ok, problem } from "./finding.ts";

interface ExamineOptions {
  readonly env: ServerConfig["env"];
  /** False starts none; an id tests only that one. */
  readonly agents: boolean | string;
}

/** Checks everything a run depends on, and changes nothing. */
export async function examine({ env, agents }: ExamineOptions): Promise<readonly Finding[]> {
  const programs = await checkPrograms(env);
  const config = settingsOf(env);
  if ("status" in config) return [...programs, config];
  const world = { now: Date.now, newId: () => randomUUID() };
  const data = await checkData(config.dataDir, world.now());
  const settings = ok("settings", "Environment variables are valid.");
  // If the directory itself is unusable, checks of its contents would fail for the same reason.
  if (data.some(({ id, status }) => id === "data-dir" && status === "problem") && data.length === 1)
    return [...programs, settings, ...data];
  const server = await checkServer(config);
  const only = typeof agents === "string" ? agents : undefined;
  return [
    ...programs,
    settings,
    ...(await withDatabase(data, config, world.now)),
    checkTls(config, world.now()),
    ...server,
    ...(typeof agents === "string" ? [] : await checkService(config)),
    ...(agents === true ? await checkPlaces(config) : []),
    ...(agents === false ? [] : await checkAgents(config, world, only)),
  ];
}

/** With PostgreSQL, the database is there and not in the data directory. */
async function withDatabase(
  data: readonly Finding[],
  { databaseUrl }: ServerConfig,
  nowMs: () => number,
): Promise<readonly Finding[]> {
  if (databaseUrl === null) return data;
  const { checkPostgres } = await import("./check-postgres.ts");
  return [...data.filter(({ id }) => id !== "database"), ...(await checkPostgres(databaseUrl, nowMs))];
}

function settingsOf(env: ServerConfig["env"]): ServerConfig | Finding {
  try {
    return readConfig(env, []);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return problem("settings", error.message, "Correct that variable, or unset it.");
  }
}
