import type { Delegation, DelegationStore } from "../../ports/delegation-store.ts";
import type { Spent } from "../../protocol/children.ts";
import { Budget, type Delegator } from "../../protocol/delegation.ts";
import { Program, SessionId } from "../../protocol/ids.ts";
import type { Queries, Row, Value } from "./database.ts";

const ENDED = "(session.archived = 1 OR session.agent_state = 'closed')";
const JOINED = "delegation JOIN session ON session.key = delegation.session_key";
/** A session started by a program has no parent, and the program is the root of its tree. */
const BY = `delegation.parent_id IS NOT DISTINCT FROM $1::text
  AND (delegation.parent_id IS NOT NULL OR delegation.root_id IS NOT DISTINCT FROM $2::text)`;

export class PostgresDelegationStore implements DelegationStore {
  readonly #db: Queries;

  constructor(db: Queries) {
    this.#db = db;
  }

  async get(childId: SessionId): Promise<Delegation | null> {
    const row = await this.#db.row("SELECT * FROM delegation WHERE child_id = $1", [childId]);
    if (!row) return null;
    return {
      parentId: sessionIn(delegatorFrom(row["parent_id"])),
      rootId: delegatorFrom(row["root_id"]),
      depth: Number(row["depth"]),
      budget: Budget.parse(JSON.parse(String(row["budget"]))),
    };
  }

  async children(delegator: Delegator): Promise<readonly SessionId[]> {
    return this.#ids(`SELECT child_id AS id FROM delegation WHERE ${BY} ORDER BY session_key`, [
      sessionIn(delegator),
      delegator,
    ]);
  }

  async liveChildren(delegator: Delegator): Promise<readonly SessionId[]> {
    return this.#ids(
      `SELECT delegation.child_id AS id FROM ${JOINED} WHERE ${BY} AND NOT ${ENDED} ORDER BY session_key`,
      [sessionIn(delegator), delegator],
    );
  }

  async liveOfPrograms(): Promise<readonly SessionId[]> {
    return this.#ids(
      `SELECT delegation.child_id AS id FROM ${JOINED} WHERE delegation.parent_id IS NULL AND NOT ${ENDED} ORDER BY session_key`,
    );
  }

  async running(rootId: Delegator): Promise<readonly SessionId[]> {
    return this.#ids(
      `SELECT delegation.child_id AS id FROM ${JOINED}
       WHERE delegation.root_id IS NOT DISTINCT FROM $1::text AND session.unfinished = 1 ORDER BY session_key`,
      [rootId],
    );
  }

  async spentBy(sessionId: SessionId): Promise<Spent> {
    const row = await this.#db.row(
      `WITH RECURSIVE below (id) AS (
         SELECT $1::text UNION SELECT child_id FROM delegation JOIN below ON delegation.parent_id = below.id
       )
       SELECT sum(turns) AS turns, sum(tokens) AS tokens, sum(cost) AS cost, sum(work_ms) AS work_ms
       FROM delegation WHERE child_id IN (SELECT id FROM below)`,
      [sessionId],
    );
    const figure = (name: string) => Number(row?.[name] ?? 0);
    return { turns: figure("turns"), tokens: figure("tokens"), cost: figure("cost"), workMs: figure("work_ms") };
  }

  async orphans(): Promise<readonly SessionId[]> {
    return this.#ids(
      `SELECT delegation.child_id AS id FROM ${JOINED} JOIN session AS parent ON parent.id = delegation.parent_id
       WHERE NOT ${ENDED} AND (parent.archived = 1 OR parent.agent_state = 'closed') ORDER BY session_key`,
    );
  }

  async waiting(): Promise<readonly SessionId[]> {
    return this.#ids("SELECT id FROM session WHERE armed_waits > 0 ORDER BY key");
  }

  async #ids(statement: string, values: readonly Value[] = []): Promise<readonly SessionId[]> {
    return (await this.#db.rows(statement, values)).map(idFrom);
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
