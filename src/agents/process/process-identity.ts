import { quietRead } from "./quiet-read.ts";

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
