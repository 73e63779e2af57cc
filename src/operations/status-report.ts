import { readFileSync } from "node:fs";
import type { AgentPool } from "../agents/pool/agent-pool.ts";
import type { Traffic } from "../bridge/http-server.ts";
import { asPlainJson } from "../lib/harmless-text.ts";
import type { LogLevel } from "../lib/server-log-place.ts";
import type { World } from "../ports/world.ts";
import { cliTypeOf, SessionId } from "../protocol/ids.ts";
import { isTurnActive } from "../protocol/session-schema.ts";
import type { SessionService } from "../sessions/session-service.ts";
import type { DataDir } from "./data-dir.ts";
import type { openStores } from "./open-stores.ts";
import { VERSION } from "./version.ts";

interface StatusParts {
  readonly dataDir: DataDir;
  readonly world: World;
  readonly pool: AgentPool;
  readonly sessions: SessionService;
  readonly stores: Awaited<ReturnType<typeof openStores>>;
  /** Lines of each level since the start. */
  readonly logged: Readonly<Record<LogLevel, number>>;
  readonly traffic: Traffic;
}

/** What `/api/status` tells: every agent with its process, every session in memory with its turn. */
export function statusReport({ dataDir, world, pool, sessions, stores, logged, traffic }: StatusParts) {
  const loaded = sessions.loaded();
  const busy = new Set(loaded.filter(({ state }) => isTurnActive(state.turn)).map(({ id }) => cliTypeOf(id)));
  const processes = pool.processes();
  const memoryOf = memoized(processMemoryBytes);
  const search = stores.backlog.progress;
  const stored = stores.care.totals();
  return {
    agents: pool.list().map(({ id, status }) => {
      const running = processes.find((process) => process.id === id);
      return {
        id,
        status,
        busy: busy.has(id),
        pid: running?.pid ?? null,
        memoryBytes: running ? memoryOf(running.pid) : null,
        uptimeMs: running ? world.now() - running.startedAt : null,
        restarts: running?.restarts ?? 0,
      };
    }),
    sessions: loaded.map(({ id, state, isAttached, binding: { state: agentState } }) => {
      const own = processes.find((process) => process.sessionId === id);
      const shared = processes.find((process) => process.sessionId === null && process.id === cliTypeOf(id));
      const pid = own?.pid ?? (isAttached ? shared?.pid : undefined);
      return { id, turn: state.turn.state, agentState, ...(pid !== undefined && { pid, memoryBytes: memoryOf(pid) }) };
    }),
    data: { path: dataDir.path, databaseBytes: dataDir.databaseBytes() },
    storage: stores.storage.state,
    counters: {
      sessionsStored: stored.sessions,
      factsStored: stored.facts,
      agentRestarts: processes.reduce((sum, { restarts }) => sum + restarts, 0),
      ...traffic,
      errorsLogged: logged.error,
      warningsLogged: logged.warn,
      sessionsLoaded: loaded.length,
      agentProcesses: processes.length,
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

type Report = ReturnType<typeof statusReport>;
type Metric = readonly [name: string, type: "gauge" | "counter", help: string, value: number];

/** What `/api/metrics` tells, in the text format of Prometheus (0.0.4). No labels: nothing here grows without bounds. */
export function metricsText({ agents, counters, data, storage }: Report): string {
  const connected = agents.filter(({ status }) => status === "connected").length;
  const metrics: readonly Metric[] = [
    ["liminal_sessions_stored", "gauge", "Stored sessions.", counters.sessionsStored],
    ["liminal_sessions_loaded", "gauge", "Sessions in memory.", counters.sessionsLoaded],
    ["liminal_facts_stored", "gauge", "Facts stored over the lifetime of all current sessions.", counters.factsStored],
    ["liminal_agents_connected", "gauge", "Connected agents.", connected],
    ["liminal_agent_processes", "gauge", "Running agent processes.", counters.agentProcesses],
    ["liminal_agent_restarts", "gauge", "Restarts of the running agent processes.", counters.agentRestarts],
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
    ["liminal_search_entries_left", "gauge", "Entries not indexed for search yet.", counters.searchEntriesLeft],
    ["liminal_storage_writable", "gauge", "1 if the database is writable, else 0.", storage.writable ? 1 : 0],
  ];
  return metrics
    .map(([name, type, help, value]) => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${value}`)
    .join("\n");
}

/** Resident memory of a process, or null where the system does not tell. */
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
