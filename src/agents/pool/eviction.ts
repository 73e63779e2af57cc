export interface Evictable {
  readonly busy: boolean;
  readonly lastUsedAt: number;
  evict(why: string): void;
}

export interface EvictionLimits {
  readonly idleMs: number;
  readonly processesMax: number;
}

/** Under memory pressure a shorter idle time is enough. */
const IDLE_UNDER_PRESSURE_MS = 60_000;

/**
 * Chooses the processes to end: those idle for too long, and the least recently used above the maximum.
 * When memory is short, a minute of idleness is enough. Busy processes are never chosen, so the maximum may be
 * exceeded.
 */
export function chooseEvictions<Process extends Evictable>(
  processes: readonly Process[],
  limits: EvictionLimits,
  now: number,
  memoryShort = false,
): readonly { readonly process: Process; readonly why: string }[] {
  const byAge = processes.filter(({ busy }) => !busy).sort((one, other) => one.lastUsedAt - other.lastUsedAt);
  const idleMs = memoryShort ? Math.min(IDLE_UNDER_PRESSURE_MS, limits.idleMs) : limits.idleMs;
  const excess = Math.max(0, processes.length - limits.processesMax);
  return byAge.flatMap((process, index) => {
    const unusedMs = now - process.lastUsedAt;
    if (unusedMs >= idleMs)
      return [{ process, why: `unused for ${unusedMs} ms${memoryShort ? ", memory is low" : ""}` }];
    return index < excess ? [{ process, why: `more than ${limits.processesMax} processes are running` }] : [];
  });
}
