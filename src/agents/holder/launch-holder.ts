import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";

const LOG_FILE = "log";
/** A holder that is not ready by then has failed; waiting longer would block forever. */
const READY_MS_MAX = 30_000;
interface HolderLaunch {
  /** The program: it reads its orders from its standard input and writes a line once it is ready. */
  readonly command: readonly string[];
  /** Its own directory. */
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly orders: object;
}

/** Starts a process that outlives the server, and waits until it is ready. Returns what a failed one wrote, else null. */
export async function launchHolder({ command, dir, env, orders }: HolderLaunch): Promise<string | null> {
  const log = openSync(join(dir, LOG_FILE), "a", 0o600);
  const child = Bun.spawn([...command], {
    cwd: dir,
    // A holder only copies bytes: JIT-compiled code would cost a quarter of its memory and gain nothing.
    env: { ...env, BUN_JSC_useJIT: "0" },
    // Not as a blob: its temporary file would stay open for the life of the server.
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
  return done ? readFileSync(join(dir, LOG_FILE), "utf8") : null;
}
