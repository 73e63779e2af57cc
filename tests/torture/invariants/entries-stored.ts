import type { Invariant } from "./invariant.ts";

/** The reducer, run over the log from its first fact on, makes exactly what is stored: entries, and all that goes on. */
export const entriesStored: Invariant = {
  name: "the reducer over the log makes what is stored",
  breach: "divergent",
  check: ({ follower }) => follower.compareStored(),
};
