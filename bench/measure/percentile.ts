import { invariant } from "../../src/lib/assert.ts";

/** The smallest sample that at least `share` (0 to 1) of all samples do not exceed. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((one, other) => one - other);
  const found = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  invariant(found !== undefined, "a percentile needs at least one sample");
  return found;
}

export function median(samples: readonly number[]): number {
  return percentile(samples, 0.5);
}
