import type { Measurement } from "./result.ts";

/** What a bench is given. */
export interface BenchRun {
  /** Fewer samples: to see that it works, not to compare. */
  readonly quick: boolean;
  /** Another checkout of the product, built, that is measured in turns with this one. */
  readonly against?: string;
  readonly report: (measurement: Measurement) => void;
}

/** One question about speed or size. It is complete when `run` returns; how fast anything was never makes it fail. */
export interface Bench {
  readonly name: string;
  readonly asks: string;
  readonly run: (run: BenchRun) => Promise<void>;
}
