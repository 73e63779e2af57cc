import { isoTime, type World } from "../ports/world.ts";
import type { StorageState } from "../protocol/storage.ts";
import { DatabaseCare } from "../store/database/database-care.ts";
import { type OpenedDatabase, openDatabase } from "../store/database/open-database.ts";
import { StorageWatch } from "../store/database/storage-watch.ts";
import { importLegacyFiles } from "../store/import-legacy-files.ts";
import { SearchBacklog } from "../store/search/search-backlog.ts";
import { SqliteSearchIndex } from "../store/search/sqlite-search-index.ts";
import { SqliteSessionLog } from "../store/session-log/sqlite-session-log.ts";
import { SqliteAgentChoices, SqliteToolChoices } from "../store/sqlite-choices.ts";
import { SqliteDelegationStore } from "../store/sqlite-delegation-store.ts";
import { SqliteDeviceStore } from "../store/sqlite-device-store.ts";
import { SqlitePolicyStore } from "../store/sqlite-policy-store.ts";
import { SqliteProjectStore } from "../store/sqlite-project-store.ts";
import { SqliteTransferStore } from "../store/sqlite-transfer-store.ts";
import { type DataDir, makePrivate } from "./data-dir.ts";
import type { Logger } from "./server-log.ts";
import { faultReporter } from "./storage-guard.ts";

const RECEIPTS_KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** The database, and what an older app left beside it. What went wrong on the way is told. */
export async function openStores(
  dataDir: DataDir,
  world: World,
  logger: Logger,
  onStorage: (state: StorageState) => void,
) {
  makePrivate(dataDir.database);
  const opened = openDatabase(dataDir.database, isoTime(world).replaceAll(":", "-"));
  const { db, movedAside, salvage, damagedCopy, copiedTo, created } = opened;
  const problems = [
    ...(movedAside ? [damageWords(movedAside, salvage)] : []),
    ...(damagedCopy
      ? [
          `The end of the database was damaged, and the last changes are missing. The damaged file is kept as ${damagedCopy}; check the disk.`,
        ]
      : []),
  ];
  for (const problem of problems) logger.warn(problem);
  if (copiedTo) logger.info(`The database was migrated to this version. The previous database is kept in ${copiedTo}.`);
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
    const { projectCount, sessionCount, problem } = await importLegacyFiles(dataDir.path, { log, projects, world });
    if (projectCount > 0)
      logger.info(`Imported ${projectCount} projects and ${sessionCount} sessions from an older version.`);
    if (problem) logger.warn(`Some data of an older version could not be imported: ${problem}`);
  }
  log.dropReceiptsBefore(new Date(world.now() - RECEIPTS_KEPT_MS).toISOString());
  const [policies, delegations] = [new SqlitePolicyStore(db), new SqliteDelegationStore(db)];
  const choices = new SqliteAgentChoices(db);
  const toolChoices = new SqliteToolChoices(db);
  backlog.start();
  const close = () => {
    log.flush();
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
    /** What was found wrong, for whoever opens the page. */
    problems,
    close,
  };
}

function damageWords(movedAside: string, salvage: OpenedDatabase["salvage"]): string {
  const kept = `The damaged file is kept as ${movedAside}; check the disk, and restore a backup if you have a newer one.`;
  if (salvage === null) return `The database was damaged and could not be read. A new one was created. ${kept}`;
  const count = (table: string) => (salvage.copied.get(table) ?? 0).toLocaleString("en-US");
  const lost = [...salvage.lost].map(([table, rows]) => `${table} (up to ${rows.toLocaleString("en-US")} rows)`);
  const missing = salvage.missing.map((table) => `${table} (not found, or empty)`);
  const losses =
    lost.length + missing.length === 0
      ? "Nothing was lost."
      : `Lost (unreadable): ${[...lost, ...missing].join(", ")}.`;
  return `The database was damaged. Readable data was copied into a new one: ${count("project")} projects, ${count("session")} sessions, ${count("entry")} entries. ${losses} ${kept}`;
}
