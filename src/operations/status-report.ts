import { readFileSync } from "node:fs";
import type { AgentPool, PoolProcess } from "../agents/pool/agent-pool.ts";
import type { Traffic } from "../bridge/http-server.ts";
import { asPlainJson } from "../lib/harmless-text.ts";
import type { LogLevel } from "../lib/server-log-place.ts";
import type { World } from "../ports/world.ts";
import { cliTypeOf, SessionId } from "../protocol/ids.ts";
import { splitPlace } from "../protocol/place-path.ts";
import { isTurnActive } from "../protocol/session-schema.ts";
import type { SessionService } from "../sessions/session-service.ts";
import type { CheckpointStatus } from "../workspace/workdirs.ts";
import type { DataDir } from "./data-dir.ts";
import type { ServerStores, SharedDatabaseFigures } from "./open-stores.ts";
import type { TurnCounts } from "./turn-counter.ts";
import { VERSION } from "./version.ts";

interface StatusParts {
  readonly dataDir: DataDir;
  readonly world: World;
  readonly pool: AgentPool;
  readonly sessions: SessionService;
  readonly stores: ServerStores;
  readonly checkpoints: CheckpointStatus;
  /** Of projects and their worktrees. */
  readonly terminals: { readonly open: number; readonly running: number };
  /** Lines of each level since the start. */
  readonly logged: Readonly<Record<LogLevel, number>>;
  readonly traffic: Traffic;
  readonly turns: TurnCounts;
}

/** The content of `/api/status`: every agent with its process, every session in memory with its turn. */
export async function statusReport({
  dataDir,
  world,
  pool,
  sessions,
  stores,
  checkpoints,
  terminals,
  logged,
  traffic,
  turns,
}: StatusParts) {
  const loaded = sessions.loaded();
  const busy = new Set(loaded.filter(({ state }) => isTurnActive(state.turn)).map(({ id }) => cliTypeOf(id)));
  const processes = pool.processes();
  // A process at a place has a pid of that machine.
  const elsewhere = new Set(loaded.filter(({ binding }) => splitPlace(binding.cwd) !== null).map(({ id }) => id));
  const measured = memoized(processMemoryBytes);
  const memoryOf = ({ pid, sessionId }: PoolProcess) =>
    sessionId !== null && elsewhere.has(sessionId) ? null : measured(pid);
  const [search, stored] = await Promise.all([stores.backlog.progress(), stores.care.totals()]);
  return {
    agents: pool.list().map(({ id, status }) => {
      const running = processes.find((process) => process.id === id);
      return {
        id,
        status,
        busy: busy.has(id),
        pid: running?.pid ?? null,
        memoryBytes: running ? memoryOf(running) : null,
        uptimeMs: running ? world.now() - running.startedAt : null,
        restarts: running?.restarts ?? 0,
      };
    }),
    sessions: loaded.map(({ id, state, isAttached, binding: { state: agentState } }) => {
      const own = processes.find((process) => process.sessionId === id);
      const shared = processes.find((process) => process.sessionId === null && process.id === cliTypeOf(id));
      const process = own ?? (isAttached ? shared : undefined);
      const { turn } = state;
      return { id, turn: turn.state, agentState, ...(process && { pid: process.pid, memoryBytes: memoryOf(process) }) };
    }),
    data: { path: dataDir.path, databaseBytes: dataDir.databaseBytes() },
    storage: stores.storage.state,
    checkpoints,
    terminals,
    counters: {
      sessionsStored: stored.sessions,
      factsStored: stored.facts,
      agentRestarts: processes.reduce((sum, { restarts }) => sum + restarts, 0),
      ...traffic,
      errorsLogged: logged.error,
      warningsLogged: logged.warn,
      sessionsLoaded: loaded.length,
      agentProcesses: processes.length,
      tokensUsed: stored.tokens,
      costUsd: stored.costUsd,
      turnsRunning: loaded.filter(({ state }) => state.turn.state === "running").length,
      turnsWaiting: loaded.filter(({ state }) => state.turn.state === "waiting").length,
      turnsStalled: loaded.filter(({ state }) => state.turn.state === "stalled").length,
      requestsWaiting: loaded.reduce((sum, { state }) => sum + state.pending.length, 0),
      messagesQueued: loaded.reduce((sum, { state }) => sum + state.queue.length, 0),
      ...turns,
      searchTextsIndexed: search.textsIndexed,
      searchEntriesLeft: search.entriesLeft,
    },
  };
}

/** Many sessions share a process, which is measured once. */
function memoized<Answer>(measure: (pid: number) => Answer): (pid: number) => Answer {
  const known = new Map<number, { readonly answer: Answer }>();
  return (pid) => {
    const { answer } = known.get(pid) ?? { answer: measure(pid) };
    known.set(pid, { answer });
    return answer;
  };
}

type Report = Awaited<ReturnType<typeof statusReport>>;

interface MetricParts {
  readonly shared: SharedDatabaseFigures | null;
  readonly places: { readonly used: number; readonly unreachable: number };
}

type Metric = readonly [name: string, type: "gauge" | "counter", help: string, value: number];

/**
 * The content of `/api/metrics`, in the Prometheus text format (0.0.4). No labels, so that nothing grows without
 * bounds.
 */
export function metricsText(
  { agents, counters, data, storage, checkpoints, terminals }: Report,
  { shared, places }: MetricParts,
): string {
  const connected = agents.filter(({ status }) => status === "connected").length;
  const metrics: readonly Metric[] = [
    ["liminal_sessions_stored", "gauge", "Stored sessions.", counters.sessionsStored],
    ["liminal_sessions_loaded", "gauge", "Sessions in memory.", counters.sessionsLoaded],
    ["liminal_facts_stored", "gauge", "Facts stored over the lifetime of all current sessions.", counters.factsStored],
    ["liminal_agents_connected", "gauge", "Connected agents.", connected],
    ["liminal_agent_processes", "gauge", "Running agent processes.", counters.agentProcesses],
    ["liminal_agent_restarts", "gauge", "Restarts of the running agent processes.", counters.agentRestarts],
    [
      "liminal_agents_memory_bytes",
      "gauge",
      "Resident memory of the agents' processes.",
      agents.reduce((sum, { memoryBytes }) => sum + (memoryBytes ?? 0), 0),
    ],
    ["liminal_turns_running", "gauge", "Turns that run.", counters.turnsRunning],
    ["liminal_turns_waiting", "gauge", "Turns that wait for the user.", counters.turnsWaiting],
    ["liminal_turns_stalled", "gauge", "Turns without output for too long.", counters.turnsStalled],
    ["liminal_requests_waiting", "gauge", "Open permissions and questions.", counters.requestsWaiting],
    ["liminal_messages_queued", "gauge", "Messages that wait for a turn.", counters.messagesQueued],
    ["liminal_turns_started_total", "counter", "Turns started since start.", counters.turnsStarted],
    ["liminal_turns_done_total", "counter", "Turns that ended by themselves since start.", counters.turnsDone],
    [
      "liminal_turns_failed_total",
      "counter",
      "Turns that failed or were interrupted since start.",
      counters.turnsFailed,
    ],
    ["liminal_turns_cancelled_total", "counter", "Turns that were cancelled since start.", counters.turnsCancelled],
    ["liminal_waits_total", "counter", "Times a turn waited for the user since start.", counters.waits],
    [
      "liminal_wait_seconds_total",
      "counter",
      "Time that turns have waited for the user since start.",
      counters.waitSeconds,
    ],
    ["liminal_tokens_used", "gauge", "Tokens used by all stored sessions.", counters.tokensUsed],
    [
      "liminal_cost_usd",
      "gauge",
      "Cost of all stored sessions, as far as agents report it in US dollars.",
      counters.costUsd,
    ],
    ["liminal_terminals_running", "gauge", "Terminals of projects whose program runs.", terminals.running],
    ["liminal_sockets_open", "gauge", "Connected clients.", counters.socketsOpen],
    ["liminal_sockets_opened_total", "counter", "Client connections since start.", counters.socketsOpened],
    ["liminal_sockets_slow_total", "counter", "Times a client's send buffer was full.", counters.socketsSlow],
    [
      "liminal_sockets_dropped_total",
      "counter",
      "Clients disconnected for reading too slowly.",
      counters.socketsDropped,
    ],
    ["liminal_errors_logged_total", "counter", "Errors in the log.", counters.errorsLogged],
    ["liminal_warnings_logged_total", "counter", "Warnings in the log.", counters.warningsLogged],
    ["liminal_database_size_bytes", "gauge", "Size of the database on disk.", data.databaseBytes],
    ...vaultMetrics(checkpoints),
    ["liminal_search_entries_left", "gauge", "Entries not indexed for search yet.", counters.searchEntriesLeft],
    ["liminal_storage_writable", "gauge", "1 if the database is writable, else 0.", storage.writable ? 1 : 0],
    ["liminal_places", "gauge", "Places for agents on other machines that are in use.", places.used],
    ["liminal_places_unreachable", "gauge", "Places in use whose connection is down.", places.unreachable],
    ...sharedMetrics(shared),
  ];
  return metrics
    .map(([name, type, help, value]) => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${value}`)
    .join("\n");
}

/** Nothing with a database that is this server's own. */
function sharedMetrics(shared: SharedDatabaseFigures | null): readonly Metric[] {
  if (shared === null) return [];
  const { commits, statements, waitedMs, fenced, missedBeats, epoch } = shared;
  return [
    ["liminal_commits_total", "counter", "Commits of sessions since start.", commits],
    [
      "liminal_commit_statements_total",
      "counter",
      "Statements that carried them; each takes all that wait.",
      statements,
    ],
    ["liminal_commit_seconds_total", "counter", "Time from the wish to commit to the answer.", waitedMs / 1000],
    ["liminal_commits_fenced_total", "counter", "Commits refused, since another server took over.", fenced],
    ["liminal_beats_missed_total", "counter", "Signs of life that the database did not take.", missedBeats],
    ["liminal_epoch", "gauge", "How often a server has taken over the database.", epoch],
  ];
}

/** Nothing until they were measured. */
function vaultMetrics({ vaults, bytes }: CheckpointStatus): readonly Metric[] {
  if (vaults === null || bytes === null) return [];
  return [
    ["liminal_vaults", "gauge", "Directories with checkpoints.", vaults],
    ["liminal_vaults_size_bytes", "gauge", "Size of all checkpoints on disk.", bytes],
  ];
}

/** Resident memory of a process, or null if the system does not report it. */
export function processMemoryBytes(pid: number): number | null {
  if (process.platform !== "linux") return null;
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
  } catch (error) {
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}

/** A session's wire trace for people and bug reports: a heading line, then one JSON object per message. */
export async function traceReport(id: string, pool: AgentPool, sessions: SessionService): Promise<string | null> {
  const sessionId = SessionId.safeParse(id);
  if (!sessionId.success || !(await sessions.exists(sessionId.data))) return null;
  const cliType = cliTypeOf(sessionId.data);
  const heading = { liminalBuilder: VERSION, sessionId: sessionId.data, cliType };
  const lines = pool
    .trace(cliType, sessionId.data)
    .map(({ at, ...line }) => ({ at: new Date(at).toISOString(), ...line }));
  return [heading, ...lines].map((line) => asPlainJson(JSON.stringify(line))).join("\n");
}
