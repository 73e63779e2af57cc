import { readFileSync, statSync } from "node:fs";
import { win32 } from "node:path";
import { LineSplitter } from "../../lib/line-splitter.ts";
import { StreamDrain } from "../../lib/stream-drain.ts";
import {
  type ExitReport,
  type HostedProcess,
  NotStartableError,
  type PastLine,
  type ProcessSpec,
  type StopUrgency,
} from "./process-host.ts";

/** Agents put whole files and images into one line. */
const LINE_BYTES_MAX = 128 * 1024 * 1024;
/** How long after its input was closed the group gets SIGTERM, and then SIGKILL. */
const STOP_GRACE: Readonly<Record<StopUrgency, { readonly termAfterMs: number; readonly killAfterMs: number }>> = {
  gentle: { termAfterMs: 5_000, killAfterMs: 7_000 },
  now: { termAfterMs: 0, killAfterMs: 700 },
};
/** How long the rest of its output is awaited after its end, when a process that it started holds the pipe open. */
const PIPE_GRACE_MS = 500;

/** One agent process in its own group, so that its children can be ended with it. */
export class AgentProcess implements HostedProcess {
  readonly pid: number;
  readonly started = Promise.resolve();
  readonly exited: Promise<ExitReport>;
  readonly checkpointBytes = Number.POSITIVE_INFINITY;
  readonly #child: Bun.Subprocess<"pipe", "pipe", "pipe">;
  #ended = false;
  #lineCount = 0;

  constructor(options: ProcessSpec) {
    this.#child = spawn(options);
    this.pid = this.#child.pid;
    this.exited = this.#watch(options);
  }

  write(line: string): void {
    if (this.#ended) return;
    try {
      this.#child.stdin.write(`${line}\n`);
      Promise.resolve(this.#child.stdin.flush()).catch(ignoreBrokenPipe);
    } catch (error) {
      ignoreBrokenPipe(error);
    }
  }

  async stop(urgency: StopUrgency = "gentle"): Promise<ExitReport> {
    // Its pid may belong to another process by now.
    if (this.#ended) return this.exited;
    this.#closeInput();
    const { termAfterMs, killAfterMs } = STOP_GRACE[urgency];
    const asked = setTimeout(() => killGroup(this.pid, "SIGTERM"), termAfterMs);
    const insisted = setTimeout(() => killGroup(this.pid, "SIGKILL"), killAfterMs);
    await this.#child.exited;
    clearTimeout(asked);
    clearTimeout(insisted);
    return this.exited;
  }

  /** Not awaited: an agent that reads nothing never drains its input. */
  #closeInput(): void {
    try {
      Promise.resolve(this.#child.stdin.end()).catch(ignoreBrokenPipe);
    } catch (error) {
      ignoreBrokenPipe(error);
    }
  }

  /** A child process ends with its server: it has no past and no successor. */
  takePast(): readonly PastLine[] {
    return [];
  }

  checkpoint(): void {
    // There is no journal to shorten.
  }

  /** There is nothing to release. */
  async release(): Promise<void> {
    await this.exited;
  }

  async #watch(options: ProcessSpec): Promise<ExitReport> {
    const tail = new StderrTail();
    const splitter = new LineSplitter({
      lineBytesMax: LINE_BYTES_MAX,
      onLine: (line) => options.onLine(line, ++this.#lineCount),
      onTooLong: options.onTooLong,
    });
    const stdout = new StreamDrain(this.#child.stdout, (chunk) => {
      splitter.push(chunk);
      return options.room?.() ?? null;
    });
    const decoder = new TextDecoder();
    const stderr = new StreamDrain(this.#child.stderr, (chunk) => {
      const text = decoder.decode(chunk, { stream: true });
      tail.push(text);
      options.onStderr(text);
    });
    await this.#child.exited;
    this.#ended = true;
    // A grandchild or a daemon that keeps the pipes open must not hide the agent's exit.
    killGroup(this.pid, "SIGKILL");
    await Promise.all([stdout.endWithin(PIPE_GRACE_MS), stderr.endWithin(PIPE_GRACE_MS)]);
    splitter.end();
    return {
      code: this.#child.exitCode,
      signal: this.#child.signalCode === null ? null : String(this.#child.signalCode),
      stderrTail: tail.lastLines(),
    };
  }
}

function spawn(options: ProcessSpec): Bun.Subprocess<"pipe", "pipe", "pipe"> {
  try {
    const { command, verbatim } = spawnPlan(options.command, options.env);
    return Bun.spawn([...command], {
      cwd: options.cwd,
      env: options.env,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
      detached: true,
      windowsHide: true,
      windowsVerbatimArguments: verbatim,
    });
  } catch (error) {
    throw new NotStartableError(error instanceof Error ? error.message : String(error));
  }
}

/** The process has just ended: the written data is dropped. */
function ignoreBrokenPipe(error: unknown): void {
  if (!(error instanceof Error) || Reflect.get(error, "code") !== "EPIPE") throw error;
}

/** Signals a whole process group; one that has already ended is fine. */
export function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!(error instanceof Error) || Reflect.get(error, "code") !== "ESRCH") throw error;
  }
}

const STDERR_TAIL_CHARS_MAX = 16 * 1024;
const SHOWN_LINES_MAX = 20;

/** The end of a process's stderr: the best answer to "why did it stop". */
export class StderrTail {
  #text = "";

  push(chunk: string): void {
    this.#text = (this.#text + chunk).slice(-STDERR_TAIL_CHARS_MAX);
  }

  lastLines(): string {
    return this.#text.trimEnd().split("\n").slice(-SHOWN_LINES_MAX).join("\n");
  }
}

/** What spawning needs to know about the machine. */
export interface SpawnHost {
  readonly platform: NodeJS.Platform;
  readonly isFile: (path: string) => boolean;
  readonly read: (path: string) => string;
}

interface SpawnPlan {
  readonly command: readonly string[];
  /** The last argument is an already quoted command line. */
  readonly verbatim: boolean;
}

type Env = Readonly<Record<string, string | undefined>>;

const EXTENSIONS_DEFAULT = ".COM;.EXE;.BAT;.CMD";
/** The script path in shims written by npm, pnpm and yarn. */
const SHIM_SCRIPT = /"%(?:~dp0|dp0%)\\?([^"%]+\.[cm]?js)"/i;

/**
 * What is actually started for a command. Windows cannot run `.cmd` or `.bat` directly, and npm creates one for every
 * agent: the script behind it is started with Node, so that there is no shell in between. If there is no script,
 * `cmd.exe` runs the file with every argument quoted.
 */
export function spawnPlan(command: readonly string[], env: Env, host: SpawnHost = THIS_HOST): SpawnPlan {
  const [name = "", ...args] = command;
  const file = host.platform === "win32" ? findProgram(name, env, host) : null;
  if (file === null || !/\.(?:cmd|bat)$/i.test(file)) return { command: [file ?? name, ...args], verbatim: false };
  const script = SHIM_SCRIPT.exec(host.read(file))?.[1];
  if (script !== undefined) {
    const folder = win32.dirname(file);
    const besides = win32.join(folder, "node.exe");
    const node = host.isFile(besides) ? besides : (findProgram("node", env, host) ?? "node");
    return { command: [node, win32.join(folder, script), ...args], verbatim: false };
  }
  const line = [file, ...args].map(quoteForCmd).join(" ");
  return { command: [variable(env, "ComSpec") ?? "cmd.exe", "/d", "/s", "/c", `"${line}"`], verbatim: true };
}

/** The first file that matches the name, in Windows' search order; null if there is none. */
function findProgram(name: string, env: Env, { isFile }: SpawnHost): string | null {
  const extensions = (variable(env, "PATHEXT") ?? EXTENSIONS_DEFAULT).split(";").filter(Boolean);
  const isWhole = extensions.some((extension) => name.toLowerCase().endsWith(extension.toLowerCase()));
  const names = isWhole ? [name] : extensions.map((extension) => name + extension.toLowerCase());
  const folders = /[\\/]/.test(name) ? [""] : (variable(env, "PATH") ?? "").split(";").filter(Boolean);
  const files = folders.flatMap((folder) => names.map((one) => (folder === "" ? one : win32.join(folder, one))));
  return files.find(isFile) ?? null;
}

/** Variable names are case-insensitive there. */
function variable(env: Env, name: string): string | undefined {
  return Object.entries(env).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
}

/** First for the program that parses the argument, then for `cmd.exe`, which parses the line before it. */
function quoteForCmd(word: string): string {
  const quoted = word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, "$1$1");
  return `"${quoted}"`.replace(/[()[\]%!^"`<>&|;, *?]/g, "^$&");
}

const THIS_HOST: SpawnHost = {
  platform: process.platform,
  isFile: (path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false,
  read: (path) => readFileSync(path, "utf8"),
};
