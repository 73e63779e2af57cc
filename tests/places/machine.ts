import { expect } from "bun:test";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { FlowGate } from "../../src/lib/flow-gate.ts";
import { CONTRACT_VERSIONS } from "../../src/places/contract.ts";
import type { Place } from "../../src/places/place.ts";
import { PlaceError } from "../../src/places/place-error.ts";
import { PlaceLink } from "../../src/places/place-link.ts";
import { PlaceWorkspace } from "../../src/places/place-workspace.ts";
import type { OpenWay } from "../../src/places/way.ts";
import type { PlaceStanding } from "../../src/protocol/places.ts";
import { type ProcessWatch, watchProcesses } from "../support/leftover-processes.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";
import { START } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";

/** Says `got` to each line. */
export const ECHO = 'echo ready; while read -r line; do echo "got $line"; done; echo over';
export const SHARED = { name: "box", agents: {} };
const COMMAND: Place = { ...SHARED, kind: "command", command: [...START, "runner"] };

const NOBODY = async () => {
  throw new PlaceError("nobody dials in");
};

/** Another machine: a home of its own, reached by a command. */
export class Machine implements AsyncDisposable {
  readonly #dir: TempDir;
  readonly processes: ProcessWatch = watchProcesses();
  readonly lines: string[] = [];
  /** Where agents are started; in its home if not said. */
  cwd: string | null = null;
  readonly cuts: (string | null)[] = [];
  readonly standings: PlaceStanding[] = [];
  readonly #links: PlaceLink[] = [];
  /** What a holder leaves is ended by its name: those of other tests must not have the same. */
  readonly #mark = crypto.randomUUID().slice(0, 8);

  constructor(dir: TempDir) {
    this.#dir = dir;
    mkdirSync(this.home);
  }

  get home(): string {
    return this.#dir.join("home");
  }

  /** A server that has this machine as a place. */
  link({
    epoch = 1,
    versions = CONTRACT_VERSIONS,
    setting = COMMAND,
    holdMs = 60_000,
    env = {},
    dialled = NOBODY,
  }: {
    epoch?: number;
    versions?: readonly number[];
    setting?: Place;
    holdMs?: number;
    env?: Readonly<Record<string, string>>;
    dialled?: (place: string) => Promise<OpenWay>;
  } = {}): PlaceLink {
    const link = new PlaceLink({
      place: setting,
      env: { PATH: process.env["PATH"] ?? "", HOME: this.home, ...this.processes.env, ...env },
      server: { id: "server-1", epoch },
      release: "1.0.0",
      versions,
      limits: { holdMs, checkpointBytes: 1_000_000, journalBytesMax: 10_000_000 },
      flow: new FlowGate(),
      onCut: (reason) => this.cuts.push(reason),
      onStanding: (standing) => this.standings.push(standing),
      serveTools: null,
      dialled,
      onError: (error) => {
        throw error;
      },
    });
    this.#links.push(link);
    return link;
  }

  start(link: PlaceLink, id: string, ...command: string[]) {
    return link.start({
      command,
      cwd: this.cwd ?? this.home,
      env: { FROM_SERVER: "yes" },
      held: { id: this.idOf(id), label: "label" },
      onLine: (line) => void this.lines.push(line),
      onStderr: () => undefined,
      onTooLong: () => undefined,
    });
  }

  /** By what the runner knows an agent. */
  idOf(name: string): string {
    return `${name}-${this.#mark}`;
  }

  async said(line: string): Promise<void> {
    await waitFor(
      () => this.lines,
      (lines) => lines.includes(line),
      `the line ${line}`,
    );
  }

  /** The process that serves the connection now. */
  get runnerPid(): number {
    const text = readFileSync(join(this.home, ".liminal-runner/server-1/state.json"), "utf8");
    return z.object({ pid: z.int() }).parse(JSON.parse(text)).pid;
  }

  get held(): string[] {
    const names = readdirSync(join(this.home, ".liminal-runner/server-1/h"));
    return names.map((name) => name.replace(`-${this.#mark}`, ""));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const link of this.#links) link.end();
    this.processes[Symbol.dispose]();
    await this.#dir[Symbol.asyncDispose]();
  }
}

export function workspaceOf(link: PlaceLink): PlaceWorkspace {
  return new PlaceWorkspace(link, {
    name: "box",
    checkpoints: true,
    vaultBytesMax: Number.MAX_SAFE_INTEGER,
    holdMs: 60_000,
    onTerminal: () => undefined,
    onError: (error) => {
      throw error;
    },
  });
}

export async function machine(): Promise<Machine> {
  return new Machine(await tempDir());
}

/** An agent answers while the connection is cut again and again. */
export async function talkThroughCuts(
  at: Machine,
  link: PlaceLink,
  cut = (pid: number): void => void process.kill(pid, "SIGKILL"),
): Promise<void> {
  const agent = at.start(link, "one", "/bin/sh", "-c", ECHO);
  await at.said("ready");
  const sent: string[] = [];
  for (let round = 0; round < 6; round++) {
    for (let line = 0; line < 50; line++) {
      sent.push(`${round}-${line}`);
      agent.write(`${round}-${line}`);
    }
    // Half of the rounds cut the connection with lines on the way in both directions.
    if (round % 2 === 0) await at.said(`got ${round}-10`);
    cut(at.runnerPid);
    const before = at.cuts.length;
    agent.write(`${round}-cut`);
    sent.push(`${round}-cut`);
    await waitFor(
      () => at.cuts,
      (cuts) => cuts.length > before && cuts.at(-1) === null,
      "the connection to be back",
    );
  }
  agent.write("last");
  await at.said("got last");
  expect(at.lines).toEqual(["ready", ...[...sent, "last"].map((line) => `got ${line}`)]);
  expect(at.cuts.filter((reason) => reason !== null)[0]).toBe("The connection to box was lost.");
  expect(await agent.stop()).toMatchObject({ code: 0 });
}
