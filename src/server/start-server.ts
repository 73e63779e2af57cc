import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import { ApiTokens } from "../access/api-tokens.ts";
import { BadTokenLimit } from "../access/bad-token-limit.ts";
import { Devices } from "../access/devices.ts";
import { Gate } from "../access/gate.ts";
import { IncomingHooks } from "../access/incoming-hooks.ts";
import { Pairing } from "../access/pairing.ts";
import { People } from "../access/people.ts";
import { Presence } from "../access/presence.ts";
import { isSameSecret } from "../access/secrets.ts";
import { SignInService } from "../access/sign-in-service.ts";
import { launchHolder } from "../agents/holder/launch-holder.ts";
import { AgentPool } from "../agents/pool/agent-pool.ts";
import { agentEnvironment, joinPaths, loginPath } from "../agents/process/agent-environment.ts";
import { Lifeline } from "../agents/process/lifeline.ts";
import { LocalProcessHost } from "../agents/process/local-process-host.ts";
import { ProcessLedger } from "../agents/process/process-ledger.ts";
import { OWNER_VARIABLE, RUN_VARIABLE } from "../agents/process/sweep-leftovers.ts";
import { LocalSessionWriters } from "../agents/writers/local-session-writers.ts";
import { AccessControl } from "../bridge/access-control.ts";
import type { AboutSettings } from "../bridge/answer-message.ts";
import { HttpServer } from "../bridge/http-server.ts";
import { OwnHosts } from "../bridge/own-hosts.ts";
import { PageFiles } from "../bridge/page-files.ts";
import { Feed } from "../fanout/feed.ts";
import { Hub } from "../fanout/hub.ts";
import { AbsenceWatch } from "../lib/absence-watch.ts";
import { FirstUse } from "../lib/first-use.ts";
import { ignore } from "../lib/ignore.ts";
import { LOG_PATH } from "../lib/server-log-place.ts";
import { agentDirectory } from "../operations/agent-directory.ts";
import { AgentInstalls } from "../operations/agent-installs.ts";
import { AgentSettings } from "../operations/agent-settings.ts";
import { BuiltinModel, MODEL_FILE } from "../operations/builtin-model.ts";
import { CommandsByPlace } from "../operations/commands-by-place.ts";
import { isLoopback, type ServerConfig } from "../operations/config.ts";
import { loadConfigFile, shownToolServer, toolServersAt } from "../operations/config-file.ts";
import { lastCrash, logLastRun } from "../operations/crash-reports.ts";
import { builtinAgent, createCatalog } from "../operations/create-catalog.ts";
import { DataDir, RUNNERS_DIR } from "../operations/data-dir.ts";
import { DataMaintenance } from "../operations/data-maintenance.ts";
import { createHolders } from "../operations/held-agents.ts";
import { InstanceLock } from "../operations/instance-lock.ts";
import { NoticeSettings } from "../operations/notices/notice-settings.ts";
import { Notices } from "../operations/notices/notices.ts";
import { WebPush } from "../operations/notices/web-push.ts";
import type { openPostgresStores } from "../operations/open-postgres-stores.ts";
import { openStores } from "../operations/open-stores.ts";
import { ownCommand, PROGRAM_DIR } from "../operations/own-program.ts";
import { PlaceSettings } from "../operations/place-settings.ts";
import type { ServerLog } from "../operations/server-log.ts";
import { SessionTools } from "../operations/session-tools.ts";
import { SignIn } from "../operations/sign-in.ts";
import { metricsText, statusReport, traceReport } from "../operations/status-report.ts";
import { faultReporter, StorageGuard, warnOfShortLogs, warnOfUnstored } from "../operations/storage-guard.ts";
import { ownerOf, takeOver } from "../operations/take-over.ts";
import { TerminalRequests } from "../operations/terminal-requests.ts";
import { TerminalsByPlace } from "../operations/terminals-by-place.ts";
import type * as TestAgent from "../operations/test-agent.ts";
import { localOrigin, logAddresses, machineNames, otherOrigins, prepareTls } from "../operations/tls/prepare-tls.ts";
import { TurnCounter } from "../operations/turn-counter.ts";
import { VERSION } from "../operations/version.ts";
import { WorkdirsByPlace } from "../operations/workdirs-by-place.ts";
import {
  MergingByPlace,
  NO_RADAR,
  NO_WORKTREES,
  RadarByPlace,
  WorktreesByPlace,
} from "../operations/worktrees-by-place.ts";
import { Orchestration } from "../orchestration/orchestration.ts";
import { SessionTokens } from "../orchestration/session-tokens.ts";
import { Places } from "../places/places.ts";
import { isoTime, type World } from "../ports/world.ts";
import { RefusalError } from "../protocol/errors.ts";
import { type CliType, type ProjectId, SessionId } from "../protocol/ids.ts";
import { splitPlace } from "../protocol/place-path.ts";
import type { Project } from "../protocol/server-messages.ts";
import { PROTOCOL_VERSION } from "../protocol/version.ts";
import { placeOfWorktree, WorktreeId } from "../protocol/worktree-ref.ts";
import { AgentOptions } from "../sessions/agent-options.ts";
import { AgentQuestions } from "../sessions/agent-questions.ts";
import { Delegations } from "../sessions/delegation/delegations.ts";
import { FileChanges } from "../sessions/file-changes.ts";
import { LIMIT_FOLLOW_MS, LimitResumer } from "../sessions/limits/limit-resumer.ts";
import { PolicyService } from "../sessions/policy/policy-service.ts";
import { ScheduleService } from "../sessions/schedules/schedule-service.ts";
import { SessionService } from "../sessions/session-service.ts";
import { SnippetService } from "../sessions/snippet-service.ts";
import { UsageReports } from "../sessions/usage-reports.ts";
import { WorktreeService } from "../sessions/worktree-service.ts";
import type { Ownership } from "../store/postgres/ownership.ts";
import { CommandRecords } from "../workspace/commands/command-records.ts";
import { LOCAL_COMMAND_MACHINE } from "../workspace/commands/local-command-machine.ts";
import { LocalProjectCommands } from "../workspace/commands/project-commands.ts";
import { Services } from "../workspace/commands/services.ts";
import { ProjectService } from "../workspace/project-service.ts";
import { ProjectTools } from "../workspace/project-tools.ts";
import { DiskRealPaths } from "../workspace/real-paths.ts";

/** What a start without work left over does not need: each is loaded with its first use, in that step (decision 149). */
const LATER = {
  terminals: (): typeof import("../terminals/held-terminals.ts") => require("../terminals/held-terminals.ts"),
  workdirs: (): typeof import("../workspace/workdirs.ts") => require("../workspace/workdirs.ts"),
  worktrees: (): typeof import("../workspace/worktrees/local-worktrees.ts") =>
    require("../workspace/worktrees/local-worktrees.ts"),
  merging: (): typeof import("../workspace/merging/merging.ts") => require("../workspace/merging/merging.ts"),
  agentTest: (): typeof TestAgent => require("../operations/test-agent.ts"),
  fileSearch: (): typeof import("../workspace/file-search.ts") => require("../workspace/file-search.ts"),
  attempts: (): typeof import("../sessions/attempts.ts") => require("../sessions/attempts.ts"),
  imports: (): typeof import("../sessions/transfer/import-service.ts") =>
    require("../sessions/transfer/import-service.ts"),
  fileImport: (): typeof import("../sessions/transfer/file-import.ts") =>
    require("../sessions/transfer/file-import.ts"),
  exports: (): typeof import("../sessions/transfer/export/export-service.ts") =>
    require("../sessions/transfer/export/export-service.ts"),
  radar: (): typeof import("../workspace/merging/radar.ts") => require("../workspace/merging/radar.ts"),
};

const EPOCH_CHARS = 8;
const SECRET_BYTES = 32;

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  /** Agents can outlive this server. */
  readonly holdsAgents: boolean;
  /** Of its certificate; null without TLS. */
  readonly fingerprint: string | null;
  /** Resolves when the server can store nothing more, and should be stopped. */
  readonly lost: Promise<void>;
  /** Ends every agent and everything it started, stores all facts, then returns. */
  stop(): Promise<void>;
  /** Stores all facts, then returns. Held agents keep running for the next server. */
  detach(): Promise<void>;
}

/** What a server has of its team. */
export interface TeamSeat {
  /** The database was taken by the replica. */
  readonly ownership: Ownership;
  /** The identity under which all servers of the team use the runners of places. */
  readonly teamId: string;
  /** The one that the database has, and that the others trust; null without TLS. */
  readonly certificate: Awaited<ReturnType<typeof prepareTls>>;
  /** Until then others answer at its port. */
  readonly beforeListen: () => Promise<void>;
}

const NOTHING_HERE =
  "In a team of servers, agents run at places that each server reaches. Add one with: liminal place add user@host. Then add the project as place:path, for example build-1:~/app.";

/**
 * The composition root: builds every part of the server in order, from the data directory to the listening socket.
 * A part gets only parts built above it, with five exceptions. Each is a closure over a later constant, is called only
 * after that constant exists, and is marked `Cycle:`.
 */
export async function startServer(
  config: ServerConfig,
  logger: ServerLog,
  team: TeamSeat | null = null,
): Promise<RunningServer> {
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
  if (config.databaseUrl !== null) logger.hide(config.databaseUrl);
  const commandToken = config.token === null ? null : dataDir.commandToken();
  if (commandToken !== null) logger.hide(commandToken);
  const crashes = logLastRun(dataDir, lock, logger);
  const certificate = team === null ? await prepareTls(config, dataDir, world.now()) : team.certificate;
  const file = loadConfigFile(dataDir.file("config.json"), env);
  const settings = new AgentSettings({ path: dataDir.file("config.json"), env, file });

  // Fan-out and storage
  const absence = new AbsenceWatch(config.questionUnwatchedMs);
  const hub = new Hub((isAny) => absence.setPresent(isAny));
  const publish = hub.publish.bind(hub);
  // Cycle: sessions write to the stores, and flush when the stores become writable again.
  const guard = new StorageGuard({ logger, hub, flushSessions: () => sessions.flush() });
  const stores =
    config.databaseUrl === null
      ? await openStores(dataDir, world, logger, guard.changed)
      : await openPostgres(config.databaseUrl, world, logger, guard.changed, team?.ownership ?? null);
  for (const problem of file.problems) logger.warn(problem);

  // People, projects and permissions
  const people = await People.open({ store: stores.people, world });
  const paths = new DiskRealPaths();
  const guarded = [dataDir.path];
  const placeSettings = new PlaceSettings({ path: dataDir.file("config.json"), env });
  // Each server of a team has a config.json of its own.
  const placesInUse = team === null ? [] : placesOfProjects(await stores.projects.list());
  const missingPlaces = placesWithoutSetting(placesInUse, placeSettings.configured());
  for (const problem of missingPlaces) logger.warn(problem);
  const otherMachines = new Places({
    configured: () => placeSettings.configured(),
    identity: team === null ? dataDir.placesIdentity() : identityOf(team, placesInUse),
    isShared: team !== null,
    env,
    release: VERSION,
    newId: world.newId,
    limits: config,
    workspace: file,
    flow: guard.flow,
    files: new FirstUse(() => new (LATER.fileSearch().FileSearch)({ world, onError })),
    // Cycle: agents and terminals run at places, are notified when one is cut off or changes, and use our tools from there.
    onCut: (place, reason) => pool.placeCut(place, reason),
    onTerminal: (terminal) => allTerminals.changed(terminal),
    onStanding: (name, standing) => publish({ type: "place:state", name, ...standing }),
    sessions: {
      at: async (place) => {
        const there = (await stores.projects.list()).filter(({ path }) => splitPlace(path)?.place === place);
        return (await Promise.all(there.map(({ id }) => stores.log.rows(id, true)))).flat();
      },
      cwdOf: (id) => sessions.cwdOf(SessionId.parse(id)),
    },
    confirm: async () => team?.ownership.confirm(),
    dialIn: {
      dir: dataDir.file(RUNNERS_DIR),
      setting: () => placeSettings.dialIn(),
      addresses: () => [...machineNames().addresses, ...machineNames().names],
      places: () => placeSettings.dialInNames(),
      limit: new BadTokenLimit(monotonicMs),
      nowMs: world.now,
      monotonicMs,
      newSecret,
      log: (text) => logger.info(text),
      onError: faultReporter(logger, "Unexpected fault where runners dial in"),
    },
    serveTools: (call) => sessionTools.serve(call),
    warn: (text) => logger.warn(text),
    onError: faultReporter(logger, "Unexpected fault at a place"),
  });
  const podOfArchived = async (id: SessionId) => {
    const row = await stores.log.row(id);
    if (row) podOfEnded(row);
  };
  const podOfEnded = ({ id, projectId }: { readonly id: SessionId; readonly projectId: ProjectId }) => {
    const path = projects.list().find((project) => project.id === projectId)?.path;
    if (path !== undefined) otherMachines.sessionEnded(path, id).catch(onError);
  };
  const refusesHere = team === null ? null : NOTHING_HERE;
  const projects = await ProjectService.open({
    world,
    store: stores.projects,
    home,
    places: otherMachines,
    refusesHere,
  });
  const projectTools = new ProjectTools({
    servers: (projectId) => {
      const path = projects.list().find(({ id }) => id === projectId)?.path ?? "";
      return toolServersAt(settings.file.mcpServers, path).map(shownToolServer);
    },
    choices: stores.toolChoices,
  });
  const hasOwnTools = (cliType: CliType) =>
    file.orchestration.offered &&
    !settings.file.agents.some((agent) => agent.id === cliType && agent.orchestration === false);
  const policy = new PolicyService({
    world,
    log: stores.log,
    projects: stores.projects,
    store: stores.policies,
    paths,
    startingMode: (cliType) => settings.file.permissions.get(cliType) ?? null,
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
  const builtin = builtinAgent({ config, dataDir, builtinEnv: file.builtinEnv });
  const builtinModel = new BuiltinModel({
    path: dataDir.file(MODEL_FILE),
    agent: () => ({ ...builtin, env: agentEnvironment(env, builtin.env) }),
    publish,
    // Cycle: agents are listed by their names, and the name of the built-in one follows its model.
    onChanged: () => publishAgents(),
  });
  const { catalog, registry, installed, which } = createCatalog({
    config,
    dataDir,
    world,
    settings: () => settings.file,
    model: () => builtinModel.name,
    logger,
  });
  const writers = new LocalSessionWriters({ catalog, world, env, owner });
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
  const sessionTools = new SessionTools({
    servers: () => settings.file.mcpServers,
    enabledIn: (projectId) => projectTools.enabledIn(projectId),
    isOffered: file.orchestration.offered,
    tokens,
    origin: listening.promise,
    dataDir: dataDir.path,
    places: otherMachines,
    env,
    // Cycle: as above.
    answer: (request, session) => orchestration.serve(request, { session, deviceId: null }),
    isReady: () => isReady,
    warn: (text) => logger.warn(text),
  });
  const publishAgents = () => publish({ type: "agent:list", agents: [...pool.list()] });
  const pool = new AgentPool({
    catalog,
    // A user on another machine would not see a browser opened on this one.
    inheritedEnv: { ...env, ...(!isLoopback(config.host) && { NO_BROWSER: "1" }) },
    owner,
    limits: file.pool,
    choices: stores.choices,
    chosen: await stores.choices.processes(),
    knownLimits: await stores.choices.limits(),
    tools: (session) => sessionTools.of(session),
    places: otherMachines,
    refusesHere,
    capabilitiesOf: (cliType) => ({ handback: writers.canHandBack(cliType) }),
    onListChanged: publishAgents,
    onLimits: (cliType, limits) => {
      publish({ type: "agent:limits", cliType, ...limits, windows: [...limits.windows] });
      stores.choices.rememberLimits(cliType, limits).catch(onError);
    },
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

  // Terminals of projects
  const terminals = new FirstUse(
    () =>
      new (LATER.terminals().HeldTerminals)({
        world,
        dir: dataDir.file("terminals"),
        holdMs: config.holdMs,
        holder: ownCommand("terminal-holder"),
        env: agentEnvironment(config.env),
        launch: launchHolder,
        onError: faultReporter(logger, "Unexpected fault in a terminal"),
      }),
  );
  if (dataDir.hasFiles("terminals")) await terminals.use().resume();
  const allTerminals = new TerminalsByPlace({ here: terminals, places: otherMachines });

  // Sessions, and the files they work on
  const localWorkdirs = new FirstUse(
    () =>
      new (LATER.workdirs().LocalWorkdirs)({
        world,
        root: dataDir.file("vaults"),
        own: [dataDir.path],
        isOn: file.checkpoints,
        editor: { command: file.editor, env: agentEnvironment(config.env) },
        vaultBytesMax: file.vaultBytesMax,
        env: agentEnvironment(config.env),
        onError: faultReporter(logger, "Unexpected fault in a checkpoint"),
      }),
  );
  const workdirs = new WorkdirsByPlace({
    here: localWorkdirs,
    at: (place) => otherMachines.workdirs(place),
    onError: faultReporter(logger, "Unexpected fault in the files of a place"),
  });
  const localWorktrees = new FirstUse(() => {
    const opened = new (LATER.worktrees().LocalWorktrees)({
      world,
      records: dataDir.file("worktrees"),
      root: file.worktreeRoot,
      dataDirectory: dataDir.path,
      workdirs: localWorkdirs.use(),
      env: agentEnvironment(config.env),
      onError: faultReporter(logger, "Unexpected fault in a worktree"),
    });
    opened.start();
    return opened;
  });
  const localMerging = new FirstUse(
    () => new (LATER.merging().LocalMerging)({ root: dataDir.file("merges"), env: agentEnvironment(config.env) }),
  );
  const localRadar = new FirstUse(
    () =>
      new (LATER.radar().LocalConflictRadar)({
        world,
        root: dataDir.file("radar"),
        listWorktrees: async (project) => (await localWorktrees.use().list(project)).filter(({ isOurs }) => isOurs),
        onError: faultReporter(logger, "Unexpected fault in the conflict radar"),
      }),
  );
  const onPlaceError = faultReporter(logger, "Unexpected fault in the worktrees of a place");
  const worktrees = new WorktreesByPlace({
    here: localWorktrees,
    at: async (place) =>
      otherMachines.hasPods(place) ? NO_WORKTREES : (await otherMachines.workspace(place)).worktrees,
    onError: onPlaceError,
  });
  const merging = new MergingByPlace({
    here: localMerging,
    at: async (place) => (await otherMachines.workspace(place)).merging,
    onError: onPlaceError,
  });
  const radar = new RadarByPlace({
    here: localRadar,
    at: async (place) => (otherMachines.hasPods(place) ? NO_RADAR : (await otherMachines.workspace(place)).radar),
    onError: onPlaceError,
  });
  const commandRecords = await CommandRecords.open({
    path: dataDir.file("project-commands.json"),
    world,
    warn: (text) => logger.warn(text),
  });
  const onCommandError = faultReporter(logger, "Unexpected fault in a command of liminal.json");
  const machine = new CommandsByPlace({
    here: new FirstUse(() => LOCAL_COMMAND_MACHINE),
    at: async (place) => (await otherMachines.workspace(place)).commands,
    onError: onCommandError,
  });
  const terminalsKnown = (place: string | null) => (place === null ? null : otherMachines.terminalsKnown(place));
  const services = new Services({
    world,
    records: commandRecords,
    terminals: allTerminals,
    machine,
    terminalsKnown,
    projects,
    findWorktree: (worktreeId) => worktrees.find(worktreeId),
    publish,
    onError: onCommandError,
  });
  projects.onRemove((projectId) => services.forget(projectId).catch(onCommandError));
  const commands = new LocalProjectCommands({
    records: commandRecords,
    services,
    terminals: allTerminals,
    machine,
    terminalsKnown,
    onError: onCommandError,
  });
  const turns = new TurnCounter(monotonicMs);
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
    histories: pool,
    writers,
    workdirs,
    worktrees,
    // Cycle: worktrees are known by the sessions in them.
    onWorktreeMade: (project, place) => places.made(project, place),
    directoryFor: (projectPath, sessionId) => otherMachines.directoryFor(projectPath, sessionId),
    policy,
    delegations,
    branches: stores.branches,
    stallMs: config.stallMs,
    limitsResume: file.limitsResume,
    runningMax: file.runningMax,
    placeOf: (projectId) => splitPlace(projects.list().find(({ id }) => id === projectId)?.path ?? "")?.place ?? "here",
    absence,
    isWatched: (sessionId) => hub.isWatched(sessionId),
    // Cycle: orchestration, schedules and notices use sessions, and follow their facts.
    onCommitted: (sessionId, facts) => {
      hub.committed(sessionId, facts);
      orchestration.committed(sessionId, facts);
      places.committed(sessionId, facts);
      schedules.committed(sessionId, facts);
      notices.committed(sessionId, facts);
      turns.committed(sessionId, facts);
      resumer.committed(sessionId, facts);
      if (facts.some(({ type }) => type === "session:archived")) podOfArchived(sessionId).catch(onError);
    },
    onCreated: (sessionId) => {
      orchestration.created(sessionId);
      places.created(sessionId);
    },
    onEnded: (sessionId) => orchestration.ended(sessionId),
    onDeleted: (row) => {
      places.deleted(row);
      schedules.deleted(row.id);
      podOfEnded(row);
    },
    publish,
    onError,
  });
  const placesOf = async (projectId: ProjectId) => {
    const project = projects.list().find(({ id }) => id === projectId);
    const listed = project ? await worktrees.list(project) : [];
    const found = await Promise.all(
      listed.filter(({ isOurs }) => isOurs).map(({ worktreeId }) => worktrees.find(worktreeId)),
    );
    return [
      ...(project ? [{ name: "the project's own directory", cwd: project.path }] : []),
      ...found.flatMap((place) => (place ? [{ name: `the worktree “${place.name}”`, cwd: place.cwd }] : [])),
    ];
  };
  const changes = new FileChanges({ workdirs, sessions, projects: stores.projects, placesOf, onError });
  const places = new WorktreeService({
    worktrees,
    merging,
    radar,
    commands,
    workdirs,
    sessions,
    projects: stores.projects,
    publish,
    onError,
  });
  const schedules = new ScheduleService({
    world,
    store: stores.schedules,
    sessions,
    log: stores.log,
    delegations,
    projects: stores.projects,
    isWritable: () => stores.storage.refusal() === null,
    publish,
    onRefused: (run) => notices.refused(run),
    onError: faultReporter(logger, "Unexpected fault in a schedule"),
  });
  const snippets = new SnippetService({
    world,
    store: stores.snippets,
    hasProject: (id) => projects.list().some((project) => project.id === id),
    once: (commandId, run) => sessions.once(commandId, run),
    publish,
  });
  const push = await WebPush.open({
    world,
    store: stores.push,
    keysPath: dataDir.file("push-keys.json"),
    // Cycle: a revoked device gets no more notices.
    isSignedIn: (id) => devices.isSignedIn(id),
    mayKnow: (id, projectId) => people.may(devices.personOf(id), "look", projectId),
  });
  const notices = new Notices({
    push,
    world,
    store: stores.notices,
    settings: new NoticeSettings(dataDir.file("config.json"), file.notify),
    sessions,
    projects: stores.projects,
    agentName: (cliType) => pool.find(cliType)?.name ?? cliType,
    // Cycle: a notice links to the page, whose port is known once the server listens.
    origin: () => otherOrigins(config, http.port)[0] ?? localOrigin(config, http.port),
    publish,
    onError: faultReporter(logger, "Unexpected fault in a notice"),
  });
  const resumer = new LimitResumer({
    world,
    sessions,
    armed: () => stores.log.resuming(),
    checkMs: config.limitCheckMs,
    followMs: LIMIT_FOLLOW_MS,
    onError,
  });
  const attempts = new FirstUse(
    () => new (LATER.attempts().Attempts)({ world, sessions, agents: pool, changes, places, onError }),
  );
  const orchestration = new Orchestration({
    version: VERSION,
    sessions,
    delegations,
    policy,
    projects,
    changes,
    worktrees: places,
    hub,
    rights: {
      isAlone: () => people.isAlone,
      may: (person, needs, projectId) => people.may(person, needs, projectId),
      within: (person) => people.within(person),
    },
    agents: () => pool.list(),
    hasCommandAt: (place, cliType) => otherMachines.command(place, cliType) !== null,
    newId: world.newId,
    now: world.now,
    silentWaitMs: file.orchestration.silentWaitMs,
    progressEveryMs: file.orchestration.progressEveryMs,
    programIdleMs: config.programIdleMs,
    onError,
  });
  if (dataDir.hasFiles("merges")) for (const stuck of await localMerging.use().settleCutOff()) logger.warn(stuck);
  if (dataDir.hasFiles("worktrees")) localWorktrees.use();
  // Before agents at places are looked for: those of machines that dial in are behind it.
  await otherMachines.listen();
  await takeOver({ owner, ledger, holders, places: otherMachines, pool, sessions, logger });

  // Terminal requests of clients
  const terminalRequests = new TerminalRequests({
    terminals: allTerminals,
    placeOf: {
      project: (projectId) => {
        const project = projects.list().find(({ id }) => id === projectId);
        return project ? { projectId, worktreeId: null, cwd: project.path } : null;
      },
      worktree: async (worktreeId) => {
        const place = await worktrees.find(worktreeId);
        return place && { projectId: place.projectId, worktreeId, cwd: place.cwd };
      },
      session: async (sessionId) => {
        const row = await stores.log.row(sessionId);
        const cwd = row && (await sessions.directoryOf(sessionId));
        return row && cwd ? { projectId: row.projectId, worktreeId: row.worktree?.worktreeId ?? null, cwd } : null;
      },
    },
    once: (commandId, act) => sessions.once(commandId, act),
    publish,
    onError,
  });

  // Other requests of clients besides sessions
  const { log, transfers } = stores;
  const imports = new FirstUse(
    () =>
      new (LATER.imports().ImportService)({
        world,
        store: transfers,
        projects: stores.projects,
        agents: pool,
        histories: pool,
        writers,
        policy,
        paths,
        publish,
        onError,
      }),
  );
  const fileImport = new FirstUse(
    () =>
      new (LATER.fileImport().FileImport)({
        world,
        log,
        store: transfers,
        projects: stores.projects,
        agents: pool,
        policy,
        publish,
      }),
  );
  const exports = new FirstUse(
    () =>
      new (LATER.exports().ExportService)({ world, log, store: transfers, projects: stores.projects, agents: pool }),
  );
  const marks = { [OWNER_VARIABLE]: owner, [RUN_VARIABLE]: epoch };
  const changeSettings = (message: AboutSettings) =>
    settings.answer(message, {
      catalog,
      pool,
      testAgent: LATER.agentTest().agentTester({
        host: unheldHost,
        env,
        marks,
        answerTimeoutMs: config.startTimeoutMs,
      }),
      toolEnv: async () => agentEnvironment(env, { PATH: joinPaths(env["PATH"], await loginPath(env)) }, marks),
      timeoutMs: config.startTimeoutMs,
      onChanged: publishAgents,
    });
  const options = new AgentOptions({ log, projects: stores.projects, sessions, choices: stores.choices });
  const signIn = new SignIn({ world, pool, sessions, hub, home, onError });
  const data = new DataMaintenance({ config, stores, sessions, projects, hub });
  const projectOfWorktree = async (worktreeId: WorktreeId) => {
    const at = placeOfWorktree(worktreeId);
    try {
      const found = await worktrees.find(worktreeId);
      if (found) return found.projectId;
      // One that was removed, or is damaged.
      for (const project of projects.list().filter(({ path }) => (splitPlace(path)?.place ?? null) === at))
        if ((await worktrees.list(project)).some((listed) => listed.worktreeId === worktreeId)) return project.id;
    } catch (error) {
      // Its place is away: nothing can be done with it now.
      if (!(error instanceof RefusalError)) throw error;
    }
    return null;
  };
  const gate = new Gate(people, {
    session: async (id) => (await stores.log.row(id))?.projectId ?? null,
    worktree: async (id) => {
      const { data: worktreeId } = WorktreeId.safeParse(id);
      return worktreeId === undefined ? null : projectOfWorktree(worktreeId);
    },
    terminal: (id) => allTerminals.list().find(({ terminalId }) => terminalId === id)?.projectId ?? null,
    schedule: async (id) => (await stores.schedules.list()).find((schedule) => schedule.id === id)?.projectId ?? null,
    snippet: async (id) => {
      const found = (await stores.snippets.list()).find((snippet) => snippet.id === id);
      return found ? found.projectId : null;
    },
    importRun: (id) => imports.built?.projectOf(id) ?? null,
    question: (elicitationId) =>
      sessions.askingSession({ type: "elicitation:respond", elicitationId, action: "cancel" }),
    atPlace: (name) => projects.list().flatMap(({ id, path }) => (splitPlace(path)?.place === name ? [id] : [])),
  });
  const presence = new Presence({
    named: (id) => people.named(id),
    onChanged: (sessionId, viewers) =>
      hub.notifyFollowers(sessionId, presence, { type: "session:presence", sessionId, people: [...viewers] }),
  });
  const devices = await Devices.open({
    store: stores.devices,
    token,
    world,
    newSecret,
    onUnstored: faultReporter(logger, "Could not store a device"),
  });
  const apiTokens = await ApiTokens.open({
    store: stores.apiTokens,
    token,
    world,
    newSecret,
    onUnstored: faultReporter(logger, "Could not store the use of a token"),
  });
  const hooks = await IncomingHooks.open({
    store: stores.hooks,
    token,
    world,
    newSecret,
    monotonicMs,
    onUnstored: faultReporter(logger, "Could not store the use of a hook"),
  });
  const pairing = new Pairing({
    world,
    monotonicMs,
    newSecret,
    isSignedIn: (id) => devices.isSignedIn(id),
    isActive: (id) => people.isActive(id),
  });
  const badTokens = new BadTokenLimit(monotonicMs);
  const service =
    file.service &&
    new SignInService({
      setting: file.service,
      token,
      people,
      now: world.now,
      monotonicMs,
      newSecret,
      warn: (text) => logger.warn(text),
    });

  // HTTP. The port is known only once the server listens.
  const { host } = config;
  const allowed = [...config.allowedHosts, ...(config.replicaHost === null ? [] : [config.replicaHost])];
  const isTls = certificate !== null;
  const names = isLoopback(host) ? [] : machineNames().names;
  const report = () =>
    statusReport({
      dataDir,
      world,
      pool,
      sessions,
      stores,
      checkpoints: localWorkdirs.built?.status ?? {
        isOn: file.checkpoints,
        vaults: null,
        bytes: null,
        lastError: null,
      },
      terminals: terminals.built?.status ?? { open: 0, running: 0 },
      logged: logger.counts,
      traffic: http.traffic,
      turns: turns.counts,
    });
  let isReady = true;
  await team?.beforeListen();
  const http = listen(config, dataDir, (wantedPort) => ({
    host,
    port: wantedPort,
    version: VERSION,
    tls: certificate && { cert: certificate.cert, key: certificate.key },
    access: (port) =>
      new AccessControl({
        token,
        commandToken,
        // Browsers send cookies to every port of a host: each server there has its own, and a team one for all of its.
        cookieName: `liminal-${team === null ? port : team.teamId}`,
        hosts: new OwnHosts({ host, port, isTls, names, allowed }),
        isTls,
        devices,
        apiTokens,
        people,
        pairing,
        service,
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
    push,
    connection: {
      feed: new Feed(hub, stores.log, onError),
      gate,
      presence,
      sessions,
      projects,
      tools: projectTools,
      imports,
      agents: agentDirectory({ pool, sessions, home, signIn, installs, questions, options, changeSettings }),
      files: otherMachines,
      changes,
      attempts,
      worktrees: places,
      places: { answer: (message) => placeSettings.answer(message, otherMachines) },
      terminals: terminalRequests,
      services,
      schedules,
      snippets,
      usage: new UsageReports({ world, store: stores.usage }),
      notices,
      builtinModel,
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
        startProblems: [...file.problems, ...stores.problems, ...missingPlaces],
      }),
      unwritable: () => stores.storage.refusal(),
      onShortLog: warnOfShortLogs(logger),
      onError,
    },
    status: report,
    metrics: async () =>
      metricsText(await report(), { shared: stores.shared?.() ?? null, places: otherMachines.counts() }),
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
    hooks,
    monotonicMs,
  }));
  const origin = localOrigin(config, http.port);
  listening.resolve(origin);
  orchestration.start();
  notices.start().catch(onError);
  resumer.start().catch(onError);
  schedules.start().catch(onError);
  lock.announce({ pid: process.pid, port: http.port, origin, startedAt: isoTime(world), version: VERSION });
  logAddresses(config, http.port, certificate, logger);

  const end = async (withAgents: boolean) => {
    isReady = false;
    // Requests of its clients are handled by the server that has taken over: they reconnect.
    if (stores.isLost()) await http.stop();
    stores.leave();
    schedules.stop();
    notices.stop();
    builtinModel.stop();
    sessions.stop();
    if (stores.isLost()) sessions.leave();
    // Their terminals end next, which must not start them again.
    services[Symbol.dispose]();
    commands[Symbol.dispose]();
    if (withAgents) {
      guard.letEnd();
      await Promise.all([pool.stop(), imports.built?.stop(), terminals.built?.stop(), otherMachines.stopTerminals()]);
    } else {
      pool.leave();
      terminals.built?.leave();
    }
    resumer.stop();
    await Promise.all([imports.built?.stop(), signIn.stop(), installs.stop(), orchestration.stop()]);
    await commandRecords.written();
    places.stop();
    await Promise.all([localWorktrees.built?.stop(), localRadar.built?.stop()]);
    await localWorkdirs.built?.stop();
    await Promise.all([lifeline.stop(), otherMachines.end()]);
    await http.stop();
    // Nothing more can come from agents or clients.
    if (!stores.isLost()) await warnOfUnstored(sessions, config.holdMs, logger);
    sessions.leave();
    await stores.close();
    dataDir.dropCommandToken();
    lock[Symbol.dispose]();
  };
  return {
    url: `${origin}/?token=${encodeURIComponent(token)}`,
    port: http.port,
    fingerprint: certificate?.fingerprint ?? null,
    dataDir: dataDir.path,
    holdsAgents,
    lost: stores.lost,
    stop: () => end(true),
    detach: () => end(false),
  };
}

function placesOfProjects(projects: readonly Project[]): readonly string[] {
  return [...new Set(projects.flatMap(({ path }) => splitPlace(path)?.place ?? []))];
}

function placesWithoutSetting(inUse: readonly string[], configured: readonly { readonly name: string }[]): string[] {
  return inUse
    .filter((name) => !configured.some((place) => place.name === name))
    .map(
      (name) =>
        `The place ${name} has projects, and is not in config.json of the server that works now. Copy "places" from another server of the team.`,
    );
}

/** All servers of a team are one to the runners of places: the active one increments the epoch. */
function identityOf({ ownership, teamId }: TeamSeat, places: readonly string[]) {
  // The data read so far is from before the take-over.
  const before = { server: teamId, epoch: ownership.epoch - 1, places };
  return { read: () => JSON.stringify(before), write: ignore("the database has it") };
}

/** Loaded only where it is used. */
async function openPostgres(...args: Parameters<typeof openPostgresStores>): ReturnType<typeof openPostgresStores> {
  const { openPostgresStores: open } = await import("../operations/open-postgres-stores.ts");
  return await open(...args);
}

type HttpOptions = ConstructorParameters<typeof HttpServer>[0];

/** Prefers the port of the last run where any free port is allowed, so that pages and agents find the server again. */
function listen(
  { port, freePort }: Pick<ServerConfig, "port" | "freePort">,
  dataDir: DataDir,
  options: (port: number) => HttpOptions,
): HttpServer {
  const first = port === 0 ? dataDir.lastPort() : freePort ? port : null;
  const http =
    (first !== null && unlessTaken(() => new HttpServer(options(first)))) ||
    new HttpServer(options(freePort ? 0 : port));
  dataDir.keepPort(http.port);
  return http;
}

/** Null: the port is taken. */
export function unlessTaken<Server>(start: () => Server): Server | null {
  try {
    return start();
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, "code") === "EADDRINUSE") return null;
    throw error;
  }
}
