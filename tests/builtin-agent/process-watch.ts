import { readFileSync } from "node:fs";

const POLL_MS = 5;

/** Alive means: not gone and not only waiting to be reaped. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !/^\d+ \(.*\) [ZX]/s.test(stat);
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH")) return false;
    throw error;
  }
}

/** Watches until a process is gone; there is no event for a process that is not our child. */
export async function waitUntilGone(pid: number): Promise<void> {
  while (isAlive(pid)) await Bun.sleep(POLL_MS);
}

/** The most memory a process has held so far. */
export function peakMemoryBytes(pid: number): number {
  const [, kibibytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kibibytes) * 1024;
}
