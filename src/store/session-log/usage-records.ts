import type { DatabaseSync } from "node:sqlite";
import type { Commit } from "../../ports/session-log.ts";
import type { Fact } from "../../protocol/facts.ts";
import type { SessionId } from "../../protocol/ids.ts";
import { Turn, Usage } from "../../protocol/session-parts.ts";
import { spentBetween } from "../../protocol/usage.ts";

const OUTSIDE_TURNS = "";

/**
 * Records the usage of each turn in the transaction that stores the facts which report it. The session's row still has
 * the totals of the commit before, so nothing is counted twice or missed, even after a kill.
 */
export class UsageRecords {
  readonly #before;
  readonly #book;

  constructor(db: DatabaseSync) {
    this.#before = db.prepare("SELECT project_id, cli_type, usage, turn FROM session WHERE key = ?");
    this.#book = db.prepare(
      `INSERT INTO turn_usage (session_id, turn_id, project_id, cli_type, account, at, tokens, cost, currency)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (session_id, turn_id) DO UPDATE SET tokens = tokens + excluded.tokens, cost = cost + excluded.cost,
         at = excluded.at, account = coalesce(excluded.account, account), currency = coalesce(excluded.currency, currency)`,
    );
  }

  /** Must be called before the session's row is updated with the facts. */
  note(sessionId: SessionId, key: number, { facts, payer }: Commit): void {
    if (!payer || !reportsUsage(facts)) return;
    const row = this.#before.get(key) ?? {};
    for (const { turnId, tokens, cost, currency } of spentIn(facts, row))
      this.#book.run(
        ...[sessionId, turnId, String(row["project_id"]), String(row["cli_type"])],
        ...[payer.account, payer.at, tokens, cost, currency],
      );
  }
}

export function reportsUsage(facts: readonly Fact[]): boolean {
  return facts.some(({ type }) => type === "session:config");
}

/** The usage that each fact adds to the one before, by turns. `row`: the session's row before these facts. Pure. */
export function spentIn(facts: readonly Fact[], row: Readonly<Record<string, unknown>>) {
  let known = typeof row["usage"] === "string" ? Usage.parse(JSON.parse(row["usage"])) : null;
  let { turnId } = Turn.parse(JSON.parse(String(row["turn"])));
  return facts.flatMap((fact) => {
    if (fact.type === "session:turn") turnId = fact.turn.turnId ?? turnId;
    if (fact.type !== "session:config") return [];
    const { tokens, cost, currency } = spentBetween(known, fact.config.usage);
    known = fact.config.usage;
    return tokens === 0 && cost === 0
      ? []
      : [{ turnId: turnId ?? OUTSIDE_TURNS, tokens, cost, currency: currency ?? null }];
  });
}
