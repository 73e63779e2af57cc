import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";

const REPEATS = 'while read -r line; do echo "$line"; done';

/** A program that has Codex's lock of a conversation, as `codex` in a terminal has. */
export class HeldConversation implements AsyncDisposable {
  readonly #child: Bun.Subprocess<"pipe", "pipe", "inherit">;

  private constructor(child: Bun.Subprocess<"pipe", "pipe", "inherit">) {
    this.#child = child;
  }

  /** `words`: its command line after `codex` and the script. */
  static async start(
    lock: string,
    env: Readonly<Record<string, string>> = {},
    words: readonly string[] = [],
  ): Promise<HeldConversation> {
    await mkdir(dirname(lock), { recursive: true });
    // Without a fork the process that has the lock is the one that is ended. It also ends with the test.
    const shell = ["bash", "--norc", "-c", `exec -a codex bash --norc -c '${REPEATS}' "$@"`, "codex", ...words];
    const child = Bun.spawn(["flock", "--no-fork", "--exclusive", lock, ...shell], {
      env: { PATH: process.env["PATH"] ?? "", ...env },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "inherit",
    });
    // A run that forgets it ends all the same, and it with the run.
    child.unref();
    // It answers only when it is no shell any more.
    child.stdin.write("held\n");
    await child.stdin.flush();
    const reader = child.stdout.getReader();
    const { value } = await reader.read();
    await reader.cancel();
    if (!new TextDecoder().decode(value).startsWith("held")) throw new Error("the lock could not be taken");
    return new HeldConversation(child);
  }

  get pid(): number {
    return this.#child.pid;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.exited;
  }
}
