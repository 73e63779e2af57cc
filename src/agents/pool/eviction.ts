export interface Evictable {
  readonly busy: boolean;
  readonly lastUsedAt: number;
  evict(): void;
}

export interface EvictionLimits {
  readonly idleMs: number;
  readonly processesMax: number;
}

/**
 * Which processes to end: those idle for too long, and the least recently used of those above the maximum.
 * A busy one is never chosen, so there may be more than the maximum while all of them work.
 */
export function chooseEvictions<Process extends Evictable>(
  processes: readonly Process[],
  limits: EvictionLimits,
  now: number,
): readonly Process[] {
  const byAge = processes.filter(({ busy }) => !busy).sort((one, other) => one.lastUsedAt - other.lastUsedAt);
  const excess = Math.max(0, processes.length - limits.processesMax);
  return byAge.filter(({ lastUsedAt }, index) => index < excess || now - lastUsedAt >= limits.idleMs);
}
