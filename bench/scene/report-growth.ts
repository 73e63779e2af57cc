import type { BenchRun } from "../measure/bench.ts";
import { median } from "../measure/percentile.ts";
import { SIZES, type Size } from "./seeded-sessions.ts";

const GROWTH_TARGET = 2;

/** The times by length of the session, and how much longer the longest takes than the shortest. */
export function reportGrowth(
  report: BenchRun["report"],
  what: string,
  times: Readonly<Record<Size, readonly number[]>>,
  targetMs?: number,
): void {
  const shortest = median(times[20]);
  for (const size of SIZES) {
    report({
      metric: `${size.toLocaleString("en-US")} entries ${what}`,
      unit: "ms",
      value: median(times[size]),
      ...(size !== 20 && { baseline: shortest }),
      ...(targetMs !== undefined && { target: targetMs }),
      n: times[size].length,
    });
  }
  const n = times[20_000].length;
  const longest = median(times[20_000]);
  report({ metric: `20,000 : 20 ${what}`, unit: "x", value: longest / shortest, target: GROWTH_TARGET, n });
}
