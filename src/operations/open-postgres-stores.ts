import { hostname } from "node:os";
import type { World } from "../ports/world.ts";
import type { StorageState } from "../protocol/storage.ts";
import { PostgresApiTokenStore } from "../store/postgres/api-token-store.ts";
import { PostgresBranchStore } from "../store/postgres/branch-store.ts";
import { PostgresAgentChoices, PostgresToolChoices } from "../store/postgres/choices.ts";
import { connectionSettings, DatabaseUrlError } from "../store/postgres/connection-settings.ts";
import { PostgresDatabase } from "../store/postgres/database.ts";
import { PostgresCare } from "../store/postgres/database-care.ts";
import { tlsAdvice } from "../store/postgres/database-faults.ts";
import { PostgresDelegationStore } from "../store/postgres/delegation-store.ts";
import { PostgresDeviceStore } from "../store/postgres/device-store.ts";
import { PostgresHookStore } from "../store/postgres/hook-store.ts";
import { migrate, UnfitDatabaseError } from "../store/postgres/migrations.ts";
import { PostgresNoticeStore } from "../store/postgres/notice-store.ts";
import { DatabaseInUseError, Ownership } from "../store/postgres/ownership.ts";
import { PostgresPeopleStore } from "../store/postgres/people-store.ts";
import { PostgresPolicyStore } from "../store/postgres/policy-store.ts";
import { PoolerError, refusePooler } from "../store/postgres/pooler.ts";
import { PostgresProjectStore } from "../store/postgres/project-store.ts";
import { PostgresPushStore } from "../store/postgres/push-store.ts";
import { PostgresScheduleStore } from "../store/postgres/schedule-store.ts";
import { PostgresSearchBacklog } from "../store/postgres/search-backlog.ts";
import { PostgresSearchIndex } from "../store/postgres/search-index.ts";
import { PostgresSessionLog } from "../store/postgres/session-log.ts";
import { PostgresSnippetStore } from "../store/postgres/snippet-store.ts";
import { PostgresStorage } from "../store/postgres/storage.ts";
import { PostgresTransferStore } from "../store/postgres/transfer-store.ts";
import { PostgresUsageStore } from "../store/postgres/usage-store.ts";
import { ConfigError } from "./config.ts";
import { RECEIPTS_KEPT_MS, type ServerStores } from "./open-stores.ts";
import type { Logger } from "./server-log.ts";
import { faultReporter } from "./storage-guard.ts";

/**
 * Opens the stores in the PostgreSQL database of this URL, which this server owns from then on. `taken`: a replica has
 * taken the database already.
 */
export async function openPostgresStores(
  url: string,
  world: World,
  logger: Logger,
  onStorage: (state: StorageState) => void,
  taken: Ownership | null,
): Promise<ServerStores> {
  const { db, ownership } =
    taken === null ? await takeDatabase(url) : { db: new PostgresDatabase(connectionSettings(url)), ownership: taken };
  if (taken !== null) db.mayStore = () => taken.confirm();
  const lost = Promise.withResolvers<void>();
  let isLost = false;
  ownership.start(() => {
    isLost = true;
    log.lose();
    const next = taken === null ? "stops" : "stands by";
    logger.error(`Another server has taken over the database. This one can store nothing more, and ${next}.`);
    lost.resolve();
  });
  const storage = new PostgresStorage(db, (state) => {
    if (state.writable) backlog.start();
    onStorage(state);
  });
  const onError = faultReporter(logger, "The search index could not be completed");
  const backlog = new PostgresSearchBacklog(db, { now: world.now, onError });
  const log = new PostgresSessionLog(db, ownership.epoch, () => backlog.start());
  await log.dropReceiptsBefore(new Date(world.now() - RECEIPTS_KEPT_MS).toISOString());
  backlog.start();
  return {
    log,
    storage,
    care: new PostgresCare(db),
    projects: new PostgresProjectStore(db),
    transfers: new PostgresTransferStore(db, log),
    branches: new PostgresBranchStore(db, log),
    policies: new PostgresPolicyStore(db),
    delegations: new PostgresDelegationStore(db),
    search: new PostgresSearchIndex(db),
    backlog,
    choices: new PostgresAgentChoices(db),
    toolChoices: new PostgresToolChoices(db),
    people: new PostgresPeopleStore(db),
    devices: new PostgresDeviceStore(db),
    apiTokens: new PostgresApiTokenStore(db),
    hooks: new PostgresHookStore(db),
    notices: new PostgresNoticeStore(db),
    schedules: new PostgresScheduleStore(db),
    snippets: new PostgresSnippetStore(db),
    usage: new PostgresUsageStore(db),
    push: new PostgresPushStore(db),
    movedAside: null,
    shared: () => ({ ...log.figures, missedBeats: ownership.missedBeats, epoch: ownership.epoch }),
    problems: [],
    lost: lost.promise,
    isLost: () => isLost,
    leave: () => log.leave(),
    close: async () => {
      backlog.stop();
      storage.stop();
      await log.close();
      await ownership
        .release()
        .catch((error) => logger.warn(`Could not release the database for the next server: ${error}`));
      await db.close();
    },
  };
}

/** Identifies the database to the user. */
export function databaseUserName(): string {
  return `${hostname()} (process ${process.pid})`;
}

async function takeDatabase(url: string) {
  return openDatabase(url, {}, async (db) => ({ db, ownership: await Ownership.take(db, databaseUserName()) }));
}

/**
 * Connects, migrates the schema to this version and does the first work there; an obstacle is reported in one line, and
 * the connection is closed.
 */
export async function openDatabase<Result>(
  url: string,
  options: ConstructorParameters<typeof PostgresDatabase>[1],
  begin: (db: PostgresDatabase) => Promise<Result>,
): Promise<Result> {
  let db: PostgresDatabase | null = null;
  try {
    db = new PostgresDatabase(connectionSettings(url), options);
    await refusePooler(db);
    await migrate(db);
    return await begin(db);
  } catch (error) {
    await db?.close();
    if (error instanceof DatabaseUrlError) throw new ConfigError(error.message);
    if (error instanceof PoolerError) throw new ConfigError(`LIMINAL_DATABASE_URL: ${error.message} ${error.advice}`);
    if (error instanceof UnfitDatabaseError || error instanceof DatabaseInUseError)
      throw new ConfigError(`LIMINAL_DATABASE_URL: ${error.message}`);
    const words = error instanceof Error ? error.message : String(error);
    const advice =
      tlsAdvice(error) ?? "Check that it runs, that it can be reached from here, and its user, password and name.";
    throw new ConfigError(`LIMINAL_DATABASE_URL: the database cannot be used (${words}). ${advice}`);
  }
}
