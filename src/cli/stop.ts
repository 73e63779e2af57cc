import { readFileSync } from "node:fs";
import { countHeld } from "../operations/held-agents.ts";
import { heldTerminals } from "../operations/held-terminals.ts";
import { isLockHeld } from "../operations/instance-lock.ts";
import type { CommandLine, Environment } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { print, printNote } from "./print.ts";
import { dataDirOf, readNote } from "./running-server.ts";
import { startInBackground } from "./start-in-background.ts";

const LOOK_AGAIN_MS = 50;
/** Agents get time to end by themselves; a server that needs longer has a problem. */
const STOP_MS_MAX = 60_000;

/** Stops the server of this data directory and waits until it has ended. */
export async function stop(line: CommandLine): Promise<ExitCode> {
  const keepsAgents = line.has("keep-agents");
  if (keepsAgents && process.platform === "win32")
    throw new CliError(EXIT.failed, "--keep-agents is not supported on Windows, where agents end with the server.");
  const dataDir = dataDirOf(line.env);
  const pid = await endServer(line.env, keepsAgents);
  if (pid === null) {
    print(line, { status: "not-running" }, `No server is running for ${dataDir}.`);
    return EXIT.done;
  }
  const heldAgents = countHeld(dataDir);
  const goOn = heldAgents > 0 ? ` ${heldAgents} agent(s) keep running for the next start.` : "";
  print(line, { status: "stopped", pid, ...(keepsAgents && { heldAgents }) }, `Liminal Builder has stopped.${goOn}`);
  return EXIT.done;
}

/** Ends the server and waits for it; its process, or null if there is none. */
export async function endServer(env: Environment, keepsAgents: boolean): Promise<number | null> {
  const signal = keepsAgents ? "SIGUSR2" : "SIGTERM";
  const pid = (await signalServer(dataDirOf(env), signal)) ?? (keepsAgents ? null : await signalForHeld(env, signal));
  if (pid === null) return null;
  await untilTrue(
    () => !isAlive(pid),
    `The server (process ${pid}) did not stop in time. Wait, or end it with: kill -9 ${pid}`,
  );
  return pid;
}

/** The process that was signalled; null if there is none, or it ended meanwhile. */
async function signalServer(dataDir: string, signal: NodeJS.Signals): Promise<number | null> {
  const pid = await serverOf(dataDir);
  if (pid === null || send(pid, signal)) return pid;
  const next = await serverOf(dataDir);
  if (next === null || send(next, signal)) return next;
  throw new CliError(
    EXIT.failed,
    `A server has locked ${dataDir}, but its process (${next}) is not visible from here. Stop it where it was started.`,
  );
}

/** Only the holder of the lock is ours: a note can outlive its server, and its pid and port can be reused. */
async function serverOf(dataDir: string): Promise<number | null> {
  // A server that is starting, or taking over from a killed one, has the lock before it writes its note.
  await untilTrue(
    () => readNote(dataDir) !== null || !isLockHeld(dataDir),
    `A server has locked ${dataDir}, but its process id is unknown. Find the process and end it.`,
  );
  const note = readNote(dataDir);
  return note !== null && isLockHeld(dataDir) ? note.pid : null;
}

/** False if it has ended in the meantime. */
function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
    if (code === "ESRCH") return false;
    if (code !== "EPERM") throw error;
    throw new CliError(EXIT.failed, `The server (process ${pid}) belongs to another user. Stop it as that user.`);
  }
}

/** Output of agents without a server is kept for the next one, so ending them without loss needs a server. */
async function signalForHeld(env: Environment, signal: NodeJS.Signals): Promise<number | null> {
  const dataDir = dataDirOf(env);
  const [agents, terminals] = [countHeld(dataDir), heldTerminals(dataDir).length];
  if (agents + terminals === 0) return null;
  if (agents > 0)
    printNote(
      `${agents} agent(s) of a stopped server are still running. Starting a server to store their output and close them.`,
    );
  else printNote(`${terminals} terminal(s) of a stopped server are still open. Starting a server to close them.`);
  await startInBackground(env);
  return signalServer(dataDir, signal);
}

async function untilTrue(isReached: () => boolean, otherwise: string): Promise<void> {
  const since = performance.now();
  while (!isReached()) {
    if (performance.now() - since > STOP_MS_MAX) throw new CliError(EXIT.failed, otherwise);
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

/** Whether it still runs; a zombie does not. */
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
