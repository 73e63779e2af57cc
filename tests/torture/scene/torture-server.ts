import { join } from "node:path";
import { z } from "zod";
import { type ProcessWatch, watchProcesses } from "../../support/leftover-processes.ts";
import { ROOT } from "../../support/test-server.ts";
import { SEAM_VARIABLE } from "./seam-words.ts";
import { ServerSeam } from "./server-seam.ts";
import type { TortureDirs } from "./torture-dirs.ts";

const PRELOAD = join(ROOT, "tests/torture/inside/server-preload.ts");
const RUN_MARKER = "LIMINAL_TEST_RUN";
/** Small, so that journals are cut many times in a run. */
const JOURNAL_BYTES = "200000";
const LOG_CHARS_MAX = 4_000_000;

const Started = z.object({ url: z.string(), port: z.int(), pid: z.int() });
type Started = z.infer<typeof Started>;
type ServerProcess = Bun.Subprocess<"ignore", "pipe", "pipe">;

/** The real server on one data directory, which is killed and started again. */
export class TortureServer {
  readonly dirs: TortureDirs;
  readonly processes: ProcessWatch = watchProcesses();
  readonly seam: ServerSeam;
  readonly #env: Readonly<Record<string, string>>;
  #running: { readonly child: ServerProcess; readonly started: Started; readonly reading: Promise<void> } | null = null;
  #port = 0;
  #token = "";
  #log = "";
  #starts = 0;
  /** Where SIGKILLs of ours cannot explain an end. */
  readonly unexpectedEnds: string[] = [];
  #expectsEnd = false;

  constructor(dirs: TortureDirs) {
    this.dirs = dirs;
    this.seam = new ServerSeam(dirs.seam, () => this.pid);
    this.#env = {
      PATH: `${dirs.bin}:${process.env["PATH"] ?? ""}`,
      HOME: dirs.home,
      LIMINAL_DATA_DIR: dirs.data,
      LIMINAL_PORT: "0",
      LIMINAL_NO_OPEN: "1",
      LIMINAL_REGISTRY_URL: "off",
      LIMINAL_JOURNAL_BYTES: JOURNAL_BYTES,
      [SEAM_VARIABLE]: dirs.seam,
      ...this.marks,
    };
  }

  /** What marks all that belongs to this run, also on another machine. */
  get marks(): Readonly<Record<string, string>> {
    const runMarker = process.env[RUN_MARKER];
    return { ...(runMarker !== undefined && { [RUN_MARKER]: runMarker }), ...this.processes.env };
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  get pid(): number {
    if (!this.#running) throw new Error("the server does not run");
    return this.#running.started.pid;
  }

  /** The last one it had, where it does not run. */
  get port(): number {
    return this.#port;
  }

  get token(): string {
    return this.#token;
  }

  get starts(): number {
    return this.#starts;
  }

  get log(): string {
    return this.#log;
  }

  async start(): Promise<void> {
    const { child, reading } = this.#spawn({});
    const line = await firstLine(child.stdout);
    if (line === null) {
      const code = await child.exited;
      await reading;
      throw new Error(`the server ended with ${code} instead of starting: ${this.#log.slice(-2_000)}`);
    }
    const started = Started.parse(JSON.parse(line));
    this.#running = { child, started, reading };
    this.#starts += 1;
    this.#port = started.port;
    this.#token = new URL(started.url).searchParams.get("token") ?? "";
    this.#expectsEnd = false;
    this.#watch(child);
  }

  /** For a start that must fail: how it ended, and what it said to the user. */
  async startInVain(env: Readonly<Record<string, string>> = {}): Promise<{ code: number; said: string }> {
    const before = this.#log.length;
    const { child, reading } = this.#spawn(env);
    const line = await firstLine(child.stdout);
    if (line !== null) child.kill("SIGKILL");
    const code = await child.exited;
    await reading;
    return { code: line === null ? code : 0, said: this.#log.slice(before) };
  }

  /** `kill -9`. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Asks it to stop and end everything; its exit code. */
  stop(): Promise<number> {
    return this.#end("SIGTERM");
  }

  /** Asks it to leave its agents to the next one; its exit code. */
  detach(): Promise<number> {
    return this.#end("SIGUSR2");
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal);
  }

  async #end(signal: NodeJS.Signals): Promise<number> {
    if (!this.#running) throw new Error("the server does not run");
    const { child, reading } = this.#running;
    this.#expectsEnd = true;
    child.kill(signal);
    const code = await child.exited;
    await reading;
    this.#running = null;
    return code;
  }

  #watch(child: ServerProcess): void {
    child.exited
      .then((code) => {
        if (!this.#expectsEnd && this.#running?.child === child)
          this.unexpectedEnds.push(`the server ended by itself with ${code}: ${this.#log.slice(-1_000)}`);
      })
      .catch((error: unknown) => this.unexpectedEnds.push(String(error)));
  }

  #spawn(env: Readonly<Record<string, string>>): { child: ServerProcess; reading: Promise<void> } {
    const command = [process.execPath, "--preload", PRELOAD, join(ROOT, "src/cli/main.ts"), "serve", "--json"];
    const child = Bun.spawn(command, {
      cwd: this.dirs.root,
      env: { ...this.#env, ...env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    return { child, reading: this.#readLog(child.stderr) };
  }

  async #readLog(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of stream)
      this.#log = (this.#log + decoder.decode(bytes, { stream: true })).slice(-LOG_CHARS_MAX);
  }
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string | null> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!text.includes("\n")) {
    const { done, value } = await reader.read();
    if (done) return null;
    text += decoder.decode(value, { stream: true });
  }
  reader.releaseLock();
  return text.slice(0, text.indexOf("\n"));
}
