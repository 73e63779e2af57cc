import { ignore } from "../lib/ignore.ts";
import type { AgentChoices, KnownLimits, ModelFavourites, ProcessChoices } from "../ports/agent-choices.ts";
import type { ApiTokenStore } from "../ports/api-token-store.ts";
import type { BranchStore } from "../ports/branch-store.ts";
import type { DelegationStore } from "../ports/delegation-store.ts";
import type { DeviceStore } from "../ports/device-store.ts";
import type { HookStore } from "../ports/hook-store.ts";
import type { NoticeStore } from "../ports/notice-store.ts";
import type { PeopleStore } from "../ports/people-store.ts";
import type { PolicyStore } from "../ports/policy-store.ts";
import type { ProjectStore } from "../ports/project-store.ts";
import type { PushStore } from "../ports/push-store.ts";
import type { ScheduleStore } from "../ports/schedule-store.ts";
import type { SearchIndex } from "../ports/search-index.ts";
import type { SessionLog } from "../ports/session-log.ts";
import type { SnippetStore } from "../ports/snippet-store.ts";
import type { Storage } from "../ports/storage.ts";
import type { ToolChoices } from "../ports/tool-choices.ts";
import type { TransferStore } from "../ports/transfer-store.ts";
import type { UsageStore } from "../ports/usage-store.ts";
import { isoTime, type World } from "../ports/world.ts";
import type { SessionId } from "../protocol/ids.ts";
import type { StorageState } from "../protocol/storage.ts";
import { DatabaseCare } from "../store/database/database-care.ts";
import { type OpenedDatabase, openDatabase } from "../store/database/open-database.ts";
import { StorageWatch } from "../store/database/storage-watch.ts";
import { importLegacyFiles } from "../store/import-legacy-files.ts";
import { SearchBacklog } from "../store/search/search-backlog.ts";
import { SqliteSearchIndex } from "../store/search/sqlite-search-index.ts";
import { SqliteSessionLog } from "../store/session-log/sqlite-session-log.ts";
import { SqliteApiTokenStore } from "../store/sqlite-api-token-store.ts";
import { SqliteBranchStore } from "../store/sqlite-branch-store.ts";
import { SqliteAgentChoices, SqliteToolChoices } from "../store/sqlite-choices.ts";
import { SqliteDelegationStore } from "../store/sqlite-delegation-store.ts";
import { SqliteDeviceStore } from "../store/sqlite-device-store.ts";
import { SqliteHookStore } from "../store/sqlite-hook-store.ts";
import { SqliteNoticeStore } from "../store/sqlite-notice-store.ts";
import { SqlitePeopleStore } from "../store/sqlite-people-store.ts";
import { SqlitePolicyStore } from "../store/sqlite-policy-store.ts";
import { SqliteProjectStore } from "../store/sqlite-project-store.ts";
import { SqlitePushStore } from "../store/sqlite-push-store.ts";
import { SqliteScheduleStore } from "../store/sqlite-schedule-store.ts";
import { SqliteSnippetStore } from "../store/sqlite-snippet-store.ts";
import { SqliteTransferStore } from "../store/sqlite-transfer-store.ts";
import { SqliteUsageStore } from "../store/sqlite-usage-store.ts";
import { type DataDir, makePrivate } from "./data-dir.ts";
import type { Logger } from "./server-log.ts";
import { faultReporter } from "./storage-guard.ts";

export const RECEIPTS_KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** Counters of a shared database since the start. */
export interface SharedDatabaseFigures {
  readonly commits: number;
  readonly statements: number;
  readonly waitedMs: number;
  readonly fenced: number;
  readonly missedBeats: number;
  readonly epoch: number;
}

/** Everything that a server stores in its database, of either kind. */
export interface ServerStores {
  readonly log: SessionLog;
  readonly storage: Storage & { readonly state: StorageState };
  readonly projects: ProjectStore;
  readonly transfers: TransferStore;
  readonly branches: BranchStore;
  readonly policies: PolicyStore;
  readonly delegations: DelegationStore;
  readonly search: SearchIndex;
  readonly choices: AgentChoices & ModelFavourites & ProcessChoices & KnownLimits;
  readonly toolChoices: ToolChoices;
  readonly people: PeopleStore;
  readonly devices: DeviceStore;
  readonly apiTokens: ApiTokenStore;
  readonly hooks: HookStore;
  readonly notices: NoticeStore;
  readonly schedules: ScheduleStore;
  readonly snippets: SnippetStore;
  readonly usage: UsageStore;
  readonly push: PushStore;
  /** Operations on the whole database. */
  readonly care: {
    /** Of every project, including removed ones. */
    sessionIds(which: "archived" | "all"): Promise<readonly SessionId[]>;
    /** Number of sessions, of all facts ever stored, and what the sessions have used. */
    totals(): Promise<{
      readonly sessions: number;
      readonly facts: number;
      readonly tokens: number;
      readonly costUsd: number;
    }>;
    /** Returns the space of deleted data to the disk; the number of bytes freed. */
    compact(): Promise<number>;
  };
  /** The remaining work of the search index. */
  readonly backlog: {
    progress(): Promise<{ readonly entriesLeft: number; readonly textsIndexed: number }>;
    /** False when nothing was left to do. */
    step(): Promise<boolean>;
  };
  readonly movedAside: string | null;
  /** For a database that several servers share; null: it is this server's own file. */
  readonly shared: (() => SharedDatabaseFigures) | null;
  /** Problems found, for the page. */
  readonly problems: readonly string[];
  /** Resolves when another server has taken over the database: this one can store nothing more. */
  readonly lost: Promise<void>;
  /** It has. */
  isLost(): boolean;
  /** The server is about to end: requests no longer wait for a database that is away. */
  leave(): void;
  close(): Promise<void>;
}

/** Opens the database and imports data of an older app. Problems are logged. */
export async function openStores(
  dataDir: DataDir,
  world: World,
  logger: Logger,
  onStorage: (state: StorageState) => void,
): Promise<ServerStores> {
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
  const close = async () => {
    log.flush();
    backlog.stop();
    storage.stop();
    db.close();
  };
  const transfers = new SqliteTransferStore(db, log);
  const branches = new SqliteBranchStore(db, log);
  branches.dropUnfinished();
  const search = new SqliteSearchIndex(db);
  const people = new SqlitePeopleStore(db);
  const devices = new SqliteDeviceStore(db);
  const apiTokens = new SqliteApiTokenStore(db);
  const hooks = new SqliteHookStore(db);
  const schedules = new SqliteScheduleStore(db);
  const snippets = new SqliteSnippetStore(db);
  const usage = new SqliteUsageStore(db);
  const push = new SqlitePushStore(db);
  const notices = new SqliteNoticeStore(db);
  const care = new DatabaseCare(db, dataDir.database);
  return {
    log,
    storage,
    care: {
      sessionIds: async (which) => care.sessionIds(which),
      totals: async () => care.totals(),
      compact: async () => care.compact(),
    },
    projects,
    transfers,
    branches,
    policies,
    delegations,
    search,
    backlog: { progress: async () => backlog.progress, step: async () => backlog.step() },
    choices,
    toolChoices,
    people,
    devices,
    apiTokens,
    hooks,
    notices,
    schedules,
    snippets,
    usage,
    push,
    movedAside,
    shared: null,
    problems,
    lost: new Promise<void>(ignore("only this server has its data directory")),
    isLost: () => false,
    leave: ignore("its database is never away"),
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
