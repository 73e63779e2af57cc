import { randomUUID } from "node:crypto";
import { ConfigError, readConfig, type ServerConfig } from "../config.ts";
import { checkAgents } from "./check-agents.ts";
import { checkData } from "./check-data.ts";
import { checkPrograms } from "./check-programs.ts";
import { checkServer, checkTls } from "./check-server.ts";
import { type Finding, ok, problem } from "./finding.ts";

interface ExamineOptions {
  readonly env: ServerConfig["env"];
  /** False starts none; an id tries only that one. */
  readonly agents: boolean | string;
}

/** Looks at everything a run depends on, and changes none of it. */
export async function examine({ env, agents }: ExamineOptions): Promise<readonly Finding[]> {
  const programs = await checkPrograms(env);
  const config = settingsOf(env);
  if ("status" in config) return [...programs, config];
  const world = { now: Date.now, newId: () => randomUUID() };
  const data = checkData(config.dataDir, world.now());
  const settings = ok("settings", "Environment variables are valid.");
  // Where the directory itself cannot be used, everything in it would only fail for the same reason.
  if (data.some(({ id, status }) => id === "data-dir" && status === "problem") && data.length === 1)
    return [...programs, settings, ...data];
  const server = await checkServer(config);
  const only = typeof agents === "string" ? agents : undefined;
  return [
    ...programs,
    settings,
    ...data,
    checkTls(config, world.now()),
    ...server,
    ...(agents === false ? [] : await checkAgents(config, world, only)),
  ];
}

function settingsOf(env: ServerConfig["env"]): ServerConfig | Finding {
  try {
    return readConfig(env, []);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return problem("settings", error.message, "Correct that variable, or unset it.");
  }
}
