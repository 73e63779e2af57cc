import { createHash, randomUUID } from "node:crypto";
import { join } from "node:path";
import packageJson from "../../package.json";
import { agentCatalog } from "../agents/catalog/agent-catalog.ts";
import { AgentPool } from "../agents/pool/agent-pool.ts";
import { sweepLeftovers } from "../agents/process/sweep-leftovers.ts";
import { AccessControl } from "../bridge/access-control.ts";
import { HttpServer } from "../bridge/http-server.ts";
import { PageFiles } from "../bridge/page-files.ts";
import { Hub } from "../fanout/hub.ts";
import { isoTime, type World } from "../ports/world.ts";
import { PROTOCOL_VERSION } from "../protocol/version.ts";
import { SessionService } from "../sessions/session-service.ts";
import { importLegacyFiles } from "../store/import-legacy-files.ts";
import { openDatabase } from "../store/open-database.ts";
import { SqliteProjectStore } from "../store/sqlite-project-store.ts";
import { SqliteSessionLog } from "../store/sqlite-session-log.ts";
import { ProjectService } from "../workspace/project-service.ts";
import { agentDirectory } from "./agent-directory.ts";
import type { ServerConfig } from "./config.ts";
import { loadConfigFile } from "./config-file.ts";
import { DataDir } from "./data-dir.ts";
import { InstanceLock } from "./instance-lock.ts";
import type { Logger } from "./logger.ts";
import { statusReport } from "./status-report.ts";

const RECEIPTS_KEPT_MS = 30 * 24 * 60 * 60 * 1000;
const ROOT = join(import.meta.dir, "../..");

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  /** Every agent and everything it started is gone, and all is on disk, when this returns. */
  stop(): Promise<void>;
}

/** The composition root: makes the world, joins the parts, and knows the order in which they start and stop. */
export async function startServer(config: ServerConfig, logger: Logger): Promise<RunningServer> {
  const world: World = { now: Date.now, newId: () => randomUUID() };
  const dataDir = new DataDir(config.dataDir);
  const lock = new InstanceLock(dataDir);
  const onError = (error: unknown) => logger.error("Unexpected fault", error);
  const owner = createHash("sha256").update(dataDir.path).digest("hex").slice(0, 16);
  for (const { pid, command } of sweepLeftovers(owner))
    logger.warn(`Ended a leftover agent process ${pid}: ${command}`);

  const stores = openStores(dataDir, world, logger);
  const hub = new Hub();
  const pool = createPool(config, dataDir, world, owner, hub, logger);
  const projects = new ProjectService({ world, store: stores.projects, home: config.home });
  const sessions = new SessionService({
    world,
    log: stores.log,
    projects: stores.projects,
    agents: pool,
    onCommitted: (sessionId, facts) => hub.committed(sessionId, facts),
    publish: (message) => hub.publish(message),
    onError,
  });
  const interrupted = sessions.recover();
  if (interrupted > 0)
    logger.info(`${interrupted} turn(s) of the last run were interrupted; what had arrived is kept.`);

  const token = config.token ?? dataDir.token();
  const agents = agentDirectory(pool);
  let ready = true;
  const http = listen(config, dataDir, (port) => ({
    host: config.host,
    port,
    version: packageJson.version,
    access: (bound) => new AccessControl({ token, port: bound, host: config.host, newId: world.newId }),
    pages: new PageFiles(join(ROOT, "dist")),
    connection: {
      hub,
      log: stores.log,
      sessions,
      projects,
      agents,
      publish: (message) => hub.publish(message),
      hello: () => ({
        type: "hello",
        version: packageJson.version,
        protocol: PROTOCOL_VERSION,
        projects: [...projects.list()],
        agents: [...pool.list()],
      }),
      onError,
    },
    status: () => statusReport({ world, pool, sessions }),
    isReady: () => ready,
  }));
  lock.announce({ pid: process.pid, port: http.port, startedAt: isoTime(world), version: packageJson.version });

  return {
    url: `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${http.port}/?token=${token}`,
    port: http.port,
    dataDir: dataDir.path,
    stop: async () => {
      ready = false;
      await pool.stop();
      sessions.flush();
      await http.stop();
      stores.close();
      lock[Symbol.dispose]();
    },
  };
}

function openStores(dataDir: DataDir, world: World, logger: Logger) {
  const path = dataDir.file("liminal.db");
  const { db, movedAside, created } = openDatabase(path, isoTime(world).replaceAll(":", "-"));
  if (movedAside) logger.warn(`The database was damaged. It was moved to ${movedAside}, and a new one was started.`);
  const log = new SqliteSessionLog(db);
  const projects = new SqliteProjectStore(db);
  if (created) {
    const { projectCount, sessionCount, problem } = importLegacyFiles(dataDir.path, { log, projects, world });
    if (projectCount > 0)
      logger.info(`Imported ${projectCount} projects and ${sessionCount} sessions of an older version.`);
    if (problem) logger.warn(`Not everything of an older version could be imported: ${problem}`);
  }
  log.dropReceiptsBefore(new Date(world.now() - RECEIPTS_KEPT_MS).toISOString());
  return { log, projects, close: () => db.close() };
}

function createPool(config: ServerConfig, dataDir: DataDir, world: World, owner: string, hub: Hub, logger: Logger) {
  const file = loadConfigFile(dataDir.file("config.json"));
  if (file.problem) logger.warn(`config.json is not used: ${file.problem}`);
  const { env } = config;
  const catalog = agentCatalog({
    env,
    which: (program) => Bun.which(program, { PATH: env["PATH"] ?? "" }),
    builtin: {
      command: [process.execPath, join(ROOT, "builtin-agent/main.ts")],
      env: { LIMINAL_GUIDE_DIR: dataDir.file("guide") },
    },
    configured: file.agents,
  });
  return new AgentPool({
    catalog,
    inheritedEnv: env,
    owner,
    world,
    cwd: config.home,
    epoch: world.newId().slice(0, 8),
    clientVersion: packageJson.version,
    startTimeoutMs: config.startTimeoutMs,
    onStatus: ({ cliType, status, message }) =>
      hub.publish({ type: "agent:status", cliType, status, ...(message !== undefined && { message }) }),
    onError: (error) => logger.error("Unexpected fault in an agent", error),
  });
}

type HttpOptions = ConstructorParameters<typeof HttpServer>[0];

/** The last run's port, when it may be chosen freely and is still free: pages and agents find us where we were. */
function listen(config: ServerConfig, dataDir: DataDir, options: (port: number) => HttpOptions): HttpServer {
  const last = config.port === 0 ? dataDir.lastPort() : null;
  const http = (last !== null && tryListen(options(last))) || new HttpServer(options(config.port));
  dataDir.keepPort(http.port);
  return http;
}

function tryListen(options: HttpOptions): HttpServer | null {
  try {
    return new HttpServer(options);
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, "code") === "EADDRINUSE") return null;
    throw error;
  }
}
