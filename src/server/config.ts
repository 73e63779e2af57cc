import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";

const START_TIMEOUT_MS = 60_000;
const STALL_MS = 30_000;
const QUESTION_UNWATCHED_MS = 10 * 60_000;
const HOLD_MS = 600_000;
const JOURNAL_BYTES = 4 * 1024 * 1024;
const PORT_DEFAULT = 3000;

/** Ours to know, and nobody's whom we start. */
export const SECRET_VARIABLES = ["LIMINAL_TOKEN", "LIMINAL_MCP_TOKEN", "LIMINAL_MODEL_KEY"] as const;

export interface ServerConfig {
  readonly host: string;
  /** 0 takes a free one, the last run's if it is free. */
  readonly port: number;
  readonly dataDir: string;
  readonly home: string;
  /** From the environment; null uses the one kept in the data directory. */
  readonly token: string | null;
  readonly openBrowser: boolean;
  readonly insecure: boolean;
  readonly json: boolean;
  readonly startTimeoutMs: number;
  /** A turn with no output for this long is shown as stalled. */
  readonly stallMs: number;
  /** A question that nobody is there to answer is declined after this long. */
  readonly questionUnwatchedMs: number;
  /** Without a server for this long, agents are ended; 0 lets them end with the server. */
  readonly holdMs: number;
  /** How much goes through an agent's pipes before what is stored is dropped from its journal. */
  readonly checkpointBytes: number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Wrong settings are told to the user in one line, not as a stack. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

const HoldMs = z.coerce.number().int().min(0).max(86_400_000);
const JournalBytes = z.coerce.number().int().min(1_000).max(1_000_000_000);
const Port = z.coerce.number().int().min(0).max(65_535);
const TimeoutMs = z.coerce.number().int().min(100).max(3_600_000);

/** Reads the environment, once. */
export function readConfig(env: Readonly<Record<string, string | undefined>>, args: readonly string[]): ServerConfig {
  const home = env["HOME"] || homedir();
  const unknown = args.find((arg) => arg !== "--json" && arg !== "--insecure");
  if (unknown !== undefined) throw new ConfigError(`Unknown option ${unknown}. Known: --json, --insecure.`);
  const config: ServerConfig = {
    host: env["LIMINAL_HOST"] || "127.0.0.1",
    port: setting("LIMINAL_PORT", env, Port, PORT_DEFAULT),
    dataDir: resolve(env["LIMINAL_DATA_DIR"] || join(home, ".liminal-builder")),
    home,
    token: env["LIMINAL_TOKEN"] || null,
    openBrowser: env["LIMINAL_NO_OPEN"] === undefined,
    insecure: args.includes("--insecure"),
    json: args.includes("--json"),
    startTimeoutMs: setting("ACP_START_TIMEOUT_MS", env, TimeoutMs, START_TIMEOUT_MS),
    holdMs: setting("LIMINAL_HOLD_MS", env, HoldMs, HOLD_MS),
    checkpointBytes: setting("LIMINAL_JOURNAL_BYTES", env, JournalBytes, JOURNAL_BYTES),
    stallMs: setting("ACP_PROMPT_TIMEOUT_MS", env, TimeoutMs, STALL_MS),
    questionUnwatchedMs: setting("LIMINAL_QUESTION_UNWATCHED_MS", env, TimeoutMs, QUESTION_UNWATCHED_MS),
    env,
  };
  if (!isLoopback(config.host) && !config.insecure)
    throw new ConfigError(
      `LIMINAL_HOST is ${config.host}, which other machines can reach, and this version has no TLS. ` +
        "Use 127.0.0.1, or add --insecure if the network is yours alone.",
    );
  return config;
}

function setting(name: string, env: ServerConfig["env"], schema: z.ZodType<number>, fallback: number): number {
  const value = env[name];
  if (value === undefined || value === "") return fallback;
  const parsed = schema.safeParse(value);
  if (!parsed.success)
    throw new ConfigError(`${name} is "${value}": ${parsed.error.issues[0]?.message ?? "not valid"}.`);
  return parsed.data;
}

/** An address that only programs on this machine can reach. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\./.test(host);
}
