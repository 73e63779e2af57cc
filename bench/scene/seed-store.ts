import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { type Commit, NO_CONTINUATION } from "../../src/ports/session-log.ts";
import type { FactBody } from "../../src/protocol/facts.ts";
import { CliType, ProjectId, SessionId } from "../../src/protocol/ids.ts";
import { reduceSession } from "../../src/protocol/reduce-session.ts";
import { EMPTY_SESSION, newSessionRow, type SessionState } from "../../src/protocol/session-schema.ts";
import { openDatabase } from "../../src/store/database/open-database.ts";
import { transaction } from "../../src/store/database/transaction.ts";
import { SqliteSessionLog } from "../../src/store/session-log/sqlite-session-log.ts";
import { SqliteProjectStore } from "../../src/store/sqlite-project-store.ts";

export const SEED_TIME = "2026-01-01T00:00:00.000Z";
const PROJECT = ProjectId.parse("seed");
const AGENT = CliType.parse("builtin");

/** The product's own store, opened without a server: to fill it fast, and to write while no server runs. */
export class SeedStore implements Disposable {
  readonly db: DatabaseSync;
  readonly log: SqliteSessionLog;

  constructor(path: string) {
    this.db = openDatabase(path, "seed").db;
    this.log = new SqliteSessionLog(this.db);
  }

  /** The store of a server that is not running. */
  static of(dataDir: string): SeedStore {
    return new SeedStore(join(dataDir, "liminal.db"));
  }

  addProject(path: string): void {
    new SqliteProjectStore(this.db).add({ id: PROJECT, path, name: "seed", addedAt: SEED_TIME });
  }

  createSession(name: string, cwd: string): SessionId {
    const id = SessionId.parse(`${AGENT}:${name}`);
    this.log.createNow(
      newSessionRow({ id, projectId: PROJECT, title: name, cliType: AGENT, createdAt: SEED_TIME }),
      { agentSessionId: name, createdAt: SEED_TIME, cwd, state: "idle", since: SEED_TIME },
      null,
    );
    return id;
  }

  /** Commits one burst onto a state, as a session would; entries that its turn's end settles leave the state. */
  commit(sessionId: SessionId, state: SessionState, bodies: readonly FactBody[]): SessionState {
    const { commit, working } = this.prepare(sessionId, state, bodies);
    transaction(this.db, () => this.log.writeNow(sessionId, commit));
    return working;
  }

  /** What `commit` stores, and the state that is left. */
  prepare(sessionId: SessionId, state: SessionState, bodies: readonly FactBody[]) {
    const facts = bodies.map((body, index) => ({ ...body, sessionId, seq: state.seq + index + 1 }));
    const after = facts.reduce<SessionState>(reduceSession, state);
    const working = { ...after, settled: [] };
    const commit: Commit = {
      facts,
      state: after,
      settled: after.settled,
      snapshot: after.turn.state === "idle" ? working : null,
      revised: [],
      outputs: [],
      lastActiveAt: SEED_TIME,
      receipt: null,
      binding: null,
      attention: null,
      continuation: NO_CONTINUATION,
    };
    return { commit, working };
  }

  /** Where a stored session stands, to go on from there. */
  async stateOf(sessionId: SessionId): Promise<SessionState> {
    return (await this.log.load(sessionId))?.state ?? EMPTY_SESSION;
  }

  [Symbol.dispose](): void {
    this.db.close();
  }
}
