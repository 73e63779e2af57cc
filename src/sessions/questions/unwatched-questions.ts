import type { AbsenceWatch } from "../../lib/absence-watch.ts";
import type { Fact } from "../../protocol/facts.ts";
import type { ElicitationId, SessionId } from "../../protocol/ids.ts";

/** Questions of sessions that are left open while no client is there: the agent is told no rather than left waiting. */
export class UnwatchedQuestions {
  readonly #absence: AbsenceWatch;
  readonly #onUnwatched: (sessionId: SessionId, elicitationId: ElicitationId) => void;

  constructor(absence: AbsenceWatch, onUnwatched: (sessionId: SessionId, elicitationId: ElicitationId) => void) {
    this.#absence = absence;
    this.#onUnwatched = onUnwatched;
  }

  /** To be told what was stored. */
  hear(sessionId: SessionId, facts: readonly Fact[]): void {
    for (const fact of facts) {
      if (fact.type === "elicitation:resolved") this.#absence.forget(fact.elicitationId);
      if (fact.type !== "elicitation:request") continue;
      const { elicitationId } = fact;
      this.#absence.watch(elicitationId, () => this.#onUnwatched(sessionId, elicitationId));
    }
  }
}
