import { afterAll, beforeAll, describe } from "bun:test";
import { PostgresApiTokenStore } from "../../src/store/postgres/api-token-store.ts";
import { PostgresBranchStore } from "../../src/store/postgres/branch-store.ts";
import { PostgresAgentChoices, PostgresToolChoices } from "../../src/store/postgres/choices.ts";
import { connectionSettings } from "../../src/store/postgres/connection-settings.ts";
import { PostgresDatabase } from "../../src/store/postgres/database.ts";
import { PostgresDelegationStore } from "../../src/store/postgres/delegation-store.ts";
import { PostgresDeviceStore } from "../../src/store/postgres/device-store.ts";
import { PostgresHookStore } from "../../src/store/postgres/hook-store.ts";
import { migrate } from "../../src/store/postgres/migrations.ts";
import { PostgresNoticeStore } from "../../src/store/postgres/notice-store.ts";
import { Ownership } from "../../src/store/postgres/ownership.ts";
import { PostgresPeopleStore } from "../../src/store/postgres/people-store.ts";
import { PostgresPolicyStore } from "../../src/store/postgres/policy-store.ts";
import { PostgresProjectStore } from "../../src/store/postgres/project-store.ts";
import { PostgresPushStore } from "../../src/store/postgres/push-store.ts";
import { PostgresScheduleStore } from "../../src/store/postgres/schedule-store.ts";
import { PostgresSearchBacklog } from "../../src/store/postgres/search-backlog.ts";
import { PostgresSearchIndex } from "../../src/store/postgres/search-index.ts";
import { PostgresSessionLog } from "../../src/store/postgres/session-log.ts";
import { PostgresSnippetStore } from "../../src/store/postgres/snippet-store.ts";
import { PostgresStorage } from "../../src/store/postgres/storage.ts";
import { PostgresTransferStore } from "../../src/store/postgres/transfer-store.ts";
import { PostgresUsageStore } from "../../src/store/postgres/usage-store.ts";
import { CAN_RUN_POSTGRES, POSTGRES, PostgresServer } from "../support/postgres-server.ts";
import { describeEveryPort } from "./every-port.ts";
import type { OpenedStores } from "./open-scene.ts";

let server: PostgresServer;
/** Emptied databases: making one takes longer than most tests. */
const free: string[] = [];

async function openPostgres(): Promise<OpenedStores> {
  const url = free.pop() ?? (await server.createDatabase());
  const name = new URL(url).pathname.slice(1);
  const open = async () => {
    const db = new PostgresDatabase(connectionSettings(url));
    await migrate(db);
    const ownership = await Ownership.take(db, "test");
    const storage = new PostgresStorage(db, () => undefined);
    const backlog = new PostgresSearchBacklog(db, { now: Date.now, onError: (error) => console.error(error) });
    const log = new PostgresSessionLog(db, ownership.epoch);
    const stores = {
      log,
      storage,
      policies: new PostgresPolicyStore(db),
      transfers: new PostgresTransferStore(db, log),
      projects: new PostgresProjectStore(db),
      people: new PostgresPeopleStore(db),
      devices: new PostgresDeviceStore(db),
      delegations: new PostgresDelegationStore(db),
      notices: new PostgresNoticeStore(db),
      schedules: new PostgresScheduleStore(db),
      snippets: new PostgresSnippetStore(db),
      usage: new PostgresUsageStore(db),
      search: new PostgresSearchIndex(db),
      choices: new PostgresAgentChoices(db),
      toolChoices: new PostgresToolChoices(db),
      apiTokens: new PostgresApiTokenStore(db),
      hooks: new PostgresHookStore(db),
      pushes: new PostgresPushStore(db),
      branches: new PostgresBranchStore(db, log),
    };
    const close = async () => {
      storage.stop();
      await log.close();
      await ownership.release();
      await db.close();
    };
    return { backlog, stores, close };
  };
  let opened = await open();
  return {
    get stores() {
      return opened.stores;
    },
    async reopen() {
      await opened.close();
      opened = await open();
    },
    async settle() {
      while (await opened.backlog.step());
    },
    async block() {
      const change = (statement: string) => server.ask(name, statement);
      await change("REVOKE INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public FROM app");
      return async () => void (await change("GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO app"));
    },
    async [Symbol.asyncDispose]() {
      await opened.close();
      await server.empty(name);
      free.push(url);
    },
  };
}

describe.skipIf(!CAN_RUN_POSTGRES)("[SC-2]", () => {
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());
  describeEveryPort(POSTGRES, openPostgres);
});
