import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { invariant } from "../lib/assert.ts";
import { isLockHeld } from "../operations/instance-lock.ts";
import { CliError, EXIT } from "./exit-codes.ts";

const Note = z.object({ pid: z.int(), port: z.int(), origin: z.url({ protocol: /^https?$/ }).optional() });
/** One that takes longer than this to say that it is well is not. */
const READY_MS_MAX = 10_000;
const MS_PER_SECOND = 1_000;
const Failure = z.object({ error: z.string() });

type Environment = Readonly<Record<string, string | undefined>>;

/** Says what to do when there is no server to talk to. */
export class NoServerError extends CliError {
  constructor(message: string) {
    super(EXIT.noServer, message, "NO_SERVER");
  }
}

/** Somebody takes connections there, and says nothing. */
export class SilentServerError extends CliError {
  constructor({ origin, pid }: Pick<RunningServer, "origin" | "pid">, waitedMs: number) {
    const words = `The server at ${origin} (process ${pid}) did not respond within ${waitedMs / MS_PER_SECOND} s.`;
    super(EXIT.noServer, `${words} Try again. If it still does not respond, stop it with: liminal stop`, "NO_ANSWER");
  }
}

export function dataDirOf(env: Environment): string {
  return resolve(env["LIMINAL_DATA_DIR"] || join(env["HOME"] || homedir(), ".liminal-builder"));
}

/** The server that works with this user's data directory, as it announced itself there. */
export class RunningServer {
  readonly origin: string;
  readonly pid: number;
  readonly #token: string;
  readonly #tls: PinnedTls | undefined;

  /** `token`: instead of the app's own. */
  constructor(env: Environment, token?: string) {
    const dataDir = dataDirOf(env);
    const note = readNote(dataDir);
    // A note can outlive its server, and whoever listens on its port by then must not be shown the token.
    if (note === null || !isLockHeld(dataDir))
      throw new NoServerError(`No server is running for ${dataDir}. Start one with: liminal serve`);
    this.pid = note.pid;
    this.origin = note.origin ?? `http://127.0.0.1:${note.port}`;
    this.#tls = this.origin.startsWith("https:") ? pinnedTls(dataDir) : undefined;
    this.#token = token || env["LIMINAL_TOKEN"] || readToken(dataDir);
  }

  get(path: string): Promise<Response> {
    return this.#fetch(path, { headers: this.#headers });
  }

  post(
    path: string,
    body: object,
    headers: Readonly<Record<string, string>> = {},
    signal: AbortSignal | null = null,
  ): Promise<Response> {
    const all = { ...this.#headers, "Content-Type": "application/json", ...headers };
    return this.#fetch(path, { method: "POST", headers: all, body: JSON.stringify(body), signal });
  }

  openSocket(): WebSocket {
    const url = `${this.origin.replace("http", "ws")}/ws?token=${encodeURIComponent(this.#token)}`;
    // The browser's type of it, which is the one known here, has no options.
    const socket: unknown = Reflect.construct(WebSocket, this.#tls ? [url, { tls: this.#tls }] : [url]);
    invariant(socket instanceof WebSocket, "a constructor makes what it is called");
    return socket;
  }

  /** The address that signs a browser in; not to be printed, nor given to a program as an argument. */
  get signInUrl(): string {
    return `${this.origin}/?token=${encodeURIComponent(this.#token)}`;
  }

  /** Whether it is there and ready; a note can outlive the server that wrote it. Throws for one that is there and silent. */
  async isReady(): Promise<boolean> {
    try {
      return (await this.#fetch("/healthz", { signal: AbortSignal.timeout(READY_MS_MAX) })).ok;
    } catch (error) {
      if (this.#tls && isCertificateFault(error)) throw strangerError(this.origin, this.#tls);
      if (error instanceof Error && error.name === "TimeoutError") throw new SilentServerError(this, READY_MS_MAX);
      if (isUnreachable(error)) return false;
      throw error;
    }
  }

  #fetch(path: string, init: BunFetchRequestInit): Promise<Response> {
    return fetch(this.origin + path, this.#tls ? { ...init, tls: this.#tls } : init);
  }

  get #headers(): Record<string, string> {
    return { Authorization: `Bearer ${this.#token}` };
  }
}

/** A server whose token comes from its environment leaves one for commands beside the kept one. */
function readToken(dataDir: string): string {
  for (const name of ["command-token", "token"])
    try {
      return readFileSync(join(dataDir, name), "utf8").trim();
    } catch (error) {
      const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
      if (code === "ENOENT") continue;
      throw new NoServerError(`Cannot read ${join(dataDir, name)} (${String(code)}). Run: liminal doctor`);
    }
  throw new NoServerError(
    `No token found in ${dataDir}. Set LIMINAL_TOKEN to the token the server was started with, or restart the server.`,
  );
}

/** What the server wrote about itself; null without one, or while it is just writing. */
export function readNote(dataDir: string): z.infer<typeof Note> | null {
  const path = join(dataDir, "server.json");
  if (!existsSync(path)) return null;
  try {
    return Note.safeParse(JSON.parse(readFileSync(path, "utf8"))).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && Reflect.get(error, "code") === "ENOENT"))
      return null;
    throw error;
  }
}

/** Nobody listens there, or the line broke. */
function isUnreachable(error: unknown): boolean {
  return error instanceof Error && ("code" in error || error.name === "TimeoutError");
}

/** The answer's body; what the server refused is told in its words. */
export async function bodyOf(response: Response): Promise<Response> {
  if (response.ok) return response;
  throw new CliError(EXIT.failed, Failure.parse(await response.json()).error, "REFUSED");
}

/** Where the server puts the certificate it shows. */
const SERVED_FILE = join("tls", "served-cert.pem");

/** The certificate was looked at and refused, which is not the same as nobody being there. */
class StrangerError extends Error {
  override readonly name = "StrangerError";
}

interface PinnedTls {
  readonly path: string;
  readonly ca: string;
  readonly allowPartialTrustChain: true;
  readonly checkServerIdentity: (name: string, shown: { readonly fingerprint256: string }) => Error | undefined;
}

/** Trusts the one certificate in the data directory, which only this user and the server can write, and no other; whatever names it has. */
function pinnedTls(dataDir: string): PinnedTls {
  const path = join(dataDir, SERVED_FILE);
  if (!existsSync(path))
    throw new CliError(
      EXIT.noServer,
      `${path} is missing, so the server's identity cannot be verified. Restart the server.`,
      "NO_SERVER",
    );
  const ca = readFileSync(path, "utf8");
  const { fingerprint256 } = new X509Certificate(ca);
  return {
    path,
    ca,
    allowPartialTrustChain: true,
    checkServerIdentity: (_name, shown) =>
      shown.fingerprint256 === fingerprint256 ? undefined : new StrangerError("another certificate"),
  };
}

function isCertificateFault(error: unknown): boolean {
  if (error instanceof StrangerError) return true;
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  return typeof code === "string" && /CERT|SIGNATURE|ISSUER/.test(code);
}

function strangerError(origin: string, { path }: PinnedTls): CliError {
  const words = `The certificate of ${origin} does not match ${path}, so nothing was sent. Restart the server. If the error remains, another program is listening at that address.`;
  return new CliError(EXIT.failed, words, "STRANGE_SERVER");
}

const LOOK_AGAIN_MS = 50;
const START_MS_MAX = 30_000;

/** The server that another command was quicker to start: it has the data directory before it answers. Null where there is none. */
export async function serverOfAnother<Server>(
  dataDir: string,
  look: () => Promise<Server | null>,
): Promise<Server | null> {
  const since = performance.now();
  for (;;) {
    const server = await look();
    if (server || !isLockHeld(dataDir) || performance.now() - since > START_MS_MAX) return server;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}
