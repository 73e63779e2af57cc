import { readFileSync } from "node:fs";
import { countHeld } from "../server/held-agents.ts";
import { isLockHeld } from "../server/lock-state.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import type { CommandLine, Environment } from "./parse-command-line.ts";
import { print, tell } from "./print.ts";
import { dataDirOf, readNote } from "./running-server.ts";
import { runningServer, startInBackground } from "./start-in-background.ts";

const LOOK_AGAIN_MS = 50;
/** Agents get time to end by themselves; a server that needs longer has a problem. */
const STOP_MS_MAX = 60_000;

/** Stops the server of this data directory and waits until it is gone. */
export async function stop(line: CommandLine): Promise<ExitCode> {
  const keepsAgents = line.has("keep-agents");
  if (keepsAgents && process.platform === "win32")
    throw new CliError(EXIT.failed, "On Windows agents end with the server. Stop it without --keep-agents.");
  const dataDir = dataDirOf(line.env);
  const pid = (await serverOf(line.env)) ?? (keepsAgents ? null : await serverForHeld(line.env));
  if (pid === null) {
    print(line, { status: "not-running" }, `No Liminal Builder is running for ${dataDir}.`);
    return EXIT.done;
  }
  process.kill(pid, keepsAgents ? "SIGUSR2" : "SIGTERM");
  await untilTrue(
    () => !isAlive(pid),
    `The server (process ${pid}) was asked to stop and still runs. Look at it, or end it with: kill -9 ${pid}`,
  );
  const heldAgents = countHeld(dataDir);
  const goOn = heldAgents > 0 ? ` ${heldAgents} agent(s) go on, and wait for the next start.` : "";
  print(line, { status: "stopped", pid, ...(keepsAgents && { heldAgents }) }, `Liminal Builder has stopped.${goOn}`);
  return EXIT.done;
}

/** A note can outlive its server, and its number can by now be somebody else's: who holds the lock is ours for sure. */
async function serverOf(env: Environment): Promise<number | null> {
  const dataDir = dataDirOf(env);
  // One that is just starting, or taking over from one that was killed, has the lock before it says who it is.
  await untilTrue(
    () => readNote(dataDir) !== null || !isLockHeld(dataDir),
    `A server holds ${dataDir} and does not say where it is. Find the process and end it.`,
  );
  const note = readNote(dataDir);
  return note !== null && ((await runningServer(env)) !== null || isLockHeld(dataDir)) ? note.pid : null;
}

/** What agents say without a server is kept for the next one, so it takes one to end them without losing any of it. */
async function serverForHeld(env: Environment): Promise<number | null> {
  const count = countHeld(dataDirOf(env));
  if (count === 0) return null;
  tell(
    `${count} agent(s) of a server that is gone still run. One is started to store what they said, and to end them.`,
  );
  return (await startInBackground(env)).pid;
}

async function untilTrue(isReached: () => boolean, otherwise: string): Promise<void> {
  const since = performance.now();
  while (!isReached()) {
    if (performance.now() - since > STOP_MS_MAX) throw new CliError(EXIT.failed, otherwise);
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
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
