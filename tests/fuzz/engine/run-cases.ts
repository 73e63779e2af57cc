import type { Finding, FuzzTarget } from "./fuzz-target.ts";

/** Cases of one target: every `step`th number from `from` on, below `to`. */
export interface Cases {
  readonly target: FuzzTarget;
  readonly seed: string;
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

export interface CasesReport {
  readonly executions: number;
  readonly ms: number;
  /** How many cases broke a rule; each rule is reported once. */
  readonly hits: number;
}

interface Watch {
  readonly onCase?: (index: number) => void;
  readonly onShrink?: () => void;
  readonly onFinding: (finding: Finding) => void;
}

/** Runs them all; a rule that is broken is shrunk and reported the first time it is. */
export async function runCases(
  { target, seed, from, to, step }: Cases,
  reported: Set<string>,
  watch: Watch,
): Promise<CasesReport> {
  const startedAt = performance.now();
  let executions = 0;
  let hits = 0;
  for (let index = from; index < to; index += step) {
    watch.onCase?.(index);
    const running = target.run(seed, index);
    const finding = running === null ? null : await running;
    executions += 1;
    if (finding === null) continue;
    hits += 1;
    const key = `${finding.target}: ${finding.rule}`;
    if (reported.has(key)) continue;
    reported.add(key);
    watch.onShrink?.();
    watch.onFinding(await target.shrink(finding));
  }
  return { executions, ms: performance.now() - startedAt, hits };
}

/** So many executions for each target, in the proportion of their weights. */
export function sharesOf(targets: readonly FuzzTarget[], executions: number): readonly number[] {
  const whole = targets.reduce((sum, { weight }) => sum + weight, 0);
  return targets.map(({ weight }) => Math.ceil((executions * weight) / whole));
}
