import { appendFileSync, readFileSync, writeFileSync } from "node:fs";

const FILE_MODE = 0o600;

/** A process group of ours that an earlier run of the server wrote down and never crossed out. */
export interface LedgerEntry {
  readonly pid: number;
  readonly identity: string;
}

/**
 * Which agent processes run, on disk, so that the next run of the server finds what this one may leave behind, also
 * where a process's environment cannot be read. A line that a crash tore in two is passed over.
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

  /** What was left when the last run ended; the page begins anew. */
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

/** Where the start time stands in `/proc/<pid>/stat`, counted after the name, which may hold anything. */
const START_TIME_INDEX = 19;

/** The kernel's own count of when a process began; null where it is not shown, or the process is gone. */
export function startTicks(pid: number): string | null {
  const stat = quietRead(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[START_TIME_INDEX] ?? null;
}

/**
 * What a process number alone is not: the same text is the same process, even after the number was given to another
 * or the machine was started again. Without `/proc` the system's own list of processes is asked.
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

/** A file that may be gone, or another's, by the time it is read. */
export function quietRead(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}
