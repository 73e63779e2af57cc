import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import { BadTokenLimit } from "../access/bad-token-limit.ts";
import { Devices } from "../access/devices.ts";
import { Pairing } from "../access/pairing.ts";
import { isSameSecret } from "../access/secrets.ts";
import { ownToolServer } from "../agents/acp/mcp-servers.ts";
import { AgentPool } from "../agents/pool/agent-pool.ts";
import { Lifeline } from "../agents/process/lifeline.ts";
import { LocalProcessHost } from "../agents/process/local-process-host.ts";
import { ProcessLedger } from "../agents/process/process-ledger.ts";
import { AccessControl } from "../bridge/access-control.ts";
import { HttpServer } from "../bridge/http-server.ts";
import { OwnHosts } from "../bridge/own-hosts.ts";
import { PageFiles } from "../bridge/page-files.ts";
import { Feed } from "../fanout/feed.ts";
import { Hub } from "../fanout/hub.ts";
import { AbsenceWatch } from "../lib/absence-watch.ts";
import { LOG_PATH } from "../lib/server-log-place.ts";
import { agentDirectory } from "../operations/agent-directory.ts";
import { AgentInstalls } from "../operations/agent-installs.ts";
import { isLoopback, type ServerConfig } from "../operations/config.ts";
import { loadConfigFile, shownToolServer } from "../operations/config-file.ts";
import { lastCrash, tellOfLastRun } from "../operations/crash-reports.ts";
import { createCatalog } from "../operations/create-catalog.ts";
import { DataDir } from "../operations/data-dir.ts";
import { DataMaintenance } from "../operations/data-maintenance.ts";
import { createHolders } from "../operations/held-agents.ts";
import { InstanceLock } from "../operations/instance-lock.ts";
import { openStores } from "../operations/open-stores.ts";
import type { ServerLog } from "../operations/server-log.ts";
import { SignIn } from "../operations/sign-in.ts";
import { metricsText, statusReport, traceReport } from "../operations/status-report.ts";
import { faultReporter, StorageGuard, warnOfShortLogs, warnOfUnstored } from "../operations/storage-guard.ts";
import { ownerOf, takeOver } from "../operations/take-over.ts";
import { localOrigin, machineNames, otherOrigins, prepareTls, tellReach } from "../operations/tls/prepare-tls.ts";
import { PROGRAM_DIR, VERSION } from "../operations/version.ts";
import { Orchestration } from "../orchestration/orchestration.ts";
import { SessionTokens } from "../orchestration/session-tokens.ts";
import { isoTime, type World } from "../ports/world.ts";
import type { CliType } from "../protocol/ids.ts";
import { PROTOCOL_VERSION } from "../protocol/version.ts";
import { AgentQuestions } from "../sessions/agent-questions.ts";
import { Delegations } from "../sessions/delegation/delegations.ts";
import { PolicyService } from "../sessions/policy/policy-service.ts";
import { SessionService } from "../sessions/session-service.ts";
import { ExportService } from "../sessions/transfer/export/export-service.ts";
import { FileImport } from "../sessions/transfer/file-import.ts";
import { ImportService } from "../sessions/transfer/import-service.ts";
import { FileSearch } from "../workspace/file-search.ts";
import { ProjectService } from "../workspace/project-service.ts";
import { ProjectTools } from "../workspace/project-tools.ts";
import { DiskRealPaths } from "../workspace/real-paths.ts";

const EPOCH_CHARS = 8;
const SECRET_BYTES = 32;

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  /** Agents can outlive this server. */
  readonly holdsAgents: boolean;
  /** Of the certificate it shows; null without TLS. */
  readonly fingerprint: string | null;
  /** Ends every agent and everything it started, stores all facts, then returns. */
  stop(): Promise<void>;
  /** Stores all facts, then returns. Held agents go on for the next server. */
  detach(): Promise<void>;
}

/**
 * The composition root: builds every part of the server in order, from the data directory to the listening socket.
 * A part gets only parts built above it, with three exceptions. Each is a closure over a later constant, is called only
 * after that constant exists, and is marked `Cycle:`.
 */
export async function startServer(config: ServerConfig, logger: ServerLog): Promise<RunningServer> {
  const { env, home } = config;
  const world: World = { now: Date.now, newId: () => randomUUID() };
  const monotonicMs = () => performance.now();
  const newSecret = () => randomBytes(SECRET_BYTES).toString("base64url");
  const onError = faultReporter(logger, "Unexpected fault");

  // Data directory, lock, log and tokens
  const dataDir = new DataDir(config.dataDir);
  const lock = new InstanceLock(dataDir);
  logger.keepIn(join(dataDir.path, LOG_PATH));
  dataDir.dropCommandToken();
  const token = config.token ?? dataDir.token((text) => logger.warn(text));
  logger.hide(token);
  const commandToken = config.token === null ? null : dataDir.commandToken();
  if (commandToken !== null) logger.hide(commandToken);
  const crashes = tellOfLastRun(dataDir, lock, logger);
  const certificate = await prepareTls(config, dataDir, world.now());
  const file = loadConfigFile(dataDir.file("config.json"));

  // Fan-out and storage
  const absence = new AbsenceWatch(config.questionUnwatchedMs);
  const hub = new Hub((isAny) => absence.setPresent(isAny));
  const publish = hub.publish.bind(hub);
  // Cycle: sessions write to the stores, and flush when the stores become writable again.
  const guard = new StorageGuard({ logger, hub, flushSessions: () => sessions.flush() });
  const stores = await openStores(dataDir, world, logger, guard.changed);
  for (const problem of file.problems) logger.warn(problem);

  // Projects and permissions
  const paths = new DiskRealPaths();
  const guarded = [dataDir.path];
  const projects = new ProjectService({ world, store: stores.projects, home });
  const projectTools = new ProjectTools({
    servers: file.mcpServers.map(shownToolServer),
    choices: stores.toolChoices,
  });
  const hasOwnTools = (cliType: CliType) =>
    file.orchestration.offered && !file.agents.some((agent) => agent.id === cliType && agent.orchestration === false);
  const policy = new PolicyService({
    world,
    log: stores.log,
    projects: stores.projects,
    store: stores.policies,
    paths,
    startingMode: (cliType) => file.permissions.get(cliType) ?? null,
    hasOwnTools,
    guarded,
  });

  // Agent processes
  const onAgentError = faultReporter(logger, "Unexpected fault in an agent");
  const owner = ownerOf(dataDir);
  const epoch = world.newId().slice(0, EPOCH_CHARS);
  const ledger = new ProcessLedger(dataDir.file("agent-processes"));
  const lifeline = new Lifeline(epoch, env);
  const { holders, holdsAgents } = createHolders({
    config,
    dataDir,
    lifeline,
    flow: guard.flow,
    logger,
    onError: onAgentError,
  });
  const unheldHost = new LocalProcessHost(lifeline, ledger, onAgentError);
  const { catalog, registry, installed, which } = createCatalog({
    config,
    dataDir,
    world,
    configured: file.agents,
    overlays: file.overlays,
    builtinEnv: file.builtinEnv,
    logger,
  });
  const questions = new AgentQuestions({
    absence,
    onAsked: (question) => publish({ type: "elicitation:request", ...question }),
    onResolved: (elicitationId, action) => publish({ type: "elicitation:resolved", elicitationId, action }),
  });
  // Cycle: an agent is given a token, which is valid while its session lives.
  const tokens = new SessionTokens({
    secret: token,
    isSameSecret,
    isAlive: (sessionId) => orchestration.isAlive(sessionId),
  });
  // Agents of the last run may need the address of our tools before the server listens.
  const listening = Promise.withResolvers<string>();
  const publishAgents = () => publish({ type: "agent:list", agents: [...pool.list()] });
  const pool = new AgentPool({
    catalog,
    // A user on another machine would not see a browser opened on this one.
    inheritedEnv: { ...env, ...(!isLoopback(config.host) && { NO_BROWSER: "1" }) },
    owner,
    limits: file.pool,
    choices: stores.choices,
    tools: async ({ sessionId, projectId }) => {
      const enabled = projectTools.enabledIn(projectId);
      const mcpServers = file.mcpServers.filter(({ name }) => enabled.has(name));
      if (!file.orchestration.offered) return { mcpServers, ownTools: null };
      const origin = await listening.promise;
      const sessionToken = tokens.tokenOf(sessionId);
      const own = ownToolServer({ origin, token: sessionToken, dataDir: dataDir.path, programDir: PROGRAM_DIR });
      return { mcpServers, ownTools: own };
    },
    onListChanged: publishAgents,
    world,
    host: holdsAgents && holders ? holders : new LocalProcessHost(lifeline, ledger, onAgentError, guard.flow),
    isHeld: holdsAgents,
    readerHost: unheldHost,
    cwd: home,
    guarded,
    epoch,
    clientVersion: VERSION,
    startTimeoutMs: config.startTimeoutMs,
    desk: questions,
    onStatus: ({ cliType, sessionId, status, message, nextTryAt }) =>
      publish({
        type: "agent:status",
        cliType,
        status,
        ...(sessionId !== undefined && { sessionId }),
        ...(message !== undefined && { message }),
        ...(nextTryAt !== undefined && { nextTryAt }),
      }),
    log: logger,
    onError: onAgentError,
  });
  const installs = new AgentInstalls({
    config,
    world,
    owner,
    epoch,
    host: unheldHost,
    pool,
    catalog,
    registry,
    installed,
    which,
    hub,
    onChanged: publishAgents,
    onError: onAgentError,
  });

  // Sessions
  const delegations = new Delegations({
    limits: file.orchestration.limits,
    keepChildren: file.orchestration.keepChildren,
    store: stores.delegations,
  });
  const sessions = new SessionService({
    world,
    log: stores.log,
    storage: stores.storage,
    search: stores.search,
    projects: stores.projects,
    choices: stores.choices,
    agents: pool,
    policy,
    delegations,
    stallMs: config.stallMs,
    absence,
    isWatched: (sessionId) => hub.isWatched(sessionId),
    // Cycle: orchestration runs sessions, and follows their facts.
    onCommitted: (sessionId, facts) => {
      hub.committed(sessionId, facts);
      orchestration.committed(sessionId, facts);
    },
    onCreated: (sessionId) => orchestration.created(sessionId),
    onEnded: (sessionId) => orchestration.ended(sessionId),
    publish,
    onError,
  });
  const orchestration = new Orchestration({
    version: VERSION,
    sessions,
    delegations,
    policy,
    projects,
    hub,
    agents: () => pool.list(),
    newId: world.newId,
    now: world.now,
    silentWaitMs: file.orchestration.silentWaitMs,
    progressEveryMs: file.orchestration.progressEveryMs,
    programIdleMs: config.programIdleMs,
    onError,
  });
  await takeOver({ owner, ledger, holders, pool, sessions, logger });

  // What clients ask for besides sessions
  const { log, transfers } = stores;
  const imports = new ImportService({
    world,
    store: transfers,
    projects: stores.projects,
    agents: pool,
    histories: pool,
    policy,
    paths,
    publish,
    onError,
  });
  const fileImport = new FileImport({
    world,
    log,
    store: transfers,
    projects: stores.projects,
    agents: pool,
    policy,
    publish,
  });
  const exports = new ExportService({ world, log, store: transfers, projects: stores.projects, agents: pool });
  const signIn = new SignIn({ world, pool, sessions, hub, home, onError });
  const data = new DataMaintenance({ config, stores, sessions, projects, hub });
  const devices = new Devices({
    store: stores.devices,
    token,
    world,
    newSecret,
    onUnstored: faultReporter(logger, "Could not store a device"),
  });
  const pairing = new Pairing({ world, monotonicMs, newSecret, isSignedIn: (id) => devices.isSignedIn(id) });
  const badTokens = new BadTokenLimit(monotonicMs);

  // HTTP. The port is known only once the server listens.
  const { host, allowedHosts: allowed } = config;
  const isTls = certificate !== null;
  const names = isLoopback(host) ? [] : machineNames().names;
  const report = () =>
    statusReport({ dataDir, world, pool, sessions, stores, logged: logger.counts, traffic: http.traffic });
  let isReady = true;
  const http = listen(config, dataDir, (wantedPort) => ({
    host,
    port: wantedPort,
    version: VERSION,
    tls: certificate && { cert: certificate.cert, key: certificate.key },
    access: (port) =>
      new AccessControl({
        token,
        commandToken,
        port,
        hosts: new OwnHosts({ host, port, isTls, names, allowed }),
        isTls,
        devices,
        pairing,
        badTokens,
        monotonicMs,
        newSecret,
      }),
    reach: (port) => ({
      origins: () => otherOrigins(config, port),
      localOrigin: localOrigin(config, port),
      certificate: certificate && {
        fingerprint: certificate.fingerprint,
        isGenerated: config.tls.kind === "generated",
        expiresAt: new Date(certificate.expiresAtMs).toISOString(),
      },
    }),
    pages: new PageFiles(join(PROGRAM_DIR, "dist")),
    connection: {
      feed: new Feed(hub, stores.log, onError),
      sessions,
      projects,
      tools: projectTools,
      imports,
      agents: agentDirectory({ pool, sessions, home, signIn, installs, questions }),
      files: new FileSearch({ world, onError }),
      publish,
      hello: () => ({
        type: "hello",
        version: VERSION,
        protocol: PROTOCOL_VERSION,
        projects: [...projects.list()],
        questions: [...questions.list()],
        agents: [...pool.list()],
        ownProcesses: [...pool.ownProcesses()],
        storage: stores.storage.state,
        ...lastCrash(dataDir),
        startProblems: [...file.problems, ...stores.problems],
      }),
      unwritable: () => stores.storage.refusal(),
      onShortLog: warnOfShortLogs(logger),
      onError,
    },
    status: report,
    metrics: () => metricsText(report()),
    crashes,
    trace: (sessionId) => traceReport(sessionId, pool, sessions),
    exports,
    fileImport,
    data,
    mcp: {
      sessionOf: (sessionToken) => tokens.sessionOf(sessionToken),
      serve: (request, visitor) => orchestration.serve(request, visitor),
    },
    isReady: () => isReady,
  }));
  const origin = localOrigin(config, http.port);
  listening.resolve(origin);
  orchestration.start();
  lock.announce({ pid: process.pid, port: http.port, origin, startedAt: isoTime(world), version: VERSION });
  tellReach(config, http.port, certificate, logger);

  const end = async (withAgents: boolean) => {
    isReady = false;
    if (withAgents) {
      guard.letEnd();
      await Promise.all([pool.stop(), imports.stop()]);
    }
    await Promise.all([imports.stop(), signIn.stop(), installs.stop(), orchestration.stop()]);
    await lifeline.stop();
    await http.stop();
    // Nothing more can come from agents or clients.
    await warnOfUnstored(sessions, config.holdMs, logger);
    stores.close();
    dataDir.dropCommandToken();
    lock[Symbol.dispose]();
  };
  return {
    url: `${origin}/?token=${encodeURIComponent(token)}`,
    port: http.port,
    fingerprint: certificate?.fingerprint ?? null,
    dataDir: dataDir.path,
    holdsAgents,
    stop: () => end(true),
    detach: () => end(false),
  };
}

type HttpOptions = ConstructorParameters<typeof HttpServer>[0];

/** Prefers the port of the last run where any free port is allowed, so that pages and agents find the server again. */
function listen(
  { port, freePort }: Pick<ServerConfig, "port" | "freePort">,
  dataDir: DataDir,
  options: (port: number) => HttpOptions,
): HttpServer {
  const first = port === 0 ? dataDir.lastPort() : freePort ? port : null;
  const http = (first !== null && tryListen(options(first))) || new HttpServer(options(freePort ? 0 : port));
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
