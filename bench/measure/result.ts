export type Unit = "ms" | "µs" | "MB" | "kB" | "per s" | "frames" | "x" | "count";

/** The result of a bench for one number. A target is the maximum of the value. */
export interface Measurement {
  readonly metric: string;
  readonly unit: Unit;
  readonly value: number;
  /** The same number of the bare program, taken in the same run. */
  readonly baseline?: number;
  readonly target?: number;
  /** The most that the value may be, as a multiple of the baseline. */
  readonly ratioTarget?: number;
  /** The number of samples behind the value. */
  readonly n: number;
}

/** One line of output. */
export interface Result extends Measurement {
  readonly bench: string;
  readonly ratio?: number;
  readonly met?: boolean;
}

const DECIMALS = 3;

/** Adds the derived numbers, so that no bench computes them in its own way. */
export function resultOf(bench: string, measurement: Measurement): Result {
  const { metric, unit, value, baseline, target, ratioTarget, n } = measurement;
  const mosts = [target, ratioTarget === undefined ? undefined : ratioTarget * (baseline ?? Number.NaN)];
  const known = mosts.filter((most) => most !== undefined);
  return {
    bench,
    metric,
    unit,
    value: rounded(value),
    ...(baseline !== undefined && { baseline: rounded(baseline) }),
    ...(baseline !== undefined && baseline > 0 && { ratio: rounded(value / baseline) }),
    ...(target !== undefined && { target }),
    ...(ratioTarget !== undefined && { ratioTarget }),
    ...(known.length > 0 && { met: known.every((most) => value <= most) }),
    n,
  };
}

function rounded(value: number): number {
  return Number(value.toFixed(DECIMALS));
}
