import type { TerminalExit } from "../turn/client.ts";
import { type RunningCommands, signalGroup } from "./running-commands.ts";

/** From SIGTERM to SIGKILL for a command that does not stop by itself. */
const STOP_GRACE_MS = 1_000;
/** A process that left the group may hold the pipe; its output is not waited for longer than this. */
const OUTPUT_DRAIN_MS = 250;
/**
 * The outer shell joins stderr to stdout, so that lines keep their order, and leaves a watcher in the group: stdin is a
 * pipe of ours, and when a killed agent lets go of it, the watcher takes the whole group along.
 */
const WATCHED = 'exec 3<&0 </dev/null; (read -r _ <&3; kill -9 0) >/dev/null 2>&1 & exec /bin/sh -c "$1" 2>&1 3<&-';

/** One command line in its own process group: output as it comes, nothing left behind at its end or at an abort. */
export async function runCommand(options: {
  command: string;
  cwd: string;
  signal: AbortSignal;
  commands: RunningCommands;
  onOutput: (bytes: Uint8Array) => void;
}): Promise<TerminalExit> {
  const { command, cwd, signal, commands, onOutput } = options;
  const child = Bun.spawn(["/bin/sh", "-c", WATCHED, "sh", command], {
    cwd,
    env: { ...commands.env },
    detached: true,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  });
  const group = child.pid;
  commands.add(group);
  const stop = () => {
    signalGroup(group, "SIGTERM");
    const timer = setTimeout(() => signalGroup(group, "SIGKILL"), STOP_GRACE_MS);
    child.exited.then(
      () => clearTimeout(timer),
      () => clearTimeout(timer),
    );
  };
  signal.addEventListener("abort", stop, { once: true });
  const output = readAll(child.stdout, onOutput);
  try {
    await child.exited;
    return { exitCode: child.exitCode, signal: child.signalCode === null ? null : String(child.signalCode) };
  } finally {
    signal.removeEventListener("abort", stop);
    signalGroup(group, "SIGKILL");
    commands.remove(group);
    await output.finish();
  }
}

function readAll(stream: ReadableStream<Uint8Array>, onOutput: (bytes: Uint8Array) => void) {
  const reader = stream.getReader();
  const done = (async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) onOutput(next.value);
  })();
  return {
    async finish(): Promise<void> {
      const timer = setTimeout(() => reader.cancel().catch(reportLate), OUTPUT_DRAIN_MS);
      await done.finally(() => clearTimeout(timer));
    },
  };
}

function reportLate(error: unknown): void {
  process.stderr.write(`liminal-guide: closing a command's output failed: ${String(error)}\n`);
}
