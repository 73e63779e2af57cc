import { StderrTail } from "../agents/process/agent-process.ts";
import { ignore } from "../lib/ignore.ts";
import { StreamDrain } from "../lib/stream-drain.ts";

const PIPE_GRACE_MS = 200;
const END_GRACE_MS = 2_000;

/** What leads to a runner: bytes in both directions until it ends. */
export interface Way {
  /** What was said beside the runner, for an error. */
  readonly said: string;
  /** False if it is over. */
  write(bytes: Uint8Array): boolean;
  /** The runner behind it has answered. */
  ready(): void;
  end(): void;
}

export interface WayListener {
  /** May return a promise: nothing more is read until it resolves. */
  onBytes(chunk: Uint8Array): Promise<void> | null | void;
  /** Once, after the last bytes, and never before the way was returned. */
  onEnd(end: WayEnd): void;
  onError(error: unknown): void;
}

/** Why it has ended: the exit code of a command and what it said; or a sentence, null for a connection that was lost. */
export type WayEnd = { readonly code: number; readonly stderr: string } | { readonly words: string | null };

/** Throws if it cannot be opened at all. */
export type OpenWay = (listener: WayListener) => Way;

/** A command whose standard input and output lead to a runner. */
export function byCommand(command: readonly string[], env: Readonly<Record<string, string>>): OpenWay {
  return (listener) => new CommandWay(command, env, listener);
}

class CommandWay implements Way {
  readonly #child: Bun.Subprocess<"pipe", "pipe", "pipe">;
  readonly #listener: WayListener;
  readonly #stderr = new StderrTail();

  constructor(command: readonly string[], env: Readonly<Record<string, string>>, listener: WayListener) {
    this.#listener = listener;
    this.#child = Bun.spawn([...command], {
      env,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
      // A signal to the server's group must not end the connection before the server has.
      detached: true,
    });
    this.#watch().catch(listener.onError);
  }

  get said(): string {
    return this.#stderr.lastLines();
  }

  write(bytes: Uint8Array): boolean {
    try {
      this.#child.stdin.write(bytes);
      Promise.resolve(this.#child.stdin.flush()).catch(ignore("the end of the process tells it"));
      return true;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return false;
    }
  }

  ready(): void {
    // Nobody waits for it.
  }

  /** The command may have something to give back, as `srun` its node. */
  end(): void {
    this.#child.kill("SIGTERM");
    const late = setTimeout(() => this.#child.kill("SIGKILL"), END_GRACE_MS);
    late.unref();
    this.#child.exited.finally(() => clearTimeout(late)).catch(ignore("its end is watched elsewhere"));
  }

  async #watch(): Promise<void> {
    const stdout = new StreamDrain(this.#child.stdout, (chunk) => this.#listener.onBytes(chunk));
    const decoder = new TextDecoder();
    const stderr = new StreamDrain(this.#child.stderr, (chunk) =>
      this.#stderr.push(decoder.decode(chunk, { stream: true })),
    );
    const code = await this.#child.exited;
    await Promise.all([stdout.endWithin(PIPE_GRACE_MS), stderr.endWithin(PIPE_GRACE_MS)]);
    this.#listener.onEnd({ code, stderr: this.said });
  }
}
