import type { DatabaseSync } from "node:sqlite";
import type { Delegation, DelegationStore } from "../ports/delegation-store.ts";
import type { Spent } from "../protocol/children.ts";
import type { Delegator } from "../protocol/delegation.ts";
import { Budget } from "../protocol/delegation.ts";
import { Program, SessionId } from "../protocol/ids.ts";

type Row = Record<string, unknown>;

const ENDED = "(session.archived = 1 OR session.agent_state = 'closed')";
const JOINED = "delegation JOIN session ON session.key = delegation.session_key";
/** A session started by a program has no parent, and the program is the root of its tree. */
const BY = "delegation.parent_id IS ? AND (delegation.parent_id IS NOT NULL OR delegation.root_id IS ?)";

export class SqliteDelegationStore implements DelegationStore {
  readonly #sql;

  constructor(db: DatabaseSync) {
    this.#sql = {
      get: db.prepare("SELECT * FROM delegation WHERE child_id = ?"),
      children: db.prepare(`SELECT child_id AS id FROM delegation WHERE ${BY} ORDER BY session_key`),
      live: db.prepare(`SELECT delegation.child_id AS id FROM ${JOINED} WHERE ${BY} AND NOT ${ENDED}`),
      ofPrograms: db.prepare(
        `SELECT delegation.child_id AS id FROM ${JOINED} WHERE delegation.parent_id IS NULL AND NOT ${ENDED}`,
      ),
      running: db.prepare(
        `SELECT delegation.child_id AS id FROM ${JOINED} WHERE delegation.root_id IS ? AND session.unfinished = 1`,
      ),
      spent: db.prepare(
        `WITH RECURSIVE below (id) AS (
           SELECT ? UNION SELECT child_id FROM delegation JOIN below ON delegation.parent_id = below.id
         )
         SELECT total(turns) AS turns, total(tokens) AS tokens, total(cost) AS cost, total(work_ms) AS work_ms
         FROM delegation WHERE child_id IN (SELECT id FROM below)`,
      ),
      orphans: db.prepare(
        `SELECT delegation.child_id AS id FROM ${JOINED}
         JOIN session AS parent ON parent.id = delegation.parent_id
         WHERE NOT ${ENDED} AND (parent.archived = 1 OR parent.agent_state = 'closed')`,
      ),
      waiting: db.prepare("SELECT id FROM session WHERE armed_waits > 0"),
    };
  }

  async get(childId: SessionId): Promise<Delegation | null> {
    const row = this.#sql.get.get(childId);
    if (!row) return null;
    return {
      parentId: sessionIn(delegatorFrom(row["parent_id"])),
      rootId: delegatorFrom(row["root_id"]),
      depth: Number(row["depth"]),
      budget: Budget.parse(JSON.parse(String(row["budget"]))),
    };
  }

  async children(delegator: Delegator): Promise<readonly SessionId[]> {
    return this.#sql.children.all(sessionIn(delegator), delegator).map(idFrom);
  }

  async liveChildren(delegator: Delegator): Promise<readonly SessionId[]> {
    return this.#sql.live.all(sessionIn(delegator), delegator).map(idFrom);
  }

  async liveOfPrograms(): Promise<readonly SessionId[]> {
    return this.#sql.ofPrograms.all().map(idFrom);
  }

  async running(rootId: Delegator): Promise<readonly SessionId[]> {
    return this.#sql.running.all(rootId).map(idFrom);
  }

  async spentBy(sessionId: SessionId): Promise<Spent> {
    const row = this.#sql.spent.get(sessionId) ?? {};
    const [turns, tokens, cost, workMs] = ["turns", "tokens", "cost", "work_ms"].map((name) => Number(row[name] ?? 0));
    return { turns: turns ?? 0, tokens: tokens ?? 0, cost: cost ?? 0, workMs: workMs ?? 0 };
  }

  async orphans(): Promise<readonly SessionId[]> {
    return this.#sql.orphans.all().map(idFrom);
  }

  async waiting(): Promise<readonly SessionId[]> {
    return this.#sql.waiting.all().map(idFrom);
  }
}

function idFrom(row: Row): SessionId {
  return SessionId.parse(row["id"]);
}

function delegatorFrom(id: unknown): Delegator {
  if (id === null || id === undefined) return null;
  return Program.safeParse(id).data ?? SessionId.parse(id);
}

function sessionIn(delegator: Delegator): SessionId | null {
  return SessionId.safeParse(delegator).data ?? null;
}
