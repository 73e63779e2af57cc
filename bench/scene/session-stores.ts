import type { SessionLog } from "../../src/ports/session-log.ts";
import { CliType, ProjectId, SessionId } from "../../src/protocol/ids.ts";
import { newSessionRow } from "../../src/protocol/session-schema.ts";
import { connectionSettings } from "../../src/store/postgres/connection-settings.ts";
import { PostgresDatabase } from "../../src/store/postgres/database.ts";
import { migrate } from "../../src/store/postgres/migrations.ts";
import { Ownership } from "../../src/store/postgres/ownership.ts";
import { PostgresProjectStore } from "../../src/store/postgres/project-store.ts";
import { PostgresSessionLog } from "../../src/store/postgres/session-log.ts";
import { SEED_TIME } from "./next-commit.ts";
import { SeedStore } from "./seed-store.ts";

const PROJECT = { id: ProjectId.parse("seed"), path: "/work", name: "seed", addedAt: SEED_TIME };
const AGENT = CliType.parse("builtin");

/** The product's own session log in one database or the other, without a server. */
export interface SessionStore extends AsyncDisposable {
  readonly log: SessionLog;
  createSession(name: string): Promise<SessionId>;
}

/** `FULL` waits for the disk with every commit; `NORMAL`, which the product uses, does not. */
export function sqliteStore(path: string, synchronous: "NORMAL" | "FULL"): SessionStore {
  const store = new SeedStore(path);
  store.addProject(PROJECT.path);
  store.db.exec(`PRAGMA synchronous = ${synchronous}`);
  return {
    log: store.log,
    createSession: async (name) => store.createSession(name, PROJECT.path),
    [Symbol.asyncDispose]: async () => store[Symbol.dispose](),
  };
}

/** In a fresh database. */
export async function postgresStore(url: string): Promise<SessionStore> {
  const db = new PostgresDatabase(connectionSettings(url));
  await migrate(db);
  const ownership = await Ownership.take(db, "bench");
  // As it does in a server: each beat locks the row that commits look at.
  ownership.start(() => undefined);
  const log = new PostgresSessionLog(db, ownership.epoch);
  await new PostgresProjectStore(db).add(PROJECT);
  return {
    log,
    async createSession(name) {
      const id = SessionId.parse(`${AGENT}:${name}`);
      const row = newSessionRow({ id, projectId: PROJECT.id, title: name, cliType: AGENT, createdAt: SEED_TIME });
      const binding = { agentSessionId: name, createdAt: SEED_TIME, cwd: PROJECT.path, since: SEED_TIME } as const;
      await log.create(row, { ...binding, state: "idle" }, null);
      return id;
    },
    async [Symbol.asyncDispose]() {
      await log.close();
      await ownership.release();
      await db.close();
    },
  };
}
