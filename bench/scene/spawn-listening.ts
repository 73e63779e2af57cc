import { readFileSync } from "node:fs";
import { z } from "zod";
import { within } from "../measure/wait-until.ts";

const START_MAX_MS = 30_000;
const EXIT_MAX_MS = 15_000;

/** A program of ours that listens on a port, started for a bench. */
export interface ListeningProgram extends AsyncDisposable {
  readonly pid: number;
  /** The line it printed when it began to listen. */
  readonly announced: unknown;
  readonly port: number;
  /** Kills it with SIGKILL. */
  kill(): Promise<void>;
  /** Ends it with SIGTERM, and waits until it has ended. */
  stop(): Promise<void>;
}

const Announcement = z.looseObject({ port: z.int() });

interface SpawnOptions {
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Takes its stderr, which is shown when it fails to start. */
  readonly logFile: string;
}

/** Starts a program and waits for the one line of JSON with its address. */
export async function spawnListening({ command, env, logFile }: SpawnOptions): Promise<ListeningProgram> {
  const child = Bun.spawn([...command], {
    env: { ...process.env, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: Bun.file(logFile),
  });
  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    child.kill(signal);
    await within(`${command.join(" ")} to end`, child.exited, EXIT_MAX_MS);
  };
  try {
    const line = await within(`${command.join(" ")} to listen`, firstLine(child.stdout), START_MAX_MS);
    const announced: unknown = JSON.parse(line);
    const { port } = Announcement.parse(announced);
    const stop = () => end("SIGTERM");
    return { pid: child.pid, announced, port, kill: () => end("SIGKILL"), stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await end("SIGKILL");
    throw new Error(`${command.join(" ")} did not start: ${readFileSync(logFile, "utf8")}`, { cause: error });
  }
}

async function firstLine(stdout: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  const reader = stdout.getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error("it ended without a word");
    text += decoder.decode(value, { stream: true });
    const end = text.indexOf("\n");
    if (end !== -1) return text.slice(0, end);
  }
}
