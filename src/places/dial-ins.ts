import { existsSync, readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createServer, type Server, type TLSSocket } from "node:tls";
import type { z } from "zod/mini";
import { replaceFile } from "../agents/install/replace-file.ts";
import { parseJson } from "../lib/parse-json.ts";
import type { PlaceStanding } from "../protocol/places.ts";
import { type JoinAnswer, JoinRequest, type WhyOver } from "./dial-contract.ts";
import { DialLine, RECORD } from "./dial-line.ts";
import { formatJoinLink, JOIN_TTL_MINUTES, JoinLinks } from "./join-links.ts";
import type { DialInSetting } from "./place.ts";
import { PlaceError } from "./place-error.ts";
import { RunnerCertificates, type Verdict } from "./runner-certificates.ts";
import type { OpenWay, Way, WayListener } from "./way.ts";

/** After a start, runners that served the one before need this long to notice, and to dial again. */
const DIAL_BACK_MS = 15_000;
/** A place that is taken out of config.json by hand is cut within this time. */
const LOOK_MS = 500;
/** Whoever joins has a code of 32 bytes, a public key and a name. */
const JOIN_BYTES_MAX = 4 * 1_024;
const JOIN_MS_MAX = 10_000;
const JOINING_MAX = 32;

/** What a server gives for runners that dial in. */
export interface DialInParts {
  /** The authority and all certificates: in the data directory, made when the first place needs it. */
  readonly dir: string;
  readonly setting: () => DialInSetting;
  /** Names and addresses of this machine for others, the likeliest first. */
  readonly addresses: () => readonly string[];
  /** Those that dial in. Null while config.json has a mistake that hides some: no certificate is forgotten for it. */
  readonly places: () => readonly string[] | null;
  /** Wrong codes, by address: the seconds to wait. */
  readonly limit: { count(address: string): number; waitOf(address: string): number };
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  /** 32 random bytes, in base64url. */
  readonly newSecret: () => string;
  readonly log: (text: string) => void;
  readonly onError: (error: unknown) => void;
}

interface DialInListener {
  onArrived(place: string): void;
  /** A runner was refused, or cut for good. */
  onRefused(place: string, problem: string): void;
}

/** The runners that have dialled in. Who shows no valid certificate gets no byte, unless it has the code of a link. */
export class DialIns {
  readonly #parts: DialInParts;
  readonly #listener: DialInListener;
  readonly #certificates: RunnerCertificates;
  readonly #links: JoinLinks;
  readonly #runners = new Map<string, DialledRunner>();
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>();
  /** Why the newest attempt of a place was refused. */
  readonly #refusals = new Map<string, string>();
  /** How often each place was revoked. */
  readonly #revoked = new Map<string, number>();
  readonly #openedAtMs: number;
  readonly #watch: ReturnType<typeof setInterval>;
  /** The places that dial in, as they were looked at last. */
  #names: readonly string[] | null = null;
  #server: Server | null = null;
  #port: number | null = null;
  /** Why nobody can dial in. */
  #problem: string | null = null;
  #joining = 0;

  private constructor(parts: DialInParts, listener: DialInListener, certificates: RunnerCertificates) {
    this.#parts = parts;
    this.#listener = listener;
    this.#certificates = certificates;
    this.#links = new JoinLinks(parts.monotonicMs, parts.newSecret);
    this.#openedAtMs = parts.monotonicMs();
    this.#watch = setInterval(() => this.look(), LOOK_MS);
    this.#watch.unref();
  }

  /** Listens, if it can: the places say why not. */
  static async open(parts: DialInParts, listener: DialInListener): Promise<DialIns> {
    const made = new DialIns(parts, listener, await RunnerCertificates.open(parts.dir, parts.nowMs()));
    made.look();
    await made.#listen();
    return made;
  }

  end(): void {
    clearInterval(this.#watch);
    this.#server?.close();
    for (const runner of this.#runners.values()) runner.line.end();
  }

  /** What is not a place that dials in any more is cut, and its certificate forgotten. */
  look(): void {
    const names = this.#parts.places();
    if (names && !Bun.deepEquals(names, this.#names)) {
      this.#certificates.keepOnly(names);
      for (const gone of this.#names ?? []) if (!names.includes(gone)) this.#forget(gone);
      this.#names = names;
    }
    for (const place of this.#runners.keys()) if (this.#certificates.seenAtMs(place) === null) this.#cut(place);
  }

  /** For one machine, once. Throws a PlaceError if nobody can dial in. */
  async invite(place: string): Promise<{ readonly link: string; readonly expiresAtMs: number }> {
    if (this.#server === null) await this.#listen();
    if (this.#port === null) throw new PlaceError(this.#problem ?? "Runners cannot dial in: the server stops.");
    const { host, port } = this.#address(this.#port);
    const code = this.#links.invite(place);
    const { fingerprint } = this.#certificates;
    const expiresAtMs = this.#parts.nowMs() + JOIN_TTL_MINUTES * 60_000;
    return { link: formatJoinLink({ host, port, code, fingerprint }), expiresAtMs };
  }

  /** Cuts its runner, and refuses its certificate and its links from now on. */
  revoke(place: string): void {
    this.#certificates.revoke(place);
    this.#forget(place);
    this.#cut(place);
    this.#refusals.delete(place);
    this.#listener.onRefused(place, this.why(place));
  }

  /** The runner of a place, once. Waits only where one may be on its way back. */
  async take(place: string): Promise<OpenWay> {
    const waitMs = this.#openedAtMs + DIAL_BACK_MS - this.#parts.monotonicMs();
    if (!this.#runners.has(place) && waitMs > 0 && this.#certificates.seenAtMs(place) !== null)
      await this.#arrival(place, waitMs);
    const runner = this.#runners.get(place);
    if (!runner || runner.isTaken) throw new PlaceError(this.why(place));
    return (listener) => runner.open(listener);
  }

  /** Why no runner of it is there, in one sentence with the fix. */
  why(place: string): string {
    if (this.#problem !== null) return this.#problem;
    const refusal = this.#refusals.get(place);
    if (refusal !== undefined) return refusal;
    const seenAtMs = this.#certificates.seenAtMs(place);
    if (seenAtMs === null)
      return `No machine has joined as ${place}: make a link with "liminal place link ${place}", and run there what it says.`;
    return `${place} has not dialled in since ${shownTime(seenAtMs)}: start "liminal runner --dial ${place}" there.`;
  }

  /** Of a place without a connection. */
  standing(place: string): PlaceStanding {
    const hasJoined = this.#certificates.seenAtMs(place) !== null;
    return { state: hasJoined ? "unreachable" : "idle", problem: this.why(place) };
  }

  /** Neither an open link of it counts any more, nor one that is being used. */
  #forget(place: string): void {
    this.#links.drop(place);
    this.#revoked.set(place, (this.#revoked.get(place) ?? 0) + 1);
  }

  async #arrival(place: string, msMax: number): Promise<void> {
    const arrival = this.#waiting.get(place) ?? Promise.withResolvers<void>();
    this.#waiting.set(place, arrival);
    const late = setTimeout(arrival.resolve, msMax);
    await arrival.promise;
    clearTimeout(late);
    this.#waiting.delete(place);
  }

  async #listen(): Promise<void> {
    const { host, port } = this.#parts.setting();
    const { cert, key } = this.#certificates.server;
    // Asked for, and judged here: it has to be known whose certificate has ended or was revoked.
    const options = { cert, key, ca: this.#certificates.ca, requestCert: true, rejectUnauthorized: false };
    const server = createServer({ ...options, minVersion: "TLSv1.3" }, (socket) => this.#connected(socket));
    // Handshakes that fail are not worth a line each: anybody can cause them.
    server.on("tlsClientError", () => undefined);
    const wanted = port ?? this.#lastPort();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.once("error", reject);
    server.listen(wanted ?? 0, host, resolve);
    try {
      await promise;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#problem = `Runners cannot dial in at ${host}, port ${wanted} (${why}): free it, or set another one as dialIn.port in config.json, and start the server again.`;
      this.#parts.log(this.#problem);
      return;
    }
    server.off("error", reject);
    server.on("error", this.#parts.onError);
    this.#problem = null;
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
    if (port === null) replaceFile(join(this.#parts.dir, "port"), `${this.#port}\n`);
    this.#parts.log(`Runners can dial in at ${host}, port ${this.#port}.`);
  }

  /** Runners that have joined know it. */
  #lastPort(): number | null {
    const path = join(this.#parts.dir, "port");
    return existsSync(path) ? Number(readFileSync(path, "utf8")) || null : null;
  }

  #address(port: number): { readonly host: string; readonly port: number } {
    const { host, address } = this.#parts.setting();
    if (address !== null) {
      const [, name = address, own] = /^(.*?)(?::(\d+))?$/.exec(address) ?? [];
      return { host: name.replace(/^\[(.*)\]$/, "$1"), port: own === undefined ? port : Number(own) };
    }
    const isWildcard = host === "0.0.0.0" || host === "::";
    return { host: isWildcard ? (this.#parts.addresses()[0] ?? "127.0.0.1") : host, port };
  }

  #connected(socket: TLSSocket): void {
    const { nowMs, log } = this.#parts;
    socket.on("error", () => socket.destroy());
    this.look();
    const shown = socket.getPeerX509Certificate();
    if (shown === undefined) {
      this.#hear(socket);
      return;
    }
    const judged = this.#certificates.judge(shown, nowMs());
    if (judged === null) {
      socket.destroy();
      log(`A runner at ${socket.remoteAddress} was refused: its certificate is not of this server.`);
      return;
    }
    const { place, verdict } = judged;
    if (verdict !== "good") {
      socket.destroy();
      this.#refuse(place, refusalOf(place, verdict, socket.remoteAddress));
      return;
    }
    // Authorized: what TLS itself has found of the chain has to agree.
    if (!socket.authorized) {
      socket.destroy();
      this.#refuse(
        place,
        `A runner of ${place} was refused (${String(socket.authorizationError)}): join again with "liminal place link ${place}".`,
      );
      return;
    }
    this.#arrived(place, socket);
  }

  #arrived(place: string, socket: TLSSocket): void {
    const { nowMs, log } = this.#parts;
    const before = this.#runners.get(place);
    before?.replace(place);
    this.#refusals.delete(place);
    this.#certificates.seen(place, nowMs());
    const runner = new DialledRunner(socket, () => {
      if (this.#runners.get(place) !== runner) return;
      this.#runners.delete(place);
      this.#certificates.seen(place, nowMs());
      if (!runner.isTaken) this.#listener.onRefused(place, this.why(place));
    });
    this.#runners.set(place, runner);
    log(`${place} has dialled in from ${socket.remoteAddress}.`);
    this.#waiting.get(place)?.resolve();
    // The one before is over for whoever uses it, before this one is offered.
    (before?.over ?? Promise.resolve()).then(() => this.#listener.onArrived(place)).catch(this.#parts.onError);
  }

  /** Without a certificate: it gets nothing unless it has the code of an open link. */
  #hear(socket: TLSSocket): void {
    const address = socket.remoteAddress ?? "";
    if (this.#joining >= JOINING_MAX || this.#parts.limit.waitOf(address) > 0) {
      socket.destroy();
      return;
    }
    this.#joining++;
    const late = setTimeout(() => socket.destroy(), JOIN_MS_MAX);
    let isFirst = true;
    const line = new DialLine(
      socket,
      {
        onRecord: (kind, bytes) => {
          if (!isFirst || kind !== RECORD.join) {
            socket.destroy();
            return;
          }
          isFirst = false;
          const request = JoinRequest.safeParse(parseJson(new TextDecoder().decode(bytes)));
          return this.#join(line, socket, address, request.data);
        },
        onClosed: () => {
          clearTimeout(late);
          this.#joining--;
        },
      },
      { isSilent: true, bytesMax: JOIN_BYTES_MAX },
    );
  }

  async #join(
    line: DialLine,
    socket: TLSSocket,
    address: string,
    request: z.infer<typeof JoinRequest> | undefined,
  ): Promise<void> {
    const redeemed = request === undefined ? null : this.#links.redeem(request.code);
    if (request === undefined || redeemed === null || redeemed.state !== "open") {
      this.#parts.limit.count(address);
      socket.destroy();
      if (redeemed && redeemed.state !== "open")
        this.#refuse(redeemed.place, refusalOf(redeemed.place, redeemed.state, address));
      return;
    }
    const { place } = redeemed;
    const { nowMs, log } = this.#parts;
    const revoked = this.#revoked.get(place);
    const certificate = await this.#certificates.issue(place, request.publicKey, nowMs());
    // What was revoked meanwhile must not be let in again by it.
    if (this.#revoked.get(place) !== revoked) {
      socket.destroy();
      return;
    }
    // A machine that had joined before is thrown out by this one.
    this.#cut(place);
    this.#certificates.keep(place, certificate);
    this.#refusals.delete(place);
    log(`A machine at ${address} has joined as ${place}.`);
    line.sendJson(RECORD.joined, { place, certificate } satisfies z.infer<typeof JoinAnswer>);
    line.end();
  }

  #refuse(place: string, problem: string): void {
    this.#parts.log(problem);
    if (this.#runners.has(place)) return;
    this.#refusals.set(place, problem);
    this.#listener.onRefused(place, problem);
  }

  #cut(place: string): void {
    const runner = this.#runners.get(place);
    if (!runner) return;
    runner.revoke(place);
    this.#parts.log(`The runner of ${place} was cut: its certificate was revoked.`);
  }
}

const REFUSALS: Readonly<Record<Exclude<Verdict, "good"> | "used" | "late", string>> = {
  revoked: "its certificate was revoked",
  expired: "its certificate has ended, or a clock is wrong",
  early: "its certificate is not valid yet by the clock of this machine",
  used: "its link was used before",
  late: "its link was too old",
};

function refusalOf(place: string, state: keyof typeof REFUSALS, address: string | undefined): string {
  return `A runner at ${address} was refused as ${place}, because ${REFUSALS[state]}: to let it in, make a new link with "liminal place link ${place}".`;
}

/** One connection of a runner whose certificate is valid. */
class DialledRunner {
  readonly line: DialLine;
  /** Resolves when whoever uses it has been told that it is over. */
  readonly over: Promise<void>;
  #user: WayListener | null = null;
  #words: string | null = null;
  #isTaken = false;

  constructor(socket: TLSSocket, onOver: () => void) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.over = promise;
    this.line = new DialLine(socket, {
      onRecord: (kind, bytes) => (kind === RECORD.bytes ? this.#user?.onBytes(new Uint8Array(bytes)) : undefined),
      onClosed: () => {
        onOver();
        this.#user?.onEnd({ words: this.#words });
        resolve();
      },
    });
    // So it knows that it was let in.
    this.line.send(RECORD.alive);
  }

  get isTaken(): boolean {
    return this.#isTaken;
  }

  open(user: WayListener): Way {
    this.#isTaken = true;
    this.#user = user;
    return {
      said: "",
      write: (bytes) => this.line.send(RECORD.bytes, bytes),
      ready: () => void this.line.send(RECORD.ready),
      end: () => this.line.end(),
    };
  }

  /** The newest one counts, as for runners that are started by a command. */
  replace(place: string): void {
    this.#end(
      `Another runner has dialled in as ${place}.`,
      `Another runner has dialled in as ${place} with the same certificate, so this one has ended: run one of them only, or let this machine join as a place of its own.`,
    );
  }

  revoke(place: string): void {
    this.#end(
      `The runner of ${place} was revoked: make a link with "liminal place link ${place}" to let a machine join again.`,
      `The server has revoked this runner: to join again as ${place}, make a link there with "liminal place link ${place}".`,
    );
  }

  #end(words: string, message: string): void {
    this.#words = words;
    this.line.sendJson(RECORD.over, { message } satisfies z.infer<typeof WhyOver>);
    this.line.end();
  }
}

function shownTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
