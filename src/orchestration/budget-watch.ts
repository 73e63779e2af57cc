import { TaskQueue } from "../lib/task-queue.ts";
import type { Delegator } from "../protocol/delegation.ts";
import type { Fact } from "../protocol/facts.ts";
import type { SessionId } from "../protocol/ids.ts";
import { isTurnActive } from "../protocol/session-schema.ts";
import type { Delegations } from "../sessions/delegation/delegations.ts";
import type { SessionService } from "../sessions/session-service.ts";

interface WatchParts {
  readonly sessions: SessionService;
  readonly delegations: Delegations;
  /** In ms since 1970. */
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

/** Stops the running turns of agents whose budget, or one above it, is spent. */
export class BudgetWatch {
  readonly #parts: WatchParts;
  /** Trees with a time limit, by their root. */
  readonly #timers = new Map<Delegator, ReturnType<typeof setTimeout>>();
  readonly #checks = new TaskQueue();
  #isStopped = false;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  /** Stored facts with new usage: one agent spent it, but all that share its budgets may have to stop. */
  committed(sessionId: SessionId, facts: readonly Fact[]): void {
    if (!facts.some(({ type }) => type === "session:turn" || type === "session:config")) return;
    this.#checks
      .run(async () => {
        const rootId = this.#isStopped ? undefined : await this.#parts.delegations.rootOf(sessionId);
        if (rootId !== undefined) await this.#look(rootId);
      })
      .catch(this.#parts.onError);
  }

  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  /** One after another: each check sees what the previous one stopped. */
  #check(rootId: Delegator): void {
    this.#checks.run(() => this.#look(rootId)).catch(this.#parts.onError);
  }

  async #look(rootId: Delegator): Promise<void> {
    const { sessions, delegations, now, onError } = this.#parts;
    clearTimeout(this.#timers.get(rootId));
    this.#timers.delete(rootId);
    const workedMs = new Map<SessionId, number>();
    const stopping = new Set<SessionId>();
    for (const sessionId of await delegations.runningIn(rootId)) {
      const turn = (await sessions.view(sessionId))?.state.turn;
      if (!turn || !isTurnActive(turn) || turn.startedAt === undefined) continue;
      workedMs.set(sessionId, Math.max(0, now() - Date.parse(turn.startedAt)));
      if (turn.error) stopping.add(sessionId);
    }
    const { over, leftMs } = await delegations.judgeRunning(workedMs);
    for (const [sessionId, { message: why }] of over)
      if (!stopping.has(sessionId)) sessions.execute({ type: "session:limit", sessionId, why }).catch(onError);
    if (leftMs === null || this.#isStopped) return;
    const timer = setTimeout(() => this.#check(rootId), Math.min(Math.max(1, leftMs), TIMER_MS_MAX));
    timer.unref();
    this.#timers.set(rootId, timer);
  }
}

/** The longest delay a timer supports. */
const TIMER_MS_MAX = 2_147_483_647;
