const RETRY_STEPS_MS = [500, 1_000, 2_000, 4_000, 5_000] as const;
const LAST_STEP_MS = 5_000;
/** Up to this share of a step is taken off at random, so that many pages do not knock at the same instant. */
const JITTER_SHARE = 0.25;

/** How long to wait after the given number of failed tries, the first one being 1; it never gives up. */
export function retryDelayMs(failedTries: number, random: () => number): number {
  const step = RETRY_STEPS_MS[failedTries - 1] ?? LAST_STEP_MS;
  return Math.round(step * (1 - JITTER_SHARE * random()));
}
