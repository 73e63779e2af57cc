import { StreamDrain } from "./drain-stream.ts";
import { LineSplitter } from "./line-splitter.ts";
import {
  type ExitReport,
  type HostedProcess,
  NotStartableError,
  type PastLine,
  type ProcessSpec,
  type StopUrgency,
} from "./process-host.ts";
import { spawnPlan } from "./spawn-plan.ts";
import { StderrTail } from "./stderr-tail.ts";

/** Agents put whole files and images into one line. */
const LINE_BYTES_MAX = 128 * 1024 * 1024;
/** How long after its input was closed the group gets SIGTERM, and then SIGKILL. */
const STOP_GRACE: Readonly<Record<StopUrgency, { readonly termAfterMs: number; readonly killAfterMs: number }>> = {
  gentle: { termAfterMs: 5_000, killAfterMs: 7_000 },
  now: { termAfterMs: 0, killAfterMs: 700 },
};
/** What a process wrote before its end is in the pipe already; this is for reading it on a busy machine. */
const PIPE_GRACE_MS = 500;

/** One agent process in a group of its own, so that whatever it starts can be ended with it. */
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
    // Its number may belong to another process by now.
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

  /** Not waited for: to an agent that reads nothing the rest of its input never gets through. */
  #closeInput(): void {
    try {
      Promise.resolve(this.#child.stdin.end()).catch(ignoreBrokenPipe);
    } catch (error) {
      ignoreBrokenPipe(error);
    }
  }

  /** A child ends with its server: it has neither a past nor a successor. */
  takePast(): readonly PastLine[] {
    return [];
  }

  checkpoint(): void {
    // There is no journal to shorten.
  }

  /** Nobody keeps anything for it. */
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
    // Neither a grandchild nor a daemon that keeps the pipes open keeps us from knowing that the agent is gone.
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

/** The process died a moment ago and its end is on its way: what was written goes nowhere. */
function ignoreBrokenPipe(error: unknown): void {
  if (!(error instanceof Error) || Reflect.get(error, "code") !== "EPIPE") throw error;
}

/** Signals a whole process group; one that is already gone is what we wanted. */
export function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!(error instanceof Error) || Reflect.get(error, "code") !== "ESRCH") throw error;
  }
}
