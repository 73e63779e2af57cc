const MICROSECONDS_PER_SECOND = 1_000_000;

let childrenMicroseconds = 0;

/** Adds what an ended child used, together with everything it started and waited for: user and system time. */
export function countCpu(child: Bun.Subprocess): void {
  childrenMicroseconds += Number(child.resourceUsage()?.cpuTime.total ?? 0);
}

/** The CPU time of all counted children so far. */
export function childrenCpuSeconds(): number {
  return childrenMicroseconds / MICROSECONDS_PER_SECOND;
}
