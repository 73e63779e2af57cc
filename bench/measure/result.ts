export type Unit = "ms" | "µs" | "MB" | "kB" | "per s" | "frames" | "x" | "count";

/** What a bench says about one number. A target is the most the value may be. */
export interface Measurement {
  readonly metric: string;
  readonly unit: Unit;
  readonly value: number;
  /** The same number of the bare program, taken in the same run. */
  readonly baseline?: number;
  readonly target?: number;
  /** How many samples stand behind the value. */
  readonly n: number;
}

/** One line of output. */
export interface Result extends Measurement {
  readonly bench: string;
  readonly ratio?: number;
  readonly met?: boolean;
}

const DECIMALS = 3;

/** Adds what follows from the numbers, so that no bench does that sum its own way. */
export function resultOf(bench: string, measurement: Measurement): Result {
  const { metric, unit, value, baseline, target, n } = measurement;
  return {
    bench,
    metric,
    unit,
    value: rounded(value),
    ...(baseline !== undefined && { baseline: rounded(baseline) }),
    ...(baseline !== undefined && baseline > 0 && { ratio: rounded(value / baseline) }),
    ...(target !== undefined && { target, met: value <= target }),
    n,
  };
}

function rounded(value: number): number {
  return Number(value.toFixed(DECIMALS));
}
