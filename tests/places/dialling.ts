import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { z } from "zod";
import { DialIns } from "../../src/places/dial-ins.ts";
import { type JoinLink, parseJoinLink } from "../../src/places/join-links.ts";
import type { Place } from "../../src/places/place.ts";
import type { PlaceLink } from "../../src/places/place-link.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";
import { START } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { type Machine, SHARED } from "./machine.ts";

export const DIAL_IN: Place = { ...SHARED, kind: "dial-in" };

/** A server's part of a place that dials in: the clocks are the test's. */
export class Switchboard implements AsyncDisposable {
  readonly #dir: TempDir;
  dialIns!: DialIns;
  link: PlaceLink | null = null;
  readonly refused: string[] = [];
  readonly arrived: string[] = [];
  readonly log: string[] = [];
  /** What is added to the clocks. */
  laterMs = 0;
  wrongCodes = 0;
  places: readonly string[] | null = ["box"];

  private constructor(dir: TempDir) {
    this.#dir = dir;
  }

  static async open(): Promise<Switchboard> {
    const made = new Switchboard(await tempDir());
    await made.start();
    return made;
  }

  get dir(): string {
    return this.#dir.path;
  }

  /** With what the one before has stored. */
  async start(): Promise<void> {
    this.dialIns = await DialIns.open(
      {
        dir: this.#dir.path,
        setting: () => ({ host: "127.0.0.1", port: null, address: null }),
        addresses: () => [],
        places: () => this.places,
        limit: { count: () => ++this.wrongCodes, waitOf: () => 0 },
        nowMs: () => Date.now() + this.laterMs,
        monotonicMs: () => performance.now() + this.laterMs,
        newSecret: () => randomBytes(32).toString("base64url"),
        log: (text) => void this.log.push(text),
        onError: (error) => {
          throw error;
        },
      },
      {
        onArrived: (place) => {
          this.arrived.push(place);
          void this.link?.dialled();
        },
        onRefused: (place, problem) => {
          this.refused.push(problem);
          if (place === "box") this.link?.refused(problem);
        },
      },
    );
  }

  /** A server to which machines dial in. */
  place(at: Machine, options: { epoch?: number; holdMs?: number } = {}): PlaceLink {
    this.link = at.link({ ...options, setting: DIAL_IN, dialled: (place) => this.dialIns.take(place) });
    return this.link;
  }

  /** The runner dials in (again). */
  async next(count: number): Promise<void> {
    await waitFor(
      () => this.arrived,
      (arrived) => arrived.length >= count,
      `the runner to have dialled in ${count} times`,
    );
  }

  async invite(): Promise<{ readonly text: string; readonly link: JoinLink }> {
    const { link: text } = await this.dialIns.invite("box");
    const link = parseJoinLink(text);
    if (link === null) throw new Error(`${text} is no link`);
    return { text, link };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.dialIns.end();
    await this.#dir[Symbol.asyncDispose]();
  }
}

/** `liminal runner` with these words, at a machine. */
export class RunnerProcess implements AsyncDisposable {
  readonly child: Bun.Subprocess<"ignore", "ignore", "pipe">;
  said = "";
  readonly #reading: Promise<void>;

  constructor({ home, processes }: Pick<Machine, "home" | "processes">, ...words: string[]) {
    this.child = Bun.spawn([...START, "runner", ...words], {
      env: { PATH: process.env["PATH"] ?? "", HOME: home, ...processes.env },
      ...{ stdin: "ignore", stdout: "ignore", stderr: "pipe" },
    });
    this.#reading = this.#read();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of this.child.stderr) this.said += decoder.decode(chunk, { stream: true });
  }

  async says(words: string): Promise<void> {
    await waitFor(
      () => this.said,
      (said) => said.includes(words),
      `the runner to say ${words}`,
    );
  }

  /** The code of its end, after it has said everything. */
  async ended(): Promise<number> {
    const code = await this.child.exited;
    await this.#reading;
    return code;
  }

  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.ended();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}

const Joined = z.object({ certificate: z.string(), key: z.string() });

interface Shown {
  readonly cert?: string;
  readonly key?: string;
}

/** What a machine has of its certificate. */
export function joinedAt({ home }: Pick<Machine, "home">) {
  const dir = join(home, ".liminal-runner/dial");
  const [name = ""] = readdirSync(dir);
  const { certificate: cert, key } = Joined.parse(JSON.parse(readFileSync(join(dir, name), "utf8")));
  return { cert, key };
}

/** A connection of whoever: what it says first, or its end, and all bytes of the application that it gets. */
export async function bytesFor(
  { host, port }: Pick<JoinLink, "host" | "port">,
  shown: Shown,
  says: Uint8Array | null,
): Promise<number[]> {
  const socket: TLSSocket = connect({ host, port, ...shown, rejectUnauthorized: false });
  const bytes: number[] = [];
  const closed = Promise.withResolvers<void>();
  socket.on("data", (chunk: Uint8Array) => void bytes.push(...chunk));
  socket.on("error", () => undefined);
  socket.on("end", () => socket.end());
  socket.on("close", () => closed.resolve());
  socket.on("secureConnect", () => {
    if (says === null) socket.end();
    else socket.write(says);
  });
  await closed.promise;
  return bytes;
}

/** One record, as a runner sends it. */
export function record(kind: number, text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  const head = new Uint8Array(5);
  head[0] = kind;
  new DataView(head.buffer).setUint32(1, bytes.byteLength, true);
  return Buffer.concat([head, bytes]);
}
