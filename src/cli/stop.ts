import { readFileSync } from "node:fs";
import { isLockHeld } from "../server/lock-state.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import type { CommandLine } from "./parse-command-line.ts";
import { print } from "./print.ts";
import { dataDirOf, readNote } from "./running-server.ts";
import { runningServer } from "./start-in-background.ts";

const LOOK_AGAIN_MS = 50;
/** Agents get time to end by themselves; a server that needs longer has a problem. */
const STOP_MS_MAX = 60_000;

/** Stops the server of this data directory and waits until it is gone. */
export async function stop(line: CommandLine): Promise<ExitCode> {
  const dataDir = dataDirOf(line.env);
  const note = readNote(dataDir);
  // A note can outlive its server, and its number can by now be somebody else's: who holds the lock is ours for sure.
  const isOurs = note !== null && ((await runningServer(line.env)) !== null || isLockHeld(dataDir));
  if (!isOurs) {
    print(line, { status: "not-running" }, `No Liminal Builder is running for ${dataDir}.`);
    return EXIT.done;
  }
  const { pid } = note;
  process.kill(pid, "SIGTERM");
  const since = performance.now();
  while (isAlive(pid)) {
    if (performance.now() - since > STOP_MS_MAX)
      throw new CliError(
        EXIT.failed,
        `The server (process ${pid}) was asked to stop and still runs. Look at it, or end it with: kill -9 ${pid}`,
      );
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  print(line, { status: "stopped", pid }, "Liminal Builder has stopped.");
  return EXIT.done;
}

/** Whether it still runs; one that has ended and only waits to be collected does not. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
    if (code === "ESRCH" || code === "ENOENT") return false;
    if (code === "EPERM") return true;
    throw error;
  }
}
