import type { Fact } from "../protocol/facts.ts";
import type { SessionId } from "../protocol/ids.ts";
import { isTurnActive } from "../protocol/session-schema.ts";

/** Since the start of the server. */
export interface TurnCounts {
  readonly turnsStarted: number;
  readonly turnsDone: number;
  readonly turnsFailed: number;
  readonly turnsCancelled: number;
  /** How often and how long turns have waited for the user. */
  readonly waits: number;
  readonly waitSeconds: number;
}

const MS_PER_SECOND = 1_000;

/** Counts turns by their facts, for the metrics. */
export class TurnCounter {
  readonly #monotonicMs: () => number;
  readonly #active = new Map<SessionId, { readonly waitingSince: number | null }>();
  #counts: TurnCounts = {
    ...{ turnsStarted: 0, turnsDone: 0, turnsFailed: 0, turnsCancelled: 0 },
    ...{ waits: 0, waitSeconds: 0 },
  };

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** Waits in progress count up to now. */
  get counts(): TurnCounts {
    const now = this.#monotonicMs();
    const open = [...this.#active.values()].flatMap(({ waitingSince }) => waitingSince ?? []);
    const openMs = open.reduce((sum, since) => sum + now - since, 0);
    return { ...this.#counts, waitSeconds: this.#counts.waitSeconds + openMs / MS_PER_SECOND };
  }

  committed(sessionId: SessionId, facts: readonly Fact[]): void {
    for (const fact of facts) if (fact.type === "session:turn") this.#turn(sessionId, fact.turn);
  }

  #turn(sessionId: SessionId, turn: Extract<Fact, { type: "session:turn" }>["turn"]): void {
    const known = this.#active.get(sessionId);
    const since = known?.waitingSince ?? null;
    const isWaiting = turn.state === "waiting";
    if (since !== null && !isWaiting) this.#add("waitSeconds", (this.#monotonicMs() - since) / MS_PER_SECOND);
    if (since === null && isWaiting) this.#add("waits", 1);
    if (!isTurnActive(turn)) {
      this.#active.delete(sessionId);
      if (!known) return;
      const { error, stopReason } = turn;
      const isFailed = error !== undefined || stopReason === "error" || stopReason === "interrupted";
      this.#add(stopReason === "cancelled" ? "turnsCancelled" : isFailed ? "turnsFailed" : "turnsDone", 1);
      return;
    }
    if (!known) this.#add("turnsStarted", 1);
    this.#active.set(sessionId, { waitingSince: isWaiting ? (since ?? this.#monotonicMs()) : null });
  }

  #add(what: keyof TurnCounts, by: number): void {
    this.#counts = { ...this.#counts, [what]: this.#counts[what] + by };
  }
}
