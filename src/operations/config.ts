import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { nearestWord } from "../lib/nearest-word.ts";
import { LOG_LEVELS, type LogLevel } from "../lib/server-log-place.ts";

const START_TIMEOUT_MS = 60_000;
const STALL_MS = 30_000;
const QUESTION_UNWATCHED_MS = 10 * 60_000;
/** Short enough for a machine that sleeps: a timer for hours would not detect that. */
const LIMIT_CHECK_MS = 15_000;
const HOLD_MS = 600_000;
const PROGRAM_IDLE_MS = 24 * 3_600_000;
const JOURNAL_BYTES = 4 * 1024 * 1024;
const PORT_DEFAULT = 3000;

/** Secrets of ours, removed from the environment of child processes. */
export const SECRET_VARIABLES = [
  "LIMINAL_TOKEN",
  "LIMINAL_MCP_TOKEN",
  "LIMINAL_MODEL_KEY",
  "LIMINAL_DATABASE_URL",
  "LIMINAL_OIDC_SECRET",
] as const;

/** `own`: paths of the user's certificate and key. */
export type TlsSetting =
  | { readonly kind: "none" }
  | { readonly kind: "generated" }
  | { readonly kind: "own"; readonly cert: string; readonly key: string };

export interface ServerConfig {
  readonly host: string;
  /** 0 uses a free one, preferably the last run's. */
  readonly port: number;
  /** Uses a free port if the requested one is busy. */
  readonly freePort: boolean;
  readonly dataDir: string;
  /** Of the PostgreSQL database that everything is stored in; null: in the data directory. */
  readonly databaseUrl: string | null;
  /** The name or address under which the other servers of a team reach this one; null: it belongs to no team. */
  readonly replicaHost: string | null;
  readonly home: string;
  /** From the environment; null uses the one in the data directory. */
  readonly token: string | null;
  readonly openBrowser: boolean;
  readonly tls: TlsSetting;
  /** Additional names for the Host header, with or without a port. */
  readonly allowedHosts: readonly string[];
  readonly json: boolean;
  /** Only the address and errors are printed. */
  readonly quiet: boolean;
  readonly startTimeoutMs: number;
  /** A turn with no output for this long is shown as stalled. */
  readonly stallMs: number;
  /** How often sessions at a usage limit are checked. */
  readonly limitCheckMs: number;
  /** An unattended question is declined after this long. */
  readonly questionUnwatchedMs: number;
  /** Without a server for this long, agents are ended; 0 ends them with the server. */
  readonly holdMs: number;
  /** A program that has not called for this long has its idle agents archived; 0 keeps them. */
  readonly programIdleMs: number;
  /** How many bytes pass through an agent's pipes before stored lines are dropped from its journal. */
  readonly checkpointBytes: number;
  /** Less severe messages are not logged. */
  readonly logLevel: LogLevel;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Wrong settings are reported in one line, without a stack. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** The smallest and the largest allowed value. */
type Range = readonly [min: number, max: number];
const HOLD_MS_RANGE: Range = [0, 86_400_000];
const PROGRAM_IDLE_MS_RANGE: Range = [0, 365 * 86_400_000];
const JOURNAL_BYTES_RANGE: Range = [1_000, 1_000_000_000];
const PORT_RANGE: Range = [0, 65_535];
const TIMEOUT_MS_RANGE: Range = [100, 3_600_000];
const LIMIT_CHECK_MS_RANGE: Range = [50, 60_000];

/** Reads the environment, once. */
export function readConfig(env: Readonly<Record<string, string | undefined>>, args: readonly string[]): ServerConfig {
  const home = env["HOME"] || homedir();
  const options = readOptions(args);
  const host = options.host ?? (env["LIMINAL_HOST"] || "127.0.0.1");
  return {
    host,
    port: setting("LIMINAL_PORT", env, PORT_RANGE, PORT_DEFAULT),
    freePort: options.freePort,
    dataDir: resolve(env["LIMINAL_DATA_DIR"] || join(home, ".liminal-builder")),
    databaseUrl: env["LIMINAL_DATABASE_URL"] || null,
    replicaHost: replicaHost(env),
    home,
    token: env["LIMINAL_TOKEN"] || null,
    openBrowser: env["LIMINAL_NO_OPEN"] === undefined,
    tls: tlsSetting(env, host, options.insecure),
    allowedHosts: hostList(env["LIMINAL_ALLOWED_HOSTS"] ?? ""),
    json: options.json,
    quiet: options.quiet,
    startTimeoutMs: setting("ACP_START_TIMEOUT_MS", env, TIMEOUT_MS_RANGE, START_TIMEOUT_MS),
    holdMs: setting("LIMINAL_HOLD_MS", env, HOLD_MS_RANGE, HOLD_MS),
    programIdleMs: setting("LIMINAL_PROGRAM_IDLE_MS", env, PROGRAM_IDLE_MS_RANGE, PROGRAM_IDLE_MS),
    checkpointBytes: setting("LIMINAL_JOURNAL_BYTES", env, JOURNAL_BYTES_RANGE, JOURNAL_BYTES),
    stallMs: setting("ACP_PROMPT_TIMEOUT_MS", env, TIMEOUT_MS_RANGE, STALL_MS),
    limitCheckMs: setting("LIMINAL_LIMIT_CHECK_MS", env, LIMIT_CHECK_MS_RANGE, LIMIT_CHECK_MS),
    questionUnwatchedMs: setting("LIMINAL_QUESTION_UNWATCHED_MS", env, TIMEOUT_MS_RANGE, QUESTION_UNWATCHED_MS),
    logLevel: logLevelOf(env),
    env,
  };
}

const OPTIONS = {
  json: { type: "boolean" },
  insecure: { type: "boolean" },
  host: { type: "string" },
  "free-port": { type: "boolean" },
  quiet: { type: "boolean", short: "q" },
} as const;

function readOptions(args: readonly string[]) {
  try {
    const { values } = parseArgs({ args: [...args], options: OPTIONS });
    const { json = false, insecure = false, host, "free-port": freePort = false, quiet = false } = values;
    if (host === "") throw new ConfigError("--host needs an address, for example --host 0.0.0.0");
    return { json, insecure, host, freePort, quiet };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const unknown = args.find((arg) => !(arg.replace(/^--|=.*/g, "") in OPTIONS)) ?? args.join(" ");
    const meant = nearestWord(
      unknown,
      Object.keys(OPTIONS).map((name) => `--${name}`),
    );
    const guess = meant === null ? "" : ` Did you mean ${meant}?`;
    throw new ConfigError(
      `Unknown option ${unknown}.${guess} Known: --json, --insecure, --host <address>, --free-port, --quiet.`,
    );
  }
}

const TlsMode = z.enum(["auto", "on", "off"]);

/** A server reachable by others uses TLS, unless the user says that a proxy does. */
function tlsSetting(env: ServerConfig["env"], host: string, insecure: boolean): TlsSetting {
  const given = env["LIMINAL_TLS"] || "auto";
  const mode = TlsMode.safeParse(given).data;
  if (mode === undefined) throw new ConfigError(`Invalid LIMINAL_TLS "${given}": expected auto, on or off.`);
  const { LIMINAL_TLS_CERT: cert, LIMINAL_TLS_KEY: key } = env;
  if (insecure || mode === "off") return { kind: "none" };
  if (cert && key) return { kind: "own", cert: resolve(cert), key: resolve(key) };
  if (cert || key)
    throw new ConfigError(
      `${cert ? "LIMINAL_TLS_CERT" : "LIMINAL_TLS_KEY"} is set and ${cert ? "LIMINAL_TLS_KEY" : "LIMINAL_TLS_CERT"} is not. Set both, or neither to use a generated certificate.`,
    );
  return mode === "on" || !isLoopback(host) ? { kind: "generated" } : { kind: "none" };
}

const HOSTS_MAX = 50;
const HOST_ENTRY = /^(\[[0-9a-f:.]+\]|[a-z0-9]([a-z0-9.-]*[a-z0-9])?)(:\d{1,5})?$/;

function hostList(text: string): readonly string[] {
  const entries = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "");
  const wrong = entries.find((entry) => !HOST_ENTRY.test(entry));
  if (wrong !== undefined)
    throw new ConfigError(
      `Invalid host "${wrong}" in LIMINAL_ALLOWED_HOSTS: expected names like build.example or build.example:8443, separated by commas.`,
    );
  if (entries.length > HOSTS_MAX) throw new ConfigError(`LIMINAL_ALLOWED_HOSTS has more than ${HOSTS_MAX} names.`);
  return entries;
}

/** A replica needs the settings that its whole team must share. */
function replicaHost(env: ServerConfig["env"]): string | null {
  const host = env["LIMINAL_REPLICA_HOST"]?.toLowerCase() ?? "";
  if (host === "") return null;
  if (!HOST_ENTRY.test(host) || hasPort(host))
    throw new ConfigError(
      `Invalid LIMINAL_REPLICA_HOST "${host}": expected the name or address of this machine without a port, for example replica-1 or [fd00::1].`,
    );
  if (!env["LIMINAL_DATABASE_URL"])
    throw new ConfigError(
      "LIMINAL_REPLICA_HOST makes this server one of a team on a PostgreSQL database. Set LIMINAL_DATABASE_URL, or remove LIMINAL_REPLICA_HOST.",
    );
  if (!env["LIMINAL_TOKEN"])
    throw new ConfigError(
      "LIMINAL_REPLICA_HOST makes this server one of a team, whose servers share a token. Set LIMINAL_TOKEN to the same value on each.",
    );
  return host;
}

function hasPort(host: string): boolean {
  return /:\d+$/.test(host.replace(/^\[.*\]/, ""));
}

function logLevelOf(env: ServerConfig["env"]): LogLevel {
  const value = env["LIMINAL_LOG_LEVEL"] || "info";
  const level = LOG_LEVELS.find((one) => one === value);
  if (!level) throw new ConfigError(`Invalid LIMINAL_LOG_LEVEL "${value}": expected one of ${LOG_LEVELS.join(", ")}.`);
  return level;
}

function setting(name: string, env: ServerConfig["env"], [min, max]: Range, fallback: number): number {
  const value = env[name];
  if (value === undefined || value === "") return fallback;
  const parsed = z.coerce.number().int().min(min).max(max).safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ConfigError(`Invalid ${name} "${value}": expected a whole number from ${min} to ${max}.`);
}

/** An address that only programs on this machine can reach. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\./.test(host);
}
