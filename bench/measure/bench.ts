import type { Measurement } from "./result.ts";

/** The parameters of a bench. */
export interface BenchRun {
  /** Fewer samples: to check that it works, not to compare. */
  readonly quick: boolean;
  /** Another checkout of the product, built, which is measured alternately with this one. */
  readonly against?: string;
  readonly report: (measurement: Measurement) => void;
}

/** One question about speed or size. It is complete when `run` returns; how fast anything was never makes it fail. */
export interface Bench {
  readonly name: string;
  readonly asks: string;
  readonly run: (run: BenchRun) => Promise<void>;
}
