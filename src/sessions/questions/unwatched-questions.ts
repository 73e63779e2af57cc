import type { AbsenceWatch } from "../../lib/absence-watch.ts";
import type { AgentEvent } from "../../ports/agents.ts";
import type { Fact } from "../../protocol/facts.ts";
import type { ElicitationId, SessionId } from "../../protocol/ids.ts";

type OnUnwatched = (sessionId: SessionId, event: Extract<AgentEvent, { type: "question-unwatched" }>) => void;

/** Questions of sessions that are left open while no client is there: the agent is told no rather than left waiting. */
export class UnwatchedQuestions {
  readonly #absence: AbsenceWatch;
  readonly #onUnwatched: OnUnwatched;

  constructor(absence: AbsenceWatch, onUnwatched: OnUnwatched) {
    this.#absence = absence;
    this.#onUnwatched = onUnwatched;
  }

  /** To be told what was stored. */
  hear(sessionId: SessionId, facts: readonly Fact[]): void {
    for (const fact of facts) {
      if (fact.type === "elicitation:resolved") this.#absence.forget(fact.elicitationId);
      if (fact.type !== "elicitation:request") continue;
      this.watch(sessionId, fact.elicitationId);
    }
  }

  /** One that is open. */
  watch(sessionId: SessionId, elicitationId: ElicitationId): void {
    const event = { type: "question-unwatched", elicitationId } as const;
    this.#absence.watch(elicitationId, () => this.#onUnwatched(sessionId, event));
  }
}
