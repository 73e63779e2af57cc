import { isoTime, type World } from "../ports/world.ts";
import type { StorageState } from "../protocol/storage.ts";
import { DatabaseCare } from "../store/database/database-care.ts";
import { openDatabase } from "../store/database/open-database.ts";
import { StorageWatch } from "../store/database/storage-watch.ts";
import { importLegacyFiles } from "../store/import-legacy-files.ts";
import { SearchBacklog } from "../store/search/search-backlog.ts";
import { SqliteSearchIndex } from "../store/search/sqlite-search-index.ts";
import { SqliteSessionLog } from "../store/session-log/sqlite-session-log.ts";
import { SqliteAgentChoices } from "../store/sqlite-agent-choices.ts";
import { SqliteDelegationStore } from "../store/sqlite-delegation-store.ts";
import { SqliteDeviceStore } from "../store/sqlite-device-store.ts";
import { SqlitePolicyStore } from "../store/sqlite-policy-store.ts";
import { SqliteProjectStore } from "../store/sqlite-project-store.ts";
import { SqliteToolChoices } from "../store/sqlite-tool-choices.ts";
import { SqliteTransferStore } from "../store/sqlite-transfer-store.ts";
import { type DataDir, makePrivate } from "./data-dir.ts";
import type { Logger } from "./logging/logger.ts";
import { faultReporter } from "./storage-guard.ts";

const RECEIPTS_KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** The database, and what an older app left beside it. What went wrong on the way is told. */
export function openStores(dataDir: DataDir, world: World, logger: Logger, onStorage: (state: StorageState) => void) {
  makePrivate(dataDir.database);
  const opened = openDatabase(dataDir.database, isoTime(world).replaceAll(":", "-"));
  const { db, movedAside, damagedCopy, copiedTo, created } = opened;
  if (movedAside) logger.warn(`The database was damaged. It was moved to ${movedAside}, and a new one was started.`);
  if (damagedCopy)
    logger.warn(
      `The end of the database was damaged, and the last changes are missing. What was found is kept as ${damagedCopy}; check the disk.`,
    );
  if (copiedTo) logger.info(`The database was brought to this version. As it was before, it lies in ${copiedTo}.`);
  const storage = new StorageWatch(db, {
    path: dataDir.path,
    onChanged: (state) => {
      if (state.writable) backlog.start();
      onStorage(state);
    },
  });
  const onError = faultReporter(logger, "The search index could not be completed");
  const backlog = new SearchBacklog(db, { now: world.now, onError });
  const log = new SqliteSessionLog(db, () => backlog.start());
  const projects = new SqliteProjectStore(db);
  if (created) {
    const { projectCount, sessionCount, problem } = importLegacyFiles(dataDir.path, { log, projects, world });
    if (projectCount > 0)
      logger.info(`Imported ${projectCount} projects and ${sessionCount} sessions of an older version.`);
    if (problem) logger.warn(`Not everything of an older version could be imported: ${problem}`);
  }
  log.dropReceiptsBefore(new Date(world.now() - RECEIPTS_KEPT_MS).toISOString());
  const [policies, delegations] = [new SqlitePolicyStore(db), new SqliteDelegationStore(db)];
  const choices = new SqliteAgentChoices(db);
  const toolChoices = new SqliteToolChoices(db);
  backlog.start();
  const close = () => {
    backlog.stop();
    storage.stop();
    db.close();
  };
  const transfers = new SqliteTransferStore(db, log);
  const search = new SqliteSearchIndex(db);
  const devices = new SqliteDeviceStore(db);
  const care = new DatabaseCare(db, dataDir.database);
  return {
    log,
    storage,
    care,
    projects,
    transfers,
    policies,
    delegations,
    search,
    backlog,
    choices,
    toolChoices,
    devices,
    movedAside,
    close,
  };
}
