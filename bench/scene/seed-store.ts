import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { FactBody } from "../../src/protocol/facts.ts";
import { CliType, ProjectId, SessionId } from "../../src/protocol/ids.ts";
import { EMPTY_SESSION, newSessionRow, type SessionState } from "../../src/protocol/session-schema.ts";
import { openDatabase } from "../../src/store/database/open-database.ts";
import { transaction } from "../../src/store/database/transaction.ts";
import { SqliteSessionLog } from "../../src/store/session-log/sqlite-session-log.ts";
import { nextCommit, SEED_TIME } from "./next-commit.ts";

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
    this.db
      .prepare("INSERT INTO project (id, path, name, added_at, position) VALUES (?, ?, 'seed', ?, 1)")
      .run(PROJECT, path, SEED_TIME);
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
    const { commit, working } = nextCommit(sessionId, state, bodies);
    transaction(this.db, () => this.log.writeNow(sessionId, commit));
    return working;
  }

  /** The position of a stored session, to continue from there. */
  async stateOf(sessionId: SessionId): Promise<SessionState> {
    return (await this.log.load(sessionId))?.state ?? EMPTY_SESSION;
  }

  [Symbol.dispose](): void {
    this.db.close();
  }
}
