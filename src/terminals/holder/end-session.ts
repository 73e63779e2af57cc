import { readdirSync, readFileSync } from "node:fs";

/** Every program in a terminal has it in its environment. */
export const TERMINAL_VARIABLE = "LIMINAL_TERMINAL";

const HANGUP_MS_MAX = 500;
const POLL_MS = 20;
/** Of repeated kills: a process that forks faster than this is not ended. */
const KILL_ROUNDS_MAX = 250;

/** The positions in `/proc/<pid>/stat`, counted after the name, which may contain anything. */
const SESSION_INDEX = 3;
const FOREGROUND_INDEX = 5;
const START_INDEX = 19;

/** A program that leads the session of a terminal. */
export interface Leader {
  readonly pid: number;
  /** Its start time, so that a reused pid is not mistaken for it; null if the system does not report it. */
  readonly started: string | null;
  /** The value of `LIMINAL_TERMINAL`. */
  readonly mark: string;
  /** Also ends what left the session: for commands that we started, not for what a user started from a shell. */
  readonly withDaemons: boolean;
}

export function startOf(pid: number): string | null {
  return statOf(pid)?.[START_INDEX] ?? null;
}

/** The process group that gets the keys typed; null if the system does not report it. */
export function foregroundOf(pid: number): number | null {
  const group = Number(statOf(pid)?.[FOREGROUND_INDEX]);
  return Number.isInteger(group) && group > 1 ? group : null;
}

/** Hangs up, then kills whatever is left of the session. Resolves when nothing is left. */
export async function endSession(leader: Leader): Promise<void> {
  signal(membersOf(leader), "SIGHUP");
  signal(membersOf(leader), "SIGCONT");
  for (let waitedMs = 0; waitedMs < HANGUP_MS_MAX && membersOf(leader).length > 0; waitedMs += POLL_MS)
    await Bun.sleep(POLL_MS);
  for (let round = 0; round < KILL_ROUNDS_MAX; round++) {
    const members = membersOf(leader);
    if (members.length === 0) return;
    signal(members, "SIGKILL");
    await Bun.sleep(POLL_MS);
  }
}

/**
 * Everything in the leader's session. The number of a session is not used again while anything is in it; once the leader
 * has ended, a process counts only with the terminal's mark, as the number could be that of another session by then.
 */
function membersOf(leader: Leader): readonly number[] {
  if (process.platform !== "linux") return membersByList(leader);
  const isLeading = leader.started !== null && startOf(leader.pid) === leader.started;
  const mark = `${TERMINAL_VARIABLE}=${leader.mark}`;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      if (pid === process.pid) return false;
      const stat = statOf(pid);
      if (!stat || stat[0] === "Z") return false;
      const isInSession = stat[SESSION_INDEX] === String(leader.pid);
      if (isInSession && isLeading) return true;
      return (isInSession || leader.withDaemons) && hasVariable(pid, mark);
    });
}

/** Without `/proc`: all processes on the leader's terminal, while it runs. */
function membersByList({ pid, started }: Leader): readonly number[] {
  const list = (...options: string[]) =>
    Bun.spawnSync(["ps", ...options])
      .stdout.toString()
      .trim();
  if (started !== null && startOf(pid) !== started) return [];
  const terminal = list("-o", "tty=", "-p", String(pid));
  if (terminal === "" || terminal.includes("?")) return [];
  return list("-o", "pid=", "-t", terminal)
    .split("\n")
    .map(Number)
    .filter((member) => Number.isInteger(member) && member > 1 && member !== process.pid);
}

function signal(pids: readonly number[], name: "SIGHUP" | "SIGCONT" | "SIGKILL"): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      // It has ended, or belongs to another user (sudo): that one ends with the terminal.
      if (!(error instanceof Error && "code" in error)) throw error;
    }
  }
}

function statOf(pid: number): readonly string[] | null {
  if (process.platform !== "linux") {
    const started = Bun.spawnSync(["ps", "-o", "lstart=", "-p", String(pid)])
      .stdout.toString()
      .trim();
    return started === "" ? null : Object.assign(new Array<string>(START_INDEX).fill(""), { [START_INDEX]: started });
  }
  const stat = quietRead(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? null;
}

function hasVariable(pid: number, variable: string): boolean {
  return quietRead(`/proc/${pid}/environ`)?.split("\0").includes(variable) ?? false;
}

function quietRead(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}
