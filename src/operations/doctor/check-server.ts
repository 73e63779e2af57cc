import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { z } from "zod";
import { parseJson } from "../../lib/parse-json.ts";
import { ConfigError, type ServerConfig } from "../config.ts";
import { countHeld } from "../held-agents.ts";
import { heldTerminals } from "../held-terminals.ts";
import { isLockHeld } from "../instance-lock.ts";
import { readKept, servedTls } from "../tls/kept-certificate.ts";
import { type Certificate, readCertificate } from "../tls/read-certificate.ts";
import { VERSION } from "../version.ts";
import { errorText, type Finding, note, ok, problem } from "./finding.ts";

const ANSWER_MS_MAX = 5_000;
const Note = z.object({ pid: z.int(), port: z.int(), origin: z.string().optional() });
const Health = z.object({ version: z.string() });

/** Checks whether a server runs and responds, and where it listens or could listen. */
export async function checkServer(config: ServerConfig): Promise<readonly Finding[]> {
  const { dataDir } = config;
  const told = readNote(join(dataDir, "server.json"));
  let held: boolean;
  try {
    held = isLockHeld(dataDir);
  } catch (error) {
    return [
      problem(
        "lock",
        `Cannot use ${join(dataDir, "lock")}: ${errorText(error)}.`,
        "Delete that file: it contains no data.",
      ),
    ];
  }
  if (!held)
    return [
      ...staleNote(told, dataDir),
      ok("server", "No server is running; commands start one when needed."),
      ...heldAgents(dataDir),
      ...leftTerminals(dataDir),
      await checkPort(config),
    ];
  if (!told)
    return [
      problem(
        "server",
        "A server has locked the data directory, but its process id is unknown.",
        "Wait until it has started, or find the process and end it.",
      ),
    ];
  return [await checkAnswer(told, dataDir), ok("terminals", `${terminalWords(dataDir)}.`)];
}

function leftTerminals(dataDir: string): readonly Finding[] {
  if (heldTerminals(dataDir).length === 0) return [];
  const message = `${terminalWords(dataDir)} of a stopped server, and what runs in them goes on.`;
  return [note("held-terminals", message, "Continue with them: liminal serve. Stop them: liminal stop")];
}

/** Each has a process that holds it; services of liminal.json run in terminals, too. */
function terminalWords(dataDir: string): string {
  const held = heldTerminals(dataDir);
  const services = held.filter(({ kind }) => kind === "service").length;
  const counted = `${held.length} terminal(s) are held`;
  return services === 0 ? counted : `${counted}, ${services} of them for services`;
}

function heldAgents(dataDir: string): readonly Finding[] {
  const count = countHeld(dataDir);
  if (count === 0) return [];
  const message = `${count} agent(s) of a stopped server are still running; their output is kept.`;
  return [note("held-agents", message, "Continue with them: liminal serve. Stop them: liminal stop")];
}

function staleNote(told: z.infer<typeof Note> | null, dataDir: string): readonly Finding[] {
  if (!told) return [];
  const path = join(dataDir, "server.json");
  const message = `${path} is left over from a server that did not stop cleanly (process ${told.pid}). Nothing is lost.`;
  return [note("stale-note", message, "No action needed: the next start replaces it.")];
}

async function checkAnswer(
  { pid, port, origin = `http://127.0.0.1:${port}` }: z.infer<typeof Note>,
  dataDir: string,
): Promise<Finding> {
  const fix = `End it with: liminal stop (or kill -9 ${pid}), then start again.`;
  try {
    const tls = origin.startsWith("https:") ? { tls: servedTls(dataDir) } : {};
    const response = await fetch(`${origin}/healthz`, { signal: AbortSignal.timeout(ANSWER_MS_MAX), ...tls });
    if (!response.ok)
      return problem(
        "server",
        `The server (process ${pid}, port ${port}) is starting or stopping.`,
        "Try again in a moment.",
      );
    const { version } = Health.parse(await response.json());
    if (version === VERSION)
      return ok("server", `The server is running (version ${version}, process ${pid}, port ${port}).`);
    return note(
      "server",
      `The server is version ${version}; this command is ${VERSION}.`,
      "Restart it to update: liminal stop --keep-agents, then liminal serve. Running turns continue.",
    );
  } catch (error) {
    return problem("server", `The server (process ${pid}, port ${port}) is not responding: ${errorText(error)}`, fix);
  }
}

async function checkPort({ port, host }: ServerConfig): Promise<Finding> {
  if (port === 0) return ok("port", "Any free port will be used.");
  const code = await bindFailure(port, host);
  if (code === null) return ok("port", `Port ${port} is free.`);
  if (code !== "EADDRINUSE")
    return problem(
      "port",
      `Cannot use port ${port} on ${host} (${code}).`,
      "Set LIMINAL_PORT to a port above 1023 and LIMINAL_HOST to 127.0.0.1.",
    );
  const holder = holderOfPort(port);
  return problem(
    "port",
    `Port ${port} is in use by ${holder ?? "another program"}.`,
    "Stop it, or choose another port: LIMINAL_PORT=0 uses any free port.",
  );
}

function bindFailure(port: number, host: string): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) => resolve(String(Reflect.get(error, "code"))));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

function readNote(path: string): z.infer<typeof Note> | null {
  return existsSync(path) ? (Note.safeParse(parseJson(readFileSync(path, "utf8"))).data ?? null) : null;
}

const LISTENING = "0A";
const ADDRESS_COLUMN = 1;
const STATE_COLUMN = 3;
const INODE_COLUMN = 9;

/** The process that listens on a port, as far as this user can see; null if unknown. */
function holderOfPort(port: number): string | null {
  const sockets = new Set(["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) => listeningInodes(table, port)));
  if (sockets.size === 0) return null;
  const pid = readdirSync("/proc").find((name) => /^\d+$/.test(name) && holdsOneOf(name, sockets));
  if (pid === undefined) return null;
  const command = tolerant(() => readFileSync(`/proc/${pid}/comm`, "utf8").trim(), "unknown");
  return `${command} (process ${pid})`;
}

function listeningInodes(table: string, port: number): string[] {
  if (!existsSync(table)) return [];
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return readFileSync(table, "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter((columns) => columns[ADDRESS_COLUMN]?.endsWith(wanted) && columns[STATE_COLUMN] === LISTENING)
    .map((columns) => `socket:[${columns[INODE_COLUMN]}]`);
}

function holdsOneOf(pid: string, sockets: ReadonlySet<string>): boolean {
  const names = tolerant(() => readdirSync(`/proc/${pid}/fd`), []);
  return names.some((name) => sockets.has(tolerant(() => readlinkSync(`/proc/${pid}/fd/${name}`), "")));
}

/** Processes end during the check, and others' are not visible. */
function tolerant<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && "code" in error) return otherwise;
    throw error;
  }
}

const SOON_MS = 30 * 24 * 3_600_000;

/** Checks whether remote access is encrypted, and with which certificate. */
export function checkTls({ tls, host, dataDir }: ServerConfig, nowMs: number): Finding {
  switch (tls.kind) {
    case "none":
      return ok("tls", `No TLS, on ${host}.`);
    case "generated": {
      const kept = readKept(dataDir);
      if (!kept) return note("tls", "No certificate yet; the next start creates one.");
      return described("made by us", kept, nowMs, "Restart the server to create a new one.");
    }
    case "own":
      try {
        return described("your own", readCertificate(tls, nowMs), nowMs, "Renew it, then restart the server.");
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        return problem("tls", error.message, "Correct that, or unset LIMINAL_TLS_CERT and LIMINAL_TLS_KEY.");
      }
    default:
      return tls satisfies never;
  }
}

function described(whose: string, { fingerprint, expiresAtMs }: Certificate, nowMs: number, fix: string): Finding {
  const day = new Date(expiresAtMs).toISOString().slice(0, "2000-01-01".length);
  const words = `The certificate (${whose}) is valid until ${day}; its SHA-256 fingerprint is ${fingerprint}.`;
  if (expiresAtMs <= nowMs) return problem("tls", words, fix);
  return expiresAtMs - nowMs < SOON_MS ? note("tls", words, fix) : ok("tls", words);
}
