import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { AgentPool } from "../agents/pool/agent-pool.ts";
import { ProcessLedger } from "../agents/process/process-ledger.ts";
import { PageFiles } from "../bridge/page-files.ts";
import type { ConnectionDeps } from "../bridge/socket-connection.ts";
import { Feed } from "../fanout/feed.ts";
import { Hub } from "../fanout/hub.ts";
import { AbsenceWatch } from "../lib/absence-watch.ts";
import { isoTime, type World } from "../ports/world.ts";
import type { PlainServerMessage } from "../protocol/server-messages.ts";
import { PROTOCOL_VERSION } from "../protocol/version.ts";
import type { AgentQuestions } from "../sessions/questions/agent-questions.ts";
import { SessionService } from "../sessions/session-service.ts";
import { FileSearch } from "../workspace/files/file-search.ts";
import { ProjectService } from "../workspace/project-service.ts";
import { ProjectTools } from "../workspace/project-tools.ts";
import { agentDirectory } from "./agent-directory.ts";
import type { ServerConfig } from "./config.ts";
import { loadConfigFile } from "./config-file.ts";
import { lastCrash, tellOfLastRun } from "./crash/last-run.ts";
import { createAccess } from "./create-access.ts";
import { createPolicy } from "./create-policy.ts";
import { createPool } from "./create-pool.ts";
import { createTransfers } from "./create-transfers.ts";
import { DataCare } from "./data-care.ts";
import { DataDir } from "./data-dir.ts";
import { endings } from "./endings.ts";
import { InstanceLock } from "./instance-lock.ts";
import { listen } from "./listen.ts";
import { logFileOf } from "./logging/log-file.ts";
import type { Logger } from "./logging/logger.ts";
import type { ServerLog } from "./logging/server-log.ts";
import { metricsText } from "./metrics-text.ts";
import { openStores } from "./open-stores.ts";
import { Orchestration } from "./orchestration.ts";
import { warnOfShortLogs } from "./short-log-warning.ts";
import { SignIn } from "./sign-in.ts";
import { statusReport } from "./status-report.ts";
import { faultReporter, StorageGuard } from "./storage-guard.ts";
import { ownerOf, takeOver } from "./take-over.ts";
import { localOrigin, prepareTls, tellReach } from "./tls/prepare-tls.ts";
import { shownToolServer } from "./tool-servers.ts";
import { traceText } from "./trace-text.ts";
import { PROGRAM_DIR, VERSION } from "./version.ts";

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  /** Agents can outlive this server. */
  readonly holdsAgents: boolean;
  /** Of the certificate it shows; null without TLS. */
  readonly fingerprint: string | null;
  /** Every agent and everything it started is gone, and all is on disk, when this returns. */
  stop(): Promise<void>;
  /** All is on disk when this returns; agents that are held go on, for the next server to find. */
  detach(): Promise<void>;
}

/** The composition root: makes the world, joins the parts, and knows the order in which they start and stop. */
export async function startServer(config: ServerConfig, logger: ServerLog): Promise<RunningServer> {
  const world: World = { now: Date.now, newId: () => randomUUID() };
  const dataDir = new DataDir(config.dataDir);
  const lock = new InstanceLock(dataDir);
  const token = config.token ?? dataDir.token();
  logger.hide(token);
  logger.keepIn(logFileOf(dataDir.path));
  const crashes = tellOfLastRun(dataDir, lock, logger);
  const certificate = await prepareTls(config, dataDir, world.now());
  const parts = await joinParts(config, dataDir, world, logger, token);
  const onUnstored = faultReporter(logger, "A device could not be stored");
  let ready = true;
  const report = () => statusReport({ dataDir, world, ...parts, logged: logger.counts, traffic: http.traffic });
  const http = listen(config.port, dataDir, (port) => ({
    host: config.host,
    port,
    version: VERSION,
    ...createAccess({ config, token, world, certificate, store: parts.devices, onUnstored }),
    pages: new PageFiles(join(PROGRAM_DIR, "dist")),
    connection: parts.connection,
    status: () => report(),
    metrics: () => metricsText(report()),
    crashes,
    trace: (sessionId) => traceText(sessionId, parts),
    ...parts.transfers,
    data: parts.data,
    mcp: parts.orchestration.door,
    isReady: () => ready,
  }));
  const origin = localOrigin(config, http.port);
  parts.orchestration.start(origin);
  lock.announce({ pid: process.pid, port: http.port, origin, startedAt: isoTime(world), version: VERSION });
  tellReach(config, http.port, certificate, logger);
  const end = async (endAgents: () => Promise<void>) => {
    ready = false;
    await endAgents();
    await http.stop();
    parts.close();
    lock[Symbol.dispose]();
  };
  return {
    url: `${origin}/?token=${encodeURIComponent(token)}`,
    port: http.port,
    fingerprint: certificate?.fingerprint ?? null,
    dataDir: dataDir.path,
    holdsAgents: parts.holdsAgents,
    stop: () => end(parts.stopAgents),
    detach: () => end(parts.stopOwn),
  };
}

/** All that a client needs to draw at once. */
function greeting(
  projects: ProjectService,
  pool: AgentPool,
  questions: AgentQuestions,
): Extract<PlainServerMessage, { type: "hello" }> {
  return {
    type: "hello",
    version: VERSION,
    protocol: PROTOCOL_VERSION,
    projects: [...projects.list()],
    questions: [...questions.list()],
    agents: [...pool.list()],
    ownProcesses: [...pool.ownProcesses()],
  };
}

/** What the parts stand on: what is stored, what is set, who listens. */
function openFoundation(config: ServerConfig, dataDir: DataDir, world: World, logger: Logger) {
  const guard = new StorageGuard(logger);
  const owner = ownerOf(dataDir);
  const ledger = new ProcessLedger(dataDir.file("agent-processes"));
  const stores = openStores(dataDir, world, logger, guard.changed);
  const absence = new AbsenceWatch(config.questionUnwatchedMs);
  const hub = new Hub((isAny) => absence.setPresent(isAny));
  const file = loadConfigFile(dataDir.file("config.json"));
  if (file.problem) logger.warn(`config.json is not used: ${file.problem}`);
  return { guard, owner, ledger, stores, absence, hub, file };
}

/** Everything behind the socket. */
async function joinParts(config: ServerConfig, dataDir: DataDir, world: World, logger: Logger, token: string) {
  const onError = faultReporter(logger, "Unexpected fault");
  const { guard, owner, ledger, stores, absence, hub, file } = openFoundation(config, dataDir, world, logger);
  const orchestration = new Orchestration({
    settings: file.orchestration,
    stores,
    dataDir,
    token,
    hub,
    world,
    onError,
  });
  const { ownTools, delegations } = orchestration;
  const tools = new ProjectTools({ servers: file.mcpServers.map(shownToolServer), choices: stores.toolChoices });
  const { pool, holders, holdsAgents, lifeline, installs, questions, permissions } = createPool({
    ...{ config, dataDir, world, owner, ledger, hub, absence, logger, file, ownTools, tools, flow: guard.flow },
  });
  const projects = new ProjectService({ world, store: stores.projects, home: config.home });
  const policy = createPolicy({ world, stores, permissions, dataDir });
  const sessions = new SessionService({
    ...{ world, log: stores.log, storage: stores.storage, search: stores.search, projects: stores.projects },
    ...{ agents: pool, policy, choices: stores.choices, delegations },
    stallMs: config.stallMs,
    absence,
    ...orchestration.hears,
    publish: (message) => hub.publish(message),
    onError,
  });
  guard.tell(hub, sessions);
  orchestration.join({ sessions, policy, projects, agents: () => pool.list() });
  const data = new DataCare({ config, stores, sessions, projects, hub });
  const transfers = createTransfers({ world, stores, pool, policy, hub, onError });
  await takeOver({ owner, ledger, holders, pool, sessions, logger });
  const signIn = new SignIn({ world, pool, sessions, hub, home: config.home, onError });
  const connection: ConnectionDeps = {
    feed: new Feed(hub, stores.log),
    sessions,
    projects,
    tools,
    imports: transfers.imports,
    agents: agentDirectory({ pool, sessions, home: config.home, signIn, installs, questions }),
    files: new FileSearch({ world, onError }),
    publish: (message) => hub.publish(message),
    hello: () => ({ ...greeting(projects, pool, questions), storage: stores.storage.state, ...lastCrash(dataDir) }),
    unwritable: () => stores.storage.refusal(),
    onShortLog: warnOfShortLogs(logger),
    onError,
  };
  const own = { transfers, signIn, installs, orchestration, lifeline };
  const ends = endings({ ...own, config, logger, guard, stores, pool, sessions });
  const doors = { connection, transfers, data, orchestration };
  return { ...doors, pool, holdsAgents, sessions, stores, devices: stores.devices, ...ends };
}
