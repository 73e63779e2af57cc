import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FlowGate } from "../../lib/flow-gate.ts";
import { ignore } from "../../lib/ignore.ts";
import type { Lifeline } from "../process/lifeline.ts";
import type { HostedProcess, ProcessHost, ProcessSpec, SurvivingProcess } from "../process/process-host.ts";
import { type Kept, RUN_VARIABLE } from "../process/sweep-leftovers.ts";
import { HeldProcess } from "./held-process.ts";
import { endHolder, HolderLink } from "./holder-link.ts";
import { type HolderOrders, socketOf } from "./holder-orders.ts";
import { readJournal } from "./journal.ts";

const MAIN = join(import.meta.dirname, "main.ts");
const LABEL_FILE = "label";
const LOG_FILE = "log";
const SEGMENT_BYTES_MAX = 1024 * 1024;
/** What the system allows for the path of a socket. */
const SOCKET_PATH_BYTES_MAX = 100;
const ID_CHARS_MAX = 36;
/** One that is not there by then never will be, and whoever waits for its agent, or for its end, would wait for good. */
const READY_MS_MAX = 30_000;

interface HolderHostOptions {
  /** Each holder has a directory of its own in this one. */
  readonly dir: string;
  readonly holdMs: number;
  readonly checkpointBytes: number;
  /** Output that is kept while no server is connected. An agent that exceeds it is paused. */
  readonly journalBytesMax: number;
  /** Commands that the server itself runs for agents end with the server. */
  readonly lifeline: Lifeline;
  /** While it is closed, nothing is read from holders. */
  readonly flow: FlowGate;
  readonly onError: (error: unknown) => void;
}

export interface Survivors {
  readonly survivors: readonly SurvivingProcess[];
  /** Holders that answered, and everything that carries their ids: these are nobody's leftovers. */
  readonly kept: Kept;
}

/** Starts agents under holders. They outlive the server, and the next server resumes them. */
export class HolderHost implements ProcessHost {
  readonly #options: HolderHostOptions;

  constructor(options: HolderHostOptions) {
    this.#options = options;
    mkdirSync(options.dir, { recursive: true, mode: 0o700 });
  }

  /** A socket's path has to be short; in a data directory with a longer one nothing can be held. */
  static fits(dir: string): boolean {
    return Buffer.byteLength(socketOf(join(dir, "x".repeat(ID_CHARS_MAX)))) <= SOCKET_PATH_BYTES_MAX;
  }

  start(spec: ProcessSpec): HostedProcess {
    const { held, command, cwd, env } = spec;
    if (!held) throw new Error("a held process needs a name");
    const dir = join(this.#options.dir, held.id);
    mkdirSync(dir, { mode: 0o700 });
    writeFileSync(join(dir, LABEL_FILE), held.label, { mode: 0o600 });
    const { holdMs, checkpointBytes, journalBytesMax } = this.#options;
    const orders: HolderOrders = {
      dir,
      id: held.id,
      command: [...command],
      cwd,
      env: { ...env },
      holdMs,
      journalBytesMax,
      // Only whole files can go, so there must be several.
      segmentBytesMax: Math.min(SEGMENT_BYTES_MAX, checkpointBytes, journalBytesMax / 4),
    };
    const started = new HeldProcess(checkpointBytes, () => remove(dir));
    started.listen(spec);
    started.takePast();
    this.#options.lifeline.begin();
    this.#launch(orders, started).catch((error) => {
      started.lost(error instanceof Error ? error.message : String(error));
      remove(dir);
    });
    return started;
  }

  /** Processes of an earlier server: connected where the holder lives, else read from its journal. */
  async findSurvivors(): Promise<Survivors> {
    const ids = readdirSync(this.#options.dir, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const found = await Promise.all(ids.map(({ name }) => this.#find(name)));
    const live = found.flatMap(({ id, process: { link, isHeld } }) =>
      link && isHeld ? [{ id, pid: link.hello.pid }] : [],
    );
    return {
      survivors: found.filter(({ isWanted }) => isWanted),
      kept: { pids: new Set(live.map(({ pid }) => pid)), runs: new Set(live.map(({ id }) => id)) },
    };
  }

  async #find(id: string) {
    const dir = join(this.#options.dir, id);
    const process = new HeldProcess(this.#options.checkpointBytes, () => remove(dir));
    try {
      await this.#connect(dir, process);
      await process.caughtUp;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      for (const record of readJournal(dir)) process.receive(record);
      process.lost("The agent's holder process is gone.");
    }
    const abandon = async () => {
      process.listen({ onLine: ignoreLine, onStderr: ignoreLine, onTooLong: ignoreLine });
      process.takePast();
      await process.stop();
      await process.release();
    };
    // One that ended without being released has output that the last server could not store.
    const isWanted = process.link?.hello.isStopping !== true || process.hasEnded;
    // It is ending already: its remaining output is not needed.
    if (!isWanted) abandon().catch(this.#options.onError);
    return {
      abandon,
      id,
      process,
      isWanted,
      isAlive: process.isHeld && !process.hasEnded,
      label: readLabel(join(dir, LABEL_FILE)),
      start: (spec: ProcessSpec): HostedProcess => {
        process.listen(spec);
        this.#options.lifeline.begin();
        return process;
      },
    };
  }

  async #launch(orders: HolderOrders, held: HeldProcess): Promise<void> {
    const log = openSync(join(orders.dir, LOG_FILE), "a", 0o600);
    const { [RUN_VARIABLE]: _, ...env } = orders.env;
    const child = Bun.spawn([process.execPath, "--smol", "--no-env-file", "--no-install", MAIN], {
      cwd: orders.dir,
      // It moves bytes: compiled code would cost it a quarter of its memory and gain it nothing.
      env: { ...env, BUN_JSC_useJIT: "0" },
      // Not as a blob: the file that it travels in would stay open for the life of the server.
      stdin: "pipe",
      stdout: "pipe",
      stderr: log,
      detached: true,
    });
    closeSync(log);
    child.unref();
    child.stdin.write(JSON.stringify(orders));
    await child.stdin.end();
    const reader = child.stdout.getReader();
    const limit = setTimeout(() => child.kill("SIGKILL"), READY_MS_MAX);
    const { done } = await reader.read();
    clearTimeout(limit);
    await reader.cancel();
    if (done)
      throw new Error(`Its holder process could not start: ${readFileSync(join(orders.dir, LOG_FILE), "utf8")}`);
    await this.#connect(orders.dir, held);
  }

  async #connect(dir: string, held: HeldProcess): Promise<void> {
    let unfollow = ignore("nothing is followed yet");
    const link = await HolderLink.open(dir, {
      onRecord: (record) => held.receive(record),
      // It would keep an agent that nobody can hear; its lifeline takes that along.
      onBroken: endHolder,
      onClosed: () => {
        unfollow();
        held.lost("The agent's holder process ended.");
      },
    });
    unfollow = this.#options.flow.follow((isOpen) => link.setReading(isOpen));
    held.connected(link);
  }
}

function remove(dir: string): void {
  rmSync(dir, { recursive: true, force: true });
}

const ignoreLine = ignore("no session continues with this process");

/** A label that cannot be read belongs to nobody's agent. */
function readLabel(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error) return "";
    throw error;
  }
}
