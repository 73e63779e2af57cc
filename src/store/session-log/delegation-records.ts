import type { DatabaseSync } from "node:sqlite";
import type { Delegation } from "../../ports/delegation-store.ts";
import type { Fact } from "../../protocol/facts.ts";
import type { SessionId } from "../../protocol/ids.ts";

type Of<Type extends Fact["type"]> = Extract<Fact, { type: Type }>;

/** Counts the usage of delegated sessions, in the transactions that store their facts. */
export class DelegationRecords {
  readonly #insert;
  readonly #parent;
  readonly #begin;
  readonly #end;
  readonly #usage;
  readonly #waits;

  constructor(db: DatabaseSync) {
    this.#insert = db.prepare(
      `INSERT INTO delegation (session_key, child_id, parent_id, root_id, depth, budget)
       VALUES ((SELECT key FROM session WHERE id = ?), ?, ?, ?, ?, ?)`,
    );
    this.#parent = db.prepare("UPDATE session SET parent_id = ? WHERE id = ?");
    this.#begin = db.prepare(
      "UPDATE delegation SET turns = turns + 1, last_turn_id = ? WHERE session_key = ? AND last_turn_id IS NOT ?",
    );
    // Until the last event: downtime of the server does not count as work.
    this.#end = db.prepare(
      `UPDATE delegation SET work_ms = work_ms + max(0, (
         SELECT CAST(round((julianday(last_active_at) - julianday(?)) * 86400000) AS INTEGER) FROM session WHERE key = ?
       )) WHERE session_key = ?`,
    );
    this.#usage = db.prepare("UPDATE delegation SET tokens = ?, cost = ? WHERE session_key = ?");
    this.#waits = db.prepare("UPDATE session SET armed_waits = ? WHERE key = ?");
  }

  /** With the session's own row, in one transaction. */
  add(childId: SessionId, { parentId, rootId, depth, budget }: Delegation): void {
    this.#insert.run(childId, childId, parentId, rootId, depth, JSON.stringify(budget));
    if (parentId !== null) this.#parent.run(parentId, childId);
  }

  /** Must be called with every fact, after the session's row was updated with it. */
  note(sessionKey: number, fact: Fact): void {
    if (fact.type === "session:turn") this.#turned(sessionKey, fact);
    else if (fact.type === "session:config") this.#used(sessionKey, fact);
    else if (fact.type === "session:waits") this.#waits.run(fact.items.length, sessionKey);
  }

  #turned(sessionKey: number, { turn }: Of<"session:turn">): void {
    const { state, turnId, startedAt } = turn;
    if (turnId === undefined || startedAt === undefined) return;
    if (state === "idle") this.#end.run(startedAt, sessionKey, sessionKey);
    else this.#begin.run(turnId, sessionKey, turnId);
  }

  #used(sessionKey: number, { config: { usage } }: Of<"session:config">): void {
    if (usage) this.#usage.run(Math.round(usage.tokens ?? usage.used), usage.cost?.amount ?? 0, sessionKey);
  }
}
