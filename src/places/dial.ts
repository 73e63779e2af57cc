import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join as joinPath } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { z } from "zod/mini";
import { replaceFile } from "../agents/install/replace-file.ts";
import { parseJson } from "../lib/parse-json.ts";
import { PlaceName } from "../protocol/places.ts";
import { JoinAnswer, type JoinRequest, WhyOver } from "./dial-contract.ts";
import { DialLine, RECORD } from "./dial-line.ts";
import { JOIN_TTL_MINUTES, type JoinLink } from "./join-links.ts";
import { PlaceError } from "./place-error.ts";
import { fingerprintOf } from "./runner-certificates.ts";

const CONNECT_MS_MAX = 15_000;
const RETRY_MS_FIRST = 250;
const RETRY_MS_MAX = 10_000;
const FILE_CHARS = 8;

/** A server that this machine has joined as a place. */
const Joined = z.object({
  place: PlaceName,
  host: z.string(),
  port: z.int(),
  /** Of the server's certificate. */
  fingerprint: z.string(),
  /** Ours, as PEM. */
  certificate: z.string(),
  key: z.string(),
});
export type Joined = z.infer<typeof Joined>;

/** The servers that this machine has joined; files for their user alone. */
export class JoinedServers {
  readonly #dir: string;

  /** `dir`: that of runners. */
  constructor(dir: string) {
    this.#dir = joinPath(dir, "dial");
  }

  /** All, or those where this machine has this name. Throws a PlaceError if there is none. */
  find(place?: string): readonly Joined[] {
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    const names = readdirSync(this.#dir).filter((name) => name.endsWith(".json"));
    const all = names.sort().map((name) => this.#read(joinPath(this.#dir, name)));
    const found = all.filter((one) => place === undefined || one.place === place);
    if (found.length > 0) return found;
    const known = all.map((one) => one.place).join(", ");
    throw new PlaceError(
      all.length === 0
        ? 'This machine has joined no server: run "liminal place add <name> --dial-in" on the server, and here what it says.'
        : `This machine has not joined as ${place}. Known: ${known}. For a new link, run on the server: liminal place link ${place}`,
    );
  }

  keep(joined: Joined): void {
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    chmodSync(this.#dir, 0o700);
    const name = `${joined.place}-${joined.fingerprint.slice(0, FILE_CHARS)}.json`;
    replaceFile(joinPath(this.#dir, name), `${JSON.stringify(joined)}\n`);
  }

  #read(path: string): Joined {
    const joined = Joined.safeParse(parseJson(readFileSync(path, "utf8")));
    if (joined.success) return joined.data;
    throw new PlaceError(`${path} cannot be read: remove it, and join that server again.`);
  }
}

/** Makes a key, and has the server issue its certificate. Rejects with a PlaceError that says how to go on. */
export async function joinServer({ host, port, code, fingerprint }: JoinLink): Promise<Joined> {
  const { publicKey, privateKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const socket = await reach({ host, port, fingerprint });
  const { promise, resolve } = Promise.withResolvers<z.infer<typeof JoinAnswer> | null>();
  const line = new DialLine(
    socket,
    {
      onRecord: (kind, bytes) => {
        const answer = JoinAnswer.safeParse(parseJson(new TextDecoder().decode(bytes)));
        resolve(kind === RECORD.joined && answer.success ? answer.data : null);
      },
      onClosed: () => resolve(null),
    },
    { isSilent: true },
  );
  line.sendJson(RECORD.join, { code, publicKey } satisfies z.infer<typeof JoinRequest>);
  const answer = await promise;
  line.end();
  if (answer !== null) return { ...answer, host, port, fingerprint, key: privateKey };
  throw new PlaceError(
    `The server does not take this link: one works once, for ${JOIN_TTL_MINUTES} minutes, and not after the server was restarted. Make a new one there with "liminal place link <name>".`,
  );
}

interface DialParts {
  /** Starts a runner that serves on stdio. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly nowMs: () => number;
  /** What changes, for the user. */
  readonly tell: (text: string) => void;
}

type RunnerProcess = Bun.Subprocess<"pipe", "pipe", "inherit">;

/**
 * Keeps a connection to a server, and starts a runner for each one, as a command would. Ends only when the server says
 * so, with its reason.
 */
export class Dialler {
  readonly #joined: Joined;
  readonly #parts: DialParts;
  #told = "";
  #retryMs = RETRY_MS_FIRST;

  constructor(joined: Joined, parts: DialParts) {
    this.#joined = joined;
    this.#parts = parts;
  }

  async run(): Promise<string> {
    for (;;) {
      try {
        const over = await this.#serve(await reach(this.#joined));
        if (over !== null) return over;
      } catch (error) {
        if (!(error instanceof PlaceError)) throw error;
        this.#tell(`${error.message} It is tried again.`);
      }
      await Bun.sleep(this.#retryMs);
      this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS_MAX);
    }
  }

  /** Until the connection is over: why for good, or null. Rejects with a PlaceError if the server did not let it in. */
  async #serve(socket: TLSSocket): Promise<string | null> {
    const { place, host, port } = this.#joined;
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    let isLetIn = false;
    let over: string | null = null;
    const runner: { process: RunnerProcess | null } = { process: null };
    const line: DialLine = new DialLine(socket, {
      onRecord: (kind, bytes) => {
        isLetIn = true;
        if (kind === RECORD.bytes) {
          runner.process ??= this.#start(line);
          return written(runner.process.stdin, bytes);
        }
        if (kind === RECORD.ready) {
          this.#retryMs = RETRY_MS_FIRST;
          this.#tell(`Connected to ${host}:${port} as ${place}.`);
        }
        if (kind === RECORD.over)
          over = WhyOver.safeParse(parseJson(new TextDecoder().decode(bytes))).data?.message ?? "The server ended it.";
      },
      onClosed: () => close(),
    });
    await closed;
    // It ends by itself, or the next one ends it: what it has started outlives it.
    await runner.process?.stdin.end();
    if (over !== null) return over;
    if (!isLetIn) throw new PlaceError(this.#whyRefused());
    this.#tell(`The connection to ${host}:${port} was lost. It is made again.`);
    return null;
  }

  #start(line: DialLine): RunnerProcess {
    const { command, env } = this.#parts;
    const runner = Bun.spawn([...command], { env, stdin: "pipe", stdout: "pipe", stderr: "inherit" });
    const passOn = async () => {
      for await (const chunk of runner.stdout) {
        if (!line.send(RECORD.bytes, chunk)) return;
        await line.drained();
      }
      line.end();
    };
    passOn().catch(() => line.end());
    return runner;
  }

  /** It gets no word from the server. */
  #whyRefused(): string {
    const { place, host, port, certificate } = this.#joined;
    const { validTo } = new X509Certificate(certificate);
    const again = `join again with a new link ("liminal place link ${place}" on the server)`;
    const now = new Date(this.#parts.nowMs());
    if (now.getTime() >= Date.parse(validTo))
      return `The certificate of this machine as ${place} ended on ${validTo}: ${again}, or correct the clock, which says ${now.toISOString()}.`;
    return `The server at ${host}:${port} does not let this machine in as ${place}, because its certificate was revoked or replaced, or a clock is wrong (here it is ${now.toISOString()}): ${again}, or correct the clock.`;
  }

  #tell(text: string): void {
    if (text === this.#told) return;
    this.#told = text;
    this.#parts.tell(text);
  }
}

function written(stdin: Bun.FileSink, bytes: Uint8Array): Promise<void> | null {
  try {
    stdin.write(new Uint8Array(bytes));
    const flushed = stdin.flush();
    return flushed instanceof Promise ? flushed.then(() => undefined) : null;
  } catch (error) {
    // It has ended, and the end of its output ends the connection.
    if (error instanceof Error) return null;
    throw error;
  }
}

interface Address {
  readonly host: string;
  readonly port: number;
  readonly fingerprint: string;
  readonly certificate?: string;
  readonly key?: string;
}

/** A connection to this server and no other. Rejects with a PlaceError. */
async function reach({ host, port, fingerprint, certificate, key }: Address): Promise<TLSSocket> {
  const own = certificate !== undefined && key !== undefined ? { cert: certificate, key } : {};
  // Nothing is asked of names and authorities: it has to be this very certificate.
  const socket = connect({ host, port, ...own, rejectUnauthorized: false, minVersion: "TLSv1.3" });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const late = setTimeout(() => reject(new Error("no answer")), CONNECT_MS_MAX);
  const ended = () => reject(new Error("the connection was closed"));
  socket.once("secureConnect", resolve).once("error", reject).once("close", ended);
  try {
    await promise;
  } catch (error) {
    socket.on("error", () => undefined).destroy();
    const why = error instanceof Error ? error.message : String(error);
    throw new PlaceError(
      `The server at ${host}:${port} does not answer (${why}): check that it runs, and that this machine reaches that port.`,
    );
  } finally {
    clearTimeout(late);
    socket.off("secureConnect", resolve).off("error", reject).off("close", ended);
  }
  const shown = socket.getPeerX509Certificate();
  if (shown !== undefined && fingerprintOf(shown) === fingerprint) return socket;
  socket.destroy();
  throw new PlaceError(
    `At ${host}:${port} answers another server than the one of the link: check the address, and that nobody is in between; if the server was set up anew, join again with a new link.`,
  );
}
