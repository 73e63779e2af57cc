import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { z } from "zod";
import { killMarked, type MarkedProcess } from "../../scripts/test/marked-processes.ts";
import type { SessionState } from "../../src/protocol/session-schema.ts";
import { type ProcessWatch, watchProcesses } from "./leftover-processes.ts";
import { SocketClient } from "./socket-client.ts";
import { type TempDir, tempDir } from "./temp-dir.ts";
import { DEADLINE_MS } from "./wait-for.ts";

export const ROOT = resolve(import.meta.dirname, "../..");
/** The program, as `npm test` has compiled it; the source where a test file is run by itself. */
export const PROGRAM = process.env["LIMINAL_TEST_PROGRAM"] ?? join(ROOT, "src/cli/main.ts");
/** How it is started: by Bun, or by itself where it is the executable. */
export const START: readonly [string, ...string[]] = /\.[jt]s$/.test(PROGRAM) ? [process.execPath, PROGRAM] : [PROGRAM];
const RUN_MARKER = "LIMINAL_TEST_RUN";
/** An agent that was told to end may take this long to be gone after its server was killed. */
const LEFT_ALONE_MS = 30_000;

const Started = z.object({
  url: z.string(),
  port: z.int(),
  pid: z.int(),
  dataDir: z.string(),
  fingerprint: z.string().optional(),
});
type Started = z.infer<typeof Started>;

export interface AgentSetting {
  readonly name: string;
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly process?: "shared" | "per-session";
  readonly retryMs?: readonly number[];
  readonly fs?: boolean;
  readonly terminal?: boolean;
  readonly permissions?: "ask" | "edits" | "all";
  readonly orchestration?: boolean;
}

export interface TestServerOptions {
  /** `agents` of config.json; `builtin` may be replaced too. */
  readonly agents?: Readonly<Record<string, AgentSetting>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Starts the program in another way. */
  readonly command?: readonly string[];
  /** More words on its command line. */
  readonly args?: readonly string[];
  /** As on a desktop: it opens the page by whatever `xdg-open` its PATH has. */
  readonly opensBrowser?: boolean;
  /** Puts files into the data directory before the first start. */
  readonly prepare?: (dataDir: string) => Promise<void> | void;
}

/** The built-in agent as a configured one, started with these flags. */
export function guideWith(...flags: string[]): AgentSetting {
  const args = [join(ROOT, "builtin-agent/main.ts"), ...flags];
  return { name: "Test Guide", command: process.execPath, args, process: "shared" };
}

/** `await using server = await startTestServer()`: the real server with a data directory and a home of its own. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const server = await TestServer.prepare(options);
  try {
    await server.start();
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
  return server;
}

/** One data directory and whatever server runs on it; it can be killed and started again. */
export class TestServer implements AsyncDisposable {
  readonly dataDir: string;
  readonly home: string;
  readonly processes: ProcessWatch;
  readonly #dir: TempDir;
  readonly #env: Readonly<Record<string, string>>;
  readonly #command: readonly string[];
  readonly #clients: SocketClient[] = [];
  #running: { readonly child: Bun.Subprocess<"ignore", "pipe", "pipe">; readonly started: Started } | null = null;
  #log = "";
  #reading: Promise<void> = Promise.resolve();

  private constructor(dir: TempDir, options: TestServerOptions) {
    this.#dir = dir;
    this.dataDir = dir.join("data");
    this.home = dir.join("home");
    this.processes = watchProcesses();
    this.#command = [...(options.command ?? START), "serve", "--json", ...(options.args ?? [])];
    const runMarker = process.env[RUN_MARKER];
    this.#env = {
      PATH: process.env["PATH"] ?? "",
      HOME: this.home,
      LIMINAL_DATA_DIR: this.dataDir,
      LIMINAL_PORT: "0",
      ...(options.opensBrowser ? { DISPLAY: ":0" } : { LIMINAL_NO_OPEN: "1" }),
      LIMINAL_REGISTRY_URL: "off",
      ...(runMarker !== undefined && { [RUN_MARKER]: runMarker }),
      ...this.processes.env,
      ...options.env,
    };
  }

  /** Everything but the process. */
  static async prepare(options: TestServerOptions = {}): Promise<TestServer> {
    const server = new TestServer(await tempDir(), options);
    await mkdir(server.home);
    await mkdir(server.dataDir, { mode: 0o700 });
    if (options.agents)
      await writeFile(join(server.dataDir, "config.json"), JSON.stringify({ agents: options.agents }));
    await options.prepare?.(server.dataDir);
    return server;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  get url(): string {
    return this.#started.url;
  }

  get port(): number {
    return this.#started.port;
  }

  get pid(): number {
    return this.#started.pid;
  }

  get token(): string {
    return new URL(this.url).searchParams.get("token") ?? "";
  }

  get origin(): string {
    return new URL(this.url).origin;
  }

  /** Of the certificate it says it shows; undefined without TLS. */
  get fingerprint(): string | undefined {
    return this.#started.fingerprint;
  }

  get #started(): Started {
    if (!this.#running) throw new Error("the server does not run");
    return this.#running.started;
  }

  /** What it wrote to stderr, over all its runs. */
  get log(): string {
    return this.#log;
  }

  /** Starts it, or starts it again on the same data directory, with other settings if need be. */
  async start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    const child = this.#spawn(env);
    const line = await firstLine(child.stdout);
    if (line === null) {
      const code = await child.exited;
      await this.#reading;
      throw new Error(`the server ended with ${code} instead of starting: ${this.#log}`);
    }
    this.#running = { child, started: Started.parse(JSON.parse(line)) };
  }

  /** For a start that must fail: how it ended and what it said. */
  async startInVain(): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
    const before = this.#log.length;
    const child = this.#spawn();
    const [code, stdout] = await Promise.all([child.exited, new Response(child.stdout).text()]);
    await this.#reading;
    return { code, stdout, stderr: this.#log.slice(before) };
  }

  /** Starts it, and kills it with -9 when that moment has come; whether it had got so far as to say that it runs. */
  async startAndKill(moment: () => Promise<void>): Promise<boolean> {
    const child = this.#spawn();
    const said = new Response(child.stdout).text();
    await moment();
    child.kill("SIGKILL");
    await child.exited;
    await this.#reading;
    return (await said).includes("\n");
  }

  /** `kill -9`: it has no chance to say goodbye. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Asks it to stop; its exit code. */
  stop(): Promise<number> {
    return this.#end("SIGTERM");
  }

  /** Asks it to go and leave its agents to the next one; its exit code. */
  detach(): Promise<number> {
    return this.#end("SIGUSR2");
  }

  /** Somebody else has told it to end: its exit code. */
  ended(): Promise<number> {
    return this.#end(null);
  }

  async #end(signal: NodeJS.Signals | null): Promise<number> {
    if (!this.#running) throw new Error("the server does not run");
    const { child } = this.#running;
    if (signal) child.kill(signal);
    const code = await child.exited;
    await this.#reading;
    this.#running = null;
    return code;
  }

  /** A signed-in client; `states` is what an earlier connection of it knew. */
  async connect(states?: ReadonlyMap<string, SessionState>): Promise<SocketClient> {
    const client = await SocketClient.connect({
      url: `ws://127.0.0.1:${this.port}/ws?token=${this.token}`,
      ...(states && { states }),
    });
    this.#clients.push(client);
    return client;
  }

  /** A directory of the user's that exists. */
  async directory(...names: string[]): Promise<string> {
    const path = this.#dir.join("work", ...names);
    await mkdir(path, { recursive: true });
    return path;
  }

  /** A request to it, signed in unless headers say otherwise. */
  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.origin}${path}`, {
      redirect: "manual",
      headers: { Authorization: `Bearer ${this.token}` },
      ...init,
    });
  }

  /** Everything it started, however deep, but for the holders. */
  agentProcesses(): MarkedProcess[] {
    // What the server is about to start has the server's own words until it runs.
    const server = this.processes.alive().find(({ pid }) => pid === this.#running?.started.pid);
    return this.processes.alive().filter((found) => found.commandLine !== server?.commandLine && !isHolder(found));
  }

  /** The processes that hold its agents. */
  holders(): MarkedProcess[] {
    return this.processes.alive().filter(isHolder);
  }

  /** Closes all clients and proves that none saw a breach of the wire's rules. */
  closeClients(): void {
    const clients = this.#clients.splice(0);
    for (const client of clients) client[Symbol.dispose]();
    const violations = clients.flatMap((client) => client.violations);
    if (violations.length > 0) throw new Error(`The wire's rules were broken:\n${violations.join("\n")}`);
  }

  /** Stops it and proves that the clients saw no breach of the wire's rules and that no process is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) client[Symbol.dispose]();
    if (this.#running) await this.stop();
    else killMarked(this.holders(), "SIGTERM");
    const left = await this.processes.leftAfter(LEFT_ALONE_MS);
    this.processes[Symbol.dispose]();
    await this.#dir[Symbol.asyncDispose]();
    const violations = this.#clients.flatMap((client) => client.violations);
    if (violations.length > 0) throw new Error(`The wire's rules were broken:\n${violations.join("\n")}`);
    if (left.length > 0) throw new Error(`Processes were left behind: ${Bun.inspect(left)}`);
    if (/Unexpected fault/.test(this.#log)) throw new Error(`The server had faults of its own:\n${this.#log}`);
  }

  #spawn(env: Readonly<Record<string, string>> = {}): Bun.Subprocess<"ignore", "pipe", "pipe"> {
    const child = Bun.spawn([...this.#command], {
      cwd: this.#dir.path,
      env: { ...this.#env, ...env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      timeout: 10 * DEADLINE_MS,
      killSignal: "SIGKILL",
    });
    this.#reading = this.#readLog(child.stderr);
    return child;
  }

  async #readLog(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of stream) this.#log += decoder.decode(bytes, { stream: true });
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

function isHolder({ commandLine }: { readonly commandLine: string }): boolean {
  return /(?:agents|terminals)\/holder\/main\.ts|@(?:agent|terminal)-holder/.test(commandLine);
}
