import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SocketClient } from "../../tests/support/socket-client.ts";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { alternate, medianRatio } from "../measure/alternate.ts";
import type { Bench } from "../measure/bench.ts";
import { percentile } from "../measure/percentile.ts";
import { memoryOf } from "../measure/process-cost.ts";
import { waitUntil } from "../measure/wait-until.ts";
import { NodePty } from "../scene/node-pty.ts";
import { ROOT, startServer } from "../scene/start-server.ts";

const MB = 1024 * 1024;
const OUTPUT_BYTES = 32 * MB;
const OUTPUT_BYTES_QUICK = 4 * MB;
const ROUNDS = 5;
/** More of these, because the ratio of their times is what the kernel and other programs disturb most. */
const PRINT_ROUNDS = 11;
/** Searched for the text that a round ends with. */
const TAIL_BYTES = 1_000;
const KEYS = 100;
const KEYS_QUICK = 10;
const SLOW = 0.95;
/** At least 0.8 of the throughput of node-pty on Node: their inverse as times. */
const THROUGHPUT_RATIO_MAX = 1 / 0.8;
const REATTACH_MS_MAX = 150;
const ECHO_MS_MAX = 30;
const HOLDER_PSS_MB_MAX = 12;
const LOOP_MS = 5_000;
const LOOP_MS_QUICK = 500;
const LOOP_LATER_MS_MAX = 10;
const SLOWEST = 0.99;
const ENDED_MS_MAX = 100;
const PROBE = fileURLToPath(new URL("../programs/loop-probe.ts", import.meta.url));

/** WS-39, WS-40: the cost of a process for each terminal, and of a flood for the terminal beside it. */
export const terminals: Bench = {
  name: "terminals",
  asks: "output of a terminal to a client, coming back to 1 MB; beside a flood: a key, the server's loop and memory, Ctrl-C",
  async run({ quick, report }) {
    await using dir = await tempDir();
    const probe = new LoopProbe(join(dir.path, "probe"));
    await using server = await startServer(dir.path, {}, ROOT, { path: PROBE, env: { LOOP_PROBE: probe.directory } });
    using client = await SocketClient.connect({ url: server.socketUrl });
    const bytes = quick ? OUTPUT_BYTES_QUICK : OUTPUT_BYTES;
    const rounds = quick ? 1 : ROUNDS;
    const terminal = await Shown.open(client, dir.path);
    mkdirSync(dir.join("node-pty"));
    const nodePty = await NodePty.install(dir.join("node-pty"));
    const printing = await alternate(quick ? 1 : PRINT_ROUNDS, {
      bare: () => nodePty?.readMs(printCommand(bytes), bytes) ?? timed(() => printHere(bytes)),
      ours: () => timed(() => terminal.print(bytes)),
    });
    const n = printing.ours.length;
    const [ours, bare] = [percentile(printing.ours, 0.5), percentile(printing.bare, 0.5)];
    report({ metric: `${bytes / MB} MB of output to a client, p50`, unit: "ms", value: ours, baseline: bare, n });
    report({
      metric: `output : read by ${nodePty ? "node-pty on Node" : "Bun"}, median of the rounds`,
      unit: "x",
      value: medianRatio(printing),
      ...(nodePty && { target: THROUGHPUT_RATIO_MAX }),
      n,
    });

    // A client that skips output has less to do: consider this with the ratio.
    report({
      ...{ metric: "the same, arrived of what was printed", unit: "x" as const },
      ...{ value: terminal.bytes / (terminal.bytes + terminal.skipped), n },
    });

    const back: number[] = [];
    for (let round = 0; round < rounds; round++) back.push(await timed(() => terminal.reattach()));
    report({
      metric: "coming back to 1 MB, p50",
      unit: "ms",
      value: percentile(back, 0.5),
      target: REATTACH_MS_MAX,
      n: back.length,
    });

    const other = await Shown.open(client, dir.path);
    const keys = quick ? KEYS_QUICK : KEYS;
    const rest = await other.keys(keys);
    const loopMs = quick ? LOOP_MS_QUICK : LOOP_MS;
    await probe.delaysMs();
    await Bun.sleep(loopMs);
    const idle = await probe.delaysMs();
    const restMb = memoryOf(server.pid).pssMb;
    terminal.type("yes\r");
    await terminal.flows(MB);
    await probe.delaysMs();
    await terminal.flowsFor(loopMs);
    const flooded = await probe.delaysMs();
    const [idleMs, floodedMs] = [percentile(idle, SLOWEST), percentile(flooded, SLOWEST)];
    const samples = { n: flooded.length };
    report({
      metric: "the server's loop beside a flood, p99",
      unit: "ms",
      value: floodedMs,
      baseline: idleMs,
      ...samples,
    });
    report({
      ...{ metric: "the same, later than idle by", unit: "ms", value: Math.max(0, floodedMs - idleMs) },
      ...{ target: LOOP_LATER_MS_MAX, ...samples },
    });
    report({
      ...{ metric: "memory of the server beside a flood (PSS)", unit: "MB", value: memoryOf(server.pid).pssMb },
      ...{ baseline: restMb, n: 1 },
    });
    const beside = await other.keys(keys);
    report({
      metric: "a key beside a flood, p95",
      unit: "ms",
      value: percentile(beside, SLOW),
      baseline: percentile(rest, SLOW),
      target: ECHO_MS_MAX,
      n: keys,
    });
    const ended: number[] = [];
    for (let round = 0; round < rounds; round++) {
      if (round > 0) {
        terminal.type("yes\r");
        await terminal.flows(MB);
      }
      ended.push(await timed(() => terminal.interrupt()));
    }
    report({
      ...{ metric: "Ctrl-C to the prompt after a flood, p50", unit: "ms", value: percentile(ended, 0.5) },
      ...{ target: ENDED_MS_MAX, n: ended.length },
    });
    const memory = holderPssMb(server.dataDir);
    report({
      metric: "memory of a holder (PSS), largest",
      unit: "MB",
      value: Math.max(...memory),
      target: HOLDER_PSS_MB_MAX,
      n: memory.length,
    });
  },
};

async function timed(task: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await task();
  return performance.now() - startedAt;
}

const printCommand = (bytes: number) => `yes 0123456789012345678901234567890123456789 | head -c ${bytes}`;

/** The minimum for a terminal. */
async function printHere(bytes: number): Promise<void> {
  const drained = Promise.withResolvers<void>();
  let read = 0;
  const child = Bun.spawn(["/bin/sh", "-c", printCommand(bytes)], {
    terminal: {
      data: (_, data) => {
        read += data.byteLength;
      },
      exit: () => drained.resolve(),
    },
  });
  await Promise.all([child.exited, drained.promise]);
  if (read < bytes) throw new Error(`only ${read} of ${bytes} bytes arrived`);
  child.terminal?.close();
}

/** A terminal that a client shows: everything is acknowledged at once. */
class Shown {
  readonly #client: SocketClient;
  readonly #terminalId: string;
  #tail = "";
  #bytes = 0;
  #skipped = 0;
  #count = 0;

  private constructor(client: SocketClient, terminalId: string) {
    this.#client = client;
    this.#terminalId = terminalId;
  }

  static async open(client: SocketClient, path: string): Promise<Shown> {
    const known = await client.ask("project:list", { type: "project:list" });
    const project =
      known.projects[0] ??
      (await client.ask("project:added", { type: "project:add", commandId: crypto.randomUUID(), path })).project;
    const { terminalId } = await client.ask("terminal:opened", { type: "terminal:open", projectId: project.id });
    const shown = new Shown(client, terminalId);
    await client.ask("terminal:attached", { type: "terminal:attach", terminalId, output: "binary" });
    await shown.#until("$ ", "# ");
    return shown;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get skipped(): number {
    return this.#skipped;
  }

  type(data: string): void {
    this.#client.sendRaw(JSON.stringify({ type: "terminal:input", terminalId: this.#terminalId, data }));
  }

  async print(bytes: number): Promise<void> {
    this.#count += 1;
    this.type(`${printCommand(bytes)}; echo "end"-${this.#count}\r`);
    await this.#until(`end-${this.#count}`);
  }

  async reattach(): Promise<void> {
    const { offset } = await this.#client.ask("terminal:attached", {
      type: "terminal:attach",
      terminalId: this.#terminalId,
      output: "binary",
    });
    this.#bytes = 0;
    this.#tail = "";
    await this.#until(`end-${this.#count}`);
    if (offset + this.#bytes < MB / 2) throw new Error("there was less to come back to than a megabyte");
  }

  async flows(bytes: number): Promise<void> {
    const from = this.#bytes;
    await this.#client.until("output", () => {
      this.#take();
      return this.#bytes > from + bytes;
    });
  }

  async flowsFor(ms: number): Promise<void> {
    const untilMs = performance.now() + ms;
    while (performance.now() < untilMs) await this.flows(1);
  }

  /** Ends what runs, and waits for the prompt. */
  async interrupt(): Promise<void> {
    this.type("\x03");
    await this.#client.until("the prompt", () => {
      this.#take();
      return /[$#] $/.test(this.#tail);
    });
  }

  /** The times from a key to its echo. */
  async keys(count: number): Promise<number[]> {
    const taken: number[] = [];
    for (let key = 0; key < count; key++) {
      this.#tail = "";
      taken.push(
        await timed(async () => {
          this.type("x");
          await this.#until("x");
        }),
      );
    }
    return taken;
  }

  async #until(...texts: string[]): Promise<void> {
    await this.#client.until(`"${texts.join('" or "')}"`, () => {
      this.#take();
      return texts.some((text) => this.#tail.includes(text));
    });
  }

  /** Received output of every terminal is acknowledged: the flood continues while another one is in view. */
  #take(): void {
    // Kept output would slow the bench down, to the disadvantage of the measured side.
    this.#client.received.splice(0);
    for (const { terminalId, bytes, offset, skipped } of this.#client.outputs.splice(0)) {
      this.#client.sendRaw(JSON.stringify({ type: "terminal:ack", terminalId, offset }));
      if (terminalId !== this.#terminalId) continue;
      this.#bytes += bytes.byteLength;
      this.#skipped += skipped;
      this.#tail = `${this.#tail}${new TextDecoder().decode(bytes.subarray(-TAIL_BYTES))}`.slice(-TAIL_BYTES);
    }
  }
}

/** Queries the program that is loaded into the server. */
class LoopProbe {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
    mkdirSync(directory);
  }

  /** How late each step of its loop was since the last time. */
  async delaysMs(): Promise<readonly number[]> {
    const answer = join(this.directory, "delays.json");
    writeFileSync(join(this.directory, "ask"), "");
    await waitUntil("the delays of the server's loop", () => existsSync(answer));
    const delays: unknown = JSON.parse(readFileSync(answer, "utf8"));
    rmSync(answer);
    return Array.isArray(delays) ? delays.map(Number) : [];
  }
}

function holderPssMb(dataDir: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const isHolder = readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("terminals/holder/main.ts");
        const isOurs = isHolder && readFileSync(`/proc/${pid}/environ`, "utf8").includes(`LIMINAL_DATA_DIR=${dataDir}`);
        if (!isOurs) return [];
        const [, kilobytes = "0"] = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")) ?? [];
        return [Number(kilobytes) / 1024];
      } catch (error) {
        if (error instanceof Error && "code" in error) return [];
        throw error;
      }
    });
}
