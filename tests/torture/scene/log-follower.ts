import { existsSync } from "node:fs";
import { reduceSession } from "../../../src/protocol/reduce-session.ts";
import { FactMessage } from "../../../src/protocol/server-messages.ts";
import type { Turn } from "../../../src/protocol/session-parts.ts";
import { EMPTY_SESSION, type SessionState } from "../../../src/protocol/session-schema.ts";
import { differenceOf } from "./state-difference.ts";
import { StoreView } from "./store-view.ts";
import type { Witness } from "./witness.ts";

interface FollowedLog {
  state: SessionState;
  /** Facts left the log before they were read here: what they came to was taken from the store. */
  hasGap: boolean;
}

type StoredSession = ReturnType<StoreView["sessions"]>[number];

/** Reads the database itself, beside the server, and folds the log from its first fact on with the product's reducer. */
export class LogFollower {
  readonly #path: string;
  readonly #witness: Witness;
  readonly #logs = new Map<string, FollowedLog>();
  /** How turns ended, by the turn's id. */
  readonly turnEnds = new Map<string, Turn>();
  readonly breaches: string[] = [];

  constructor(database: string, witness: Witness) {
    this.#path = database;
    this.#witness = witness;
  }

  get gaps(): number {
    return [...this.#logs.values()].filter(({ hasGap }) => hasGap).length;
  }

  /** Reads on from where it stands. */
  poll(): void {
    if (!existsSync(this.#path)) return;
    using view = new StoreView(this.#path);
    for (const session of view.sessions()) this.#read(view, session);
  }

  /** Log and stored state, read in one transaction, so that nothing can come between: where they differ. */
  compareStored(): readonly string[] {
    using view = new StoreView(this.#path);
    const differing = view.sessions().flatMap((session) => {
      const folded = this.#read(view, session);
      const difference = differenceOf(view.state(session.key), folded);
      return difference === null ? [] : [`${session.id}: stored are ${difference}`];
    });
    const damage = view.integrity();
    return damage === "ok" ? differing : [damage, ...differing];
  }

  folded(sessionId: string): { readonly state: SessionState; readonly hasGap: boolean } {
    return this.#logs.get(sessionId) ?? { state: EMPTY_SESSION, hasGap: false };
  }

  #read(view: StoreView, { key, id, lastSeq, keptFrom }: StoredSession): SessionState {
    const log = this.#logs.get(id) ?? { state: EMPTY_SESSION, hasGap: false };
    this.#logs.set(id, log);
    const isCut = log.state.seq + 1 < keptFrom;
    for (const json of view.factsAfter(key, log.state.seq)) {
      const fact = FactMessage.safeParse(JSON.parse(json)).data;
      if (!fact) {
        this.breaches.push(`${id}: a fact in the log that no client can read: ${json.slice(0, 200)}`);
        continue;
      }
      const expected = Math.max(log.state.seq + 1, keptFrom);
      if (fact.seq !== expected) this.breaches.push(`${id}: the log has no fact ${expected}`);
      if (fact.type === "session:turn" && fact.turn.state === "idle" && fact.turn.turnId !== undefined)
        this.turnEnds.set(fact.turn.turnId, fact.turn);
      log.state = reduceSession(log.state, fact);
      this.#witness.compare(id, fact.seq, fact);
    }
    if (log.state.seq !== lastSeq)
      this.breaches.push(`${id}: the log ends at ${log.state.seq}, its row says ${lastSeq}`);
    if (isCut) {
      log.hasGap = true;
      log.state = view.state(key);
    }
    return log.state;
  }
}
