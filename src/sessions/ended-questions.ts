import type { FactBody } from "../protocol/facts.ts";
import type { ElicitationId, PermissionId } from "../protocol/ids.ts";
import { isPermission, type PendingRequest } from "../protocol/pending-request.ts";

const QUESTIONS_REMEMBERED_MAX = 200;

/** How the latest questions of a session ended, for whoever answers one too late. */
export class EndedQuestions {
  readonly #ends = new Map<PermissionId | ElicitationId, string>();

  /** To be told every fact, with what was open before it. */
  note(fact: FactBody, pending: readonly PendingRequest[]): void {
    if (fact.type === "permission:resolved") this.#keep(fact.permissionId, permissionEnd(fact, pending));
    else if (fact.type === "elicitation:resolved") this.#keep(fact.elicitationId, questionEnd(fact));
  }

  endOf(id: PermissionId | ElicitationId): string {
    return this.#ends.get(id) ?? "it was answered or withdrawn before";
  }

  #keep(id: PermissionId | ElicitationId, end: string): void {
    this.#ends.set(id, end);
    const oldest = this.#ends.keys().next().value;
    if (this.#ends.size > QUESTIONS_REMEMBERED_MAX && oldest !== undefined) this.#ends.delete(oldest);
  }
}

function permissionEnd(
  { permissionId, outcome, by }: Extract<FactBody, { type: "permission:resolved" }>,
  pending: readonly PendingRequest[],
): string {
  if (by === "policy") return "a rule answered it";
  const asked = pending.filter(isPermission).find((one) => one.permissionId === permissionId);
  const chosen = outcome.outcome === "selected" && asked?.options.find(({ optionId }) => optionId === outcome.optionId);
  return chosen ? `it was answered with "${chosen.name}"` : "it was cancelled";
}

function questionEnd({ action, end, done }: Extract<FactBody, { type: "elicitation:resolved" }>): string {
  if (end === "unwatched") return "it was declined because nobody was there to answer";
  if (end === "withdrawn") return "the agent took it back";
  if (done) return "the page is no longer waited for";
  return action === "accept" ? "it was answered" : action === "decline" ? "it was declined" : "it was cancelled";
}
