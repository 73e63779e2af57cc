import { appendFileSync, readFileSync, writeFileSync } from "node:fs";

const FILE_MODE = 0o600;

/** A process group that an earlier run recorded and never removed. */
export interface LedgerEntry {
  readonly pid: number;
  readonly identity: string;
}

/**
 * Records the running agent processes on disk, so that the next run finds what this one may leave behind, even
 * where a process's environment cannot be read. A line truncated by a crash is skipped.
 */
export class ProcessLedger {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  add(pid: number): void {
    const identity = identityOf(pid);
    if (identity !== null) appendFileSync(this.#path, `+ ${pid} ${identity}\n`, { mode: FILE_MODE });
  }

  remove(pid: number): void {
    appendFileSync(this.#path, `- ${pid}\n`, { mode: FILE_MODE });
  }

  /** Returns the entries of the last run and clears the file. */
  takeOver(): readonly LedgerEntry[] {
    const left = new Map<number, LedgerEntry>();
    for (const line of (quietRead(this.#path) ?? "").split("\n").slice(0, -1)) {
      const [, change, number, identity = ""] = /^([+-]) (\d+) ?(.*)$/.exec(line) ?? [];
      const pid = Number(number);
      if (change === "+") left.set(pid, { pid, identity });
      else if (change === "-") left.delete(pid);
    }
    writeFileSync(this.#path, "", { mode: FILE_MODE });
    return [...left.values()];
  }
}

/** The position of the start time in `/proc/<pid>/stat`, counted after the name, which may contain anything. */
const START_TIME_INDEX = 19;

/** The kernel's start time of a process; null if it is not available or the process has ended. */
export function startTicks(pid: number): string | null {
  const stat = quietRead(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[START_TIME_INDEX] ?? null;
}

/**
 * Identifies a process beyond its pid: the same text means the same process, even after the pid was reused or the
 * machine restarted. Without `/proc` it uses `ps`.
 */
export function identityOf(pid: number, proc = "/proc"): string | null {
  const boot = quietRead(`${proc}/sys/kernel/random/boot_id`)?.trim();
  if (boot === undefined) return startedByList(pid);
  const ticks = startTicks(pid);
  return ticks === null ? null : `${boot} ${ticks}`;
}

function startedByList(pid: number): string | null {
  const { exitCode, stdout } = Bun.spawnSync(["ps", "-o", "lstart=", "-p", String(pid)]);
  const started = stdout.toString().trim();
  return exitCode === 0 && started !== "" ? started : null;
}

/** Reads a file that may be missing or belong to another user. */
export function quietRead(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}
