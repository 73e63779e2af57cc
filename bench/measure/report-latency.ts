import type { BenchRun } from "./bench.ts";
import { percentile } from "./percentile.ts";
import type { Unit } from "./result.ts";

const SHARES = [
  ["p50", 0.5],
  ["p99", 0.99],
] as const;

/** Two lines: the usual value, and the one that one in a hundred exceeds. */
export function reportLatency(
  report: BenchRun["report"],
  metric: string,
  samples: readonly number[],
  baseline?: readonly number[],
  target?: number,
  unit: Unit = "ms",
): void {
  for (const [name, share] of SHARES) {
    report({
      metric: `${metric}, ${name}`,
      unit,
      value: percentile(samples, share),
      ...(baseline && { baseline: percentile(baseline, share) }),
      ...(target !== undefined && { target }),
      n: samples.length,
    });
  }
}
