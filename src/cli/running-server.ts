import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { LiminalClient } from "../client/http-client.ts";
import { invariant } from "../lib/assert.ts";
import { isLockHeld } from "../operations/instance-lock.ts";
import { CliError, EXIT } from "./exit-codes.ts";

const Note = z.object({ pid: z.int(), port: z.int(), origin: z.url({ protocol: /^https?$/ }).optional() });
/** A healthy server answers faster. */
const READY_MS_MAX = 10_000;
const MS_PER_SECOND = 1_000;
const Failure = z.object({ error: z.string() });

type Environment = Readonly<Record<string, string | undefined>>;

/** Says what to do if no server is running. */
export class NoServerError extends CliError {
  constructor(message: string) {
    super(EXIT.noServer, message, "NO_SERVER");
  }
}

/** Something accepts connections there, and does not answer. */
export class SilentServerError extends CliError {
  constructor({ origin, pid }: Pick<RunningServer, "origin" | "pid">, waitedMs: number) {
    const words = `The server at ${origin} (process ${pid}) did not respond within ${waitedMs / MS_PER_SECOND} s.`;
    super(EXIT.noServer, `${words} Try again. If it still does not respond, stop it with: liminal stop`, "NO_ANSWER");
  }
}

export function dataDirOf(env: Environment): string {
  return resolve(env["LIMINAL_DATA_DIR"] || join(env["HOME"] || homedir(), ".liminal-builder"));
}

/** The server of this user's data directory, as recorded there. */
export class RunningServer {
  readonly origin: string;
  readonly pid: number;
  readonly #token: string;
  readonly #tls: PinnedTls | undefined;

  /** `token`: instead of the app's own. */
  constructor(env: Environment, token?: string) {
    const elsewhere = env["LIMINAL_SERVER"];
    if (elsewhere) {
      this.origin = originOf(elsewhere);
      this.pid = 0;
      const certificate = env["LIMINAL_SERVER_CERT"];
      this.#tls = certificate && this.origin.startsWith("https:") ? pinnedTls(certificate) : undefined;
      this.#token = token || tokenFor(env, this.origin);
      return;
    }
    const dataDir = dataDirOf(env);
    const note = readNote(dataDir);
    // A note can outlive its server, and another program on its port must not receive the token.
    if (note === null || !isLockHeld(dataDir))
      throw new NoServerError(`No server is running for ${dataDir}. Start one with: liminal serve`);
    this.pid = note.pid;
    this.origin = note.origin ?? `http://127.0.0.1:${note.port}`;
    this.#tls = this.origin.startsWith("https:") ? pinnedTls(join(dataDir, SERVED_FILE)) : undefined;
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

  /** The HTTP API of this server. */
  get api(): LiminalClient {
    const { origin } = this;
    const send = (url: string, init: RequestInit) => this.#fetch(url.slice(origin.length), init);
    return new LiminalClient({ origin, token: this.#token, fetch: send });
  }

  openSocket(): WebSocket {
    const url = `${this.origin.replace("http", "ws")}/ws?token=${encodeURIComponent(this.#token)}`;
    // The browser's WebSocket type, which applies here, has no options.
    const socket: unknown = Reflect.construct(WebSocket, this.#tls ? [url, { tls: this.#tls }] : [url]);
    invariant(socket instanceof WebSocket, "a constructor makes what it is called");
    return socket;
  }

  /** The address that signs a browser in; must not be printed, nor passed to a program as an argument. */
  get signInUrl(): string {
    return `${this.origin}/?token=${encodeURIComponent(this.#token)}`;
  }

  /** Whether it is ready; a note can outlive its server. Throws for a server that does not answer. */
  async isReady(): Promise<boolean> {
    try {
      return (await this.#fetch("/healthz", { signal: AbortSignal.timeout(READY_MS_MAX) })).ok;
    } catch (error) {
      if (this.#tls && isCertificateFault(error)) throw certificateMismatch(this.origin, this.#tls);
      if (isCertificateFault(error)) {
        const words = `The certificate of ${this.origin} is signed by no authority that is known here, so nothing was sent. Copy the server's tls/served-cert.pem and name it in LIMINAL_SERVER_CERT.`;
        throw new CliError(EXIT.failed, words, "STRANGE_SERVER");
      }
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

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** The address of a server elsewhere. A token is sent in the clear to this machine only. */
function originOf(address: string): string {
  const text = /^https?:\/\//.test(address) ? address : `https://${address}`;
  if (!URL.canParse(text))
    throw new CliError(EXIT.usage, `--host: "${address}" is no address. Example: https://box:3000`, "USAGE");
  const { protocol, hostname, origin } = new URL(text);
  if (protocol === "https:" || LOOPBACK.test(hostname)) return origin;
  const words = `--host: ${origin} is not encrypted, and the token would be readable on the way. Use https.`;
  throw new CliError(EXIT.usage, words, "USAGE");
}

function tokenFor(env: Environment, origin: string): string {
  const token = env["LIMINAL_TOKEN"];
  if (token) return token;
  const words = `Set LIMINAL_TOKEN to a token of ${origin}. Make one there with: liminal tokens create laptop --scope admin`;
  throw new CliError(EXIT.usage, words, "NO_TOKEN");
}

/** A server whose token comes from its environment leaves one for commands beside the stored one. */
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

/** The server's note; null if there is none, or while it is being written. */
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

/** Nothing listens there, or the connection broke. */
function isUnreachable(error: unknown): boolean {
  return error instanceof Error && ("code" in error || error.name === "TimeoutError");
}

/** The answer's body; a refusal is thrown with the server's message. */
export async function bodyOf(response: Response): Promise<Response> {
  if (response.ok) return response;
  throw new CliError(EXIT.failed, Failure.parse(await response.json()).error, "REFUSED");
}

/** Where the server puts its certificate. */
const SERVED_FILE = join("tls", "served-cert.pem");

/** The certificate was checked and refused, unlike a missing server. */
class CertificateMismatchError extends Error {
  override readonly name = "CertificateMismatchError";
}

interface PinnedTls {
  readonly path: string;
  readonly ca: string;
  readonly allowPartialTrustChain: true;
  readonly checkServerIdentity: (name: string, shown: { readonly fingerprint256: string }) => Error | undefined;
}

/** Trusts only the certificate in the data directory, which only this user and the server can write, under any name. */
function pinnedTls(path: string): PinnedTls {
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
      shown.fingerprint256 === fingerprint256 ? undefined : new CertificateMismatchError("another certificate"),
  };
}

function isCertificateFault(error: unknown): boolean {
  if (error instanceof CertificateMismatchError) return true;
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  return typeof code === "string" && /CERT|SIGNATURE|ISSUER/.test(code);
}

function certificateMismatch(origin: string, { path }: PinnedTls): CliError {
  const words = `The certificate of ${origin} does not match ${path}, so nothing was sent. Restart the server. If the error remains, another program is listening at that address.`;
  return new CliError(EXIT.failed, words, "STRANGE_SERVER");
}

const LOOK_AGAIN_MS = 50;
const START_MS_MAX = 30_000;

/**
 * The server that another command has just started: it holds the data directory before it answers. Null if there is
 * none.
 */
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
