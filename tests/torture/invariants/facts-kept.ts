import type { Invariant } from "./invariant.ts";

/** Every fact that a reader was given is in the log, once, in its place, and word for word what the reader got. */
export const factsKept: Invariant = {
  name: "every fact that was shown is stored, in its place",
  breach: "lost",
  check({ witness, follower, sessions }) {
    follower.poll();
    const lost = sessions.flatMap((sessionId) => {
      const [shown, stored] = [witness.highest(sessionId), follower.folded(sessionId).state.seq];
      return shown > stored ? [`${sessionId} was shown up to ${shown}, stored is ${stored}`] : [];
    });
    return [...lost, ...witness.breaches, ...follower.breaches];
  },
};
