import type { Fact } from "../protocol/facts.ts";
import type { SessionId } from "../protocol/ids.ts";
import { isTurnActive } from "../protocol/session-state.ts";
import type { Delegations } from "../sessions/delegation/delegations.ts";
import type { SessionService } from "../sessions/session-service.ts";

interface WatchParts {
  readonly sessions: SessionService;
  readonly delegations: Delegations;
  /** In ms since 1970. */
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

/** Stops the running turns of agents whose budget, or one above them, is spent. */
export class BudgetWatch {
  readonly #parts: WatchParts;
  /** Turns whose time is limited. */
  readonly #timers = new Map<SessionId, ReturnType<typeof setTimeout>>();

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  /** Facts that are on disk now, with what they say was spent. */
  committed(sessionId: SessionId, facts: readonly Fact[]): void {
    if (!facts.some(({ type }) => type === "session:turn" || type === "session:config")) return;
    if (this.#parts.delegations.parentOf(sessionId) !== undefined) this.#look(sessionId);
  }

  stop(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #look(sessionId: SessionId): void {
    const { sessions, delegations, now, onError } = this.#parts;
    clearTimeout(this.#timers.get(sessionId));
    this.#timers.delete(sessionId);
    const turn = sessions.view(sessionId)?.state.turn;
    if (!turn || !isTurnActive(turn) || turn.startedAt === undefined || turn.error) return;
    const workedMs = Math.max(0, now() - Date.parse(turn.startedAt));
    const over = delegations.refuseRunning(sessionId, workedMs);
    if (over) {
      sessions.execute({ type: "session:limit", sessionId, why: over.message }).catch(onError);
      return;
    }
    const leftMs = delegations.workLeftMs(sessionId);
    if (leftMs === null) return;
    const timer = setTimeout(() => this.#look(sessionId), Math.min(Math.max(1, leftMs - workedMs), TIMER_MS_MAX));
    timer.unref();
    this.#timers.set(sessionId, timer);
  }
}

/** The longest a timer can be set for. */
const TIMER_MS_MAX = 2_147_483_647;
