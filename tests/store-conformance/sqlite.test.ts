import { openDatabase } from "../../src/store/database/open-database.ts";
import { StorageWatch } from "../../src/store/database/storage-watch.ts";
import { SearchBacklog } from "../../src/store/search/search-backlog.ts";
import { SqliteSearchIndex } from "../../src/store/search/sqlite-search-index.ts";
import { SqliteSessionLog } from "../../src/store/session-log/sqlite-session-log.ts";
import { SqliteApiTokenStore } from "../../src/store/sqlite-api-token-store.ts";
import { SqliteBranchStore } from "../../src/store/sqlite-branch-store.ts";
import { SqliteAgentChoices, SqliteToolChoices } from "../../src/store/sqlite-choices.ts";
import { SqliteDelegationStore } from "../../src/store/sqlite-delegation-store.ts";
import { SqliteDeviceStore } from "../../src/store/sqlite-device-store.ts";
import { SqliteHookStore } from "../../src/store/sqlite-hook-store.ts";
import { SqliteNoticeStore } from "../../src/store/sqlite-notice-store.ts";
import { SqlitePeopleStore } from "../../src/store/sqlite-people-store.ts";
import { SqlitePolicyStore } from "../../src/store/sqlite-policy-store.ts";
import { SqliteProjectStore } from "../../src/store/sqlite-project-store.ts";
import { SqlitePushStore } from "../../src/store/sqlite-push-store.ts";
import { SqliteScheduleStore } from "../../src/store/sqlite-schedule-store.ts";
import { SqliteSnippetStore } from "../../src/store/sqlite-snippet-store.ts";
import { SqliteTransferStore } from "../../src/store/sqlite-transfer-store.ts";
import { SqliteUsageStore } from "../../src/store/sqlite-usage-store.ts";
import { tempDir } from "../support/temp-dir.ts";
import { describeEveryPort } from "./every-port.ts";
import type { OpenedStores } from "./open-scene.ts";

const FULL = "PRAGMA max_page_count = 1";
const ROOMY = "PRAGMA max_page_count = 1073741823";

async function openSqlite(): Promise<OpenedStores> {
  const dir = await tempDir();
  const open = () => {
    const { db } = openDatabase(dir.join("test.db"), "stamp");
    const storage = new StorageWatch(db, { path: dir.path, onChanged: () => undefined });
    const backlog = new SearchBacklog(db, { now: Date.now, onError: (error) => console.error(error) });
    const log = new SqliteSessionLog(db);
    const stores = {
      log,
      storage,
      policies: new SqlitePolicyStore(db),
      transfers: new SqliteTransferStore(db, log),
      projects: new SqliteProjectStore(db),
      people: new SqlitePeopleStore(db),
      devices: new SqliteDeviceStore(db),
      delegations: new SqliteDelegationStore(db),
      notices: new SqliteNoticeStore(db),
      schedules: new SqliteScheduleStore(db),
      snippets: new SqliteSnippetStore(db),
      usage: new SqliteUsageStore(db),
      search: new SqliteSearchIndex(db),
      choices: new SqliteAgentChoices(db),
      toolChoices: new SqliteToolChoices(db),
      apiTokens: new SqliteApiTokenStore(db),
      hooks: new SqliteHookStore(db),
      pushes: new SqlitePushStore(db),
      branches: new SqliteBranchStore(db, log),
    };
    const close = () => {
      log.flush();
      storage.stop();
      db.close();
    };
    return { db, backlog, stores, close };
  };
  let opened = open();
  return {
    get stores() {
      return opened.stores;
    },
    async reopen() {
      opened.close();
      opened = open();
    },
    async settle() {
      while (opened.backlog.step());
    },
    async block() {
      opened.db.exec(FULL);
      return async () => opened.db.exec(ROOMY);
    },
    async [Symbol.asyncDispose]() {
      opened.close();
      await dir[Symbol.asyncDispose]();
    },
  };
}

describeEveryPort("SQLite", openSqlite);
