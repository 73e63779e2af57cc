import type { DatabaseSync } from "node:sqlite";
import { openDatabase } from "../../src/store/database/open-database.ts";
import { StorageWatch } from "../../src/store/database/storage-watch.ts";
import { SearchBacklog } from "../../src/store/search/search-backlog.ts";
import { SqliteSearchIndex } from "../../src/store/search/sqlite-search-index.ts";
import { SqliteSessionLog } from "../../src/store/session-log/sqlite-session-log.ts";
import { SqliteBranchStore } from "../../src/store/sqlite-branch-store.ts";
import { SqliteAgentChoices } from "../../src/store/sqlite-choices.ts";
import { SqliteDelegationStore } from "../../src/store/sqlite-delegation-store.ts";
import { SqlitePolicyStore } from "../../src/store/sqlite-policy-store.ts";
import { SqliteProjectStore } from "../../src/store/sqlite-project-store.ts";
import { tempDir } from "../support/temp-dir.ts";
import { NOW, PROJECT } from "./names.ts";

/** A database on a real disk with one project; it can be closed and opened again like after a crash. */
export interface TestStore extends AsyncDisposable {
  readonly path: string;
  readonly db: DatabaseSync;
  readonly log: SqliteSessionLog;
  readonly branches: SqliteBranchStore;
  readonly storage: StorageWatch;
  readonly projects: SqliteProjectStore;
  readonly policies: SqlitePolicyStore;
  readonly choices: SqliteAgentChoices;
  readonly search: SqliteSearchIndex;
  readonly backlog: SearchBacklog;
  readonly delegations: SqliteDelegationStore;
  /** The same file through fresh objects: nothing that was only in memory is left. */
  reopen(): void;
}

export async function openStore(): Promise<TestStore> {
  const dir = await tempDir();
  const path = dir.join("test.db");
  const open = () => {
    const { db } = openDatabase(path, "stamp");
    const log = new SqliteSessionLog(db);
    return {
      db,
      log,
      branches: new SqliteBranchStore(db, log),
      storage: new StorageWatch(db, { path: dir.path, onChanged: () => undefined }),
      projects: new SqliteProjectStore(db),
      policies: new SqlitePolicyStore(db),
      choices: new SqliteAgentChoices(db),
      search: new SqliteSearchIndex(db),
      backlog: new SearchBacklog(db, { now: Date.now, onError: (error) => console.error(error) }),
      delegations: new SqliteDelegationStore(db),
    };
  };
  let parts = open();
  await parts.projects.add({ id: PROJECT, path: "/work", name: "work", addedAt: NOW });
  return {
    path,
    get db() {
      return parts.db;
    },
    get log() {
      return parts.log;
    },
    get branches() {
      return parts.branches;
    },
    get storage() {
      return parts.storage;
    },
    get projects() {
      return parts.projects;
    },
    get policies() {
      return parts.policies;
    },
    get search() {
      return parts.search;
    },
    get backlog() {
      return parts.backlog;
    },
    get choices() {
      return parts.choices;
    },
    get delegations() {
      return parts.delegations;
    },
    reopen() {
      parts.storage.stop();
      parts.db.close();
      parts = open();
    },
    async [Symbol.asyncDispose]() {
      parts.storage.stop();
      parts.db.close();
      await dir[Symbol.asyncDispose]();
    },
  };
}
