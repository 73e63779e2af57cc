import type { FactBody } from "../protocol/facts.ts";
import type { PermissionId } from "../protocol/ids.ts";
import type { PendingPermission } from "../protocol/session-parts.ts";

const REMEMBERED_MAX = 200;

/** How the latest questions of a session ended, for whoever answers one too late. */
export class EndedQuestions {
  readonly #ends = new Map<PermissionId, string>();

  /** To be told every fact, with what was open before it. */
  note(fact: FactBody, pending: readonly PendingPermission[]): void {
    if (fact.type !== "permission:resolved") return;
    const { permissionId, outcome } = fact;
    const asked = pending.find((one) => one.permissionId === permissionId);
    const chosen =
      outcome.outcome === "selected" && asked?.options.find(({ optionId }) => optionId === outcome.optionId);
    const end = chosen ? `it was answered with "${chosen.name}"` : "it was cancelled";
    this.#ends.set(permissionId, fact.by === "policy" ? "a rule answered it" : end);
    const oldest = this.#ends.keys().next().value;
    if (this.#ends.size > REMEMBERED_MAX && oldest !== undefined) this.#ends.delete(oldest);
  }

  endOf(permissionId: PermissionId): string {
    return this.#ends.get(permissionId) ?? "it was answered or withdrawn before";
  }
}
