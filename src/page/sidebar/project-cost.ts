import type { SessionRow } from "../../protocol/session-schema.ts";
import { costWords } from "../../ui/words/cost-words.ts";

/** The total cost of a project's sessions, by currency; empty when no agent reported one. */
export function projectCostWords(sessions: readonly SessionRow[]): string {
  const sums = new Map<string, number>();
  let count = 0;
  for (const { usage } of sessions) {
    const { amount = 0, currency = "" } = usage?.cost ?? {};
    if (amount <= 0) continue;
    count += 1;
    sums.set(currency, (sums.get(currency) ?? 0) + amount);
  }
  if (count === 0) return "";
  const costs = [...sums].map(([currency, amount]) => costWords({ amount, currency }));
  return `${costs.join(" + ")} in ${count} ${count === 1 ? "session" : "sessions"}`;
}
