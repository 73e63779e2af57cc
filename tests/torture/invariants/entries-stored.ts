import { join } from "node:path";
import { StoreView } from "../scene/log-follower.ts";
import type { Invariant } from "./invariant.ts";

/** The reducer, run over the log from its first fact on, makes exactly the entries that are stored. */
export const entriesStored: Invariant = {
  name: "the reducer over the log makes the stored entries",
  breach: "divergent",
  check({ dirs, follower }) {
    follower.poll();
    using view = new StoreView(join(dirs.data, "liminal.db"));
    const damage = view.integrity();
    const differing = view.sessions().flatMap(({ key, id, lastSeq }) => {
      const { state, hasGap } = follower.folded(id);
      // Something came between the two looks (an agent that is back): the next round has another look.
      if (hasGap || state.seq !== lastSeq) return [];
      const stored = view.entries(key);
      const at = state.settled.findIndex((entry, index) => !Bun.deepEquals(entry, stored[index]));
      if (at !== -1) return [`${id}: entry ${at} is stored as ${Bun.inspect(stored[at]).slice(0, 500)}`];
      return stored.length === state.settled.length
        ? []
        : [`${id}: ${stored.length} entries are stored, the log makes ${state.settled.length}`];
    });
    return damage === "ok" ? differing : [damage, ...differing];
  },
};
