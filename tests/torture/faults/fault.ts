import type { SeededRandom } from "../../support/seeded-random.ts";
import type { Scene } from "../scene/scene.ts";

/** What came of trying: nothing to add, why it cannot be done here, or what the product did wrong at once. */
export type FaultOutcome =
  | { readonly done: true; readonly on?: string }
  | { readonly skipped: string }
  | { readonly breaches: readonly string[] };

export const DONE: FaultOutcome = { done: true };

/** Done, and to whom. */
export function doneTo(on: string): FaultOutcome {
  return { done: true, on };
}

/** Done, unless the product did something wrong. */
export function outcomeOf(breaches: readonly string[]): FaultOutcome {
  return breaches.length === 0 ? DONE : { breaches };
}

export interface FaultWorld {
  /** The scene that all faults share. */
  readonly scene: Scene;
  /** Chooses victims and moments, so that a seed repeats them. */
  readonly random: SeededRandom;
}

/** One thing that goes wrong. It cleans up after itself: the server runs when it is over. */
export interface Fault {
  readonly name: string;
  inject(world: FaultWorld): Promise<FaultOutcome>;
}
