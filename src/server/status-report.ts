import type { AgentPool } from "../agents/pool/agent-pool.ts";
import type { Traffic } from "../bridge/http-server.ts";
import type { LogLevel } from "../lib/server-log-place.ts";
import type { World } from "../ports/world.ts";
import { cliTypeOf } from "../protocol/ids.ts";
import { isTurnActive } from "../protocol/session-state.ts";
import type { SessionService } from "../sessions/session-service.ts";
import type { DataDir } from "./data-dir.ts";
import type { openStores } from "./open-stores.ts";
import { processMemoryBytes } from "./process-memory.ts";

interface StatusParts {
  readonly dataDir: DataDir;
  readonly world: World;
  readonly pool: AgentPool;
  readonly sessions: SessionService;
  readonly stores: ReturnType<typeof openStores>;
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
