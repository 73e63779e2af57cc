import type { AgentPool } from "../agents/pool/agent-pool.ts";
import type { World } from "../ports/world.ts";
import { cliTypeOf } from "../protocol/ids.ts";
import { isTurnActive } from "../protocol/session-state.ts";
import type { SessionService } from "../sessions/session-service.ts";
import type { SearchBacklog } from "../store/search/search-backlog.ts";
import { processMemoryBytes } from "./process-memory.ts";

interface StatusParts {
  readonly world: World;
  readonly pool: AgentPool;
  readonly sessions: SessionService;
  readonly backlog: SearchBacklog;
}

/** What `/api/status` tells: every agent with its process, every session in memory with its turn. */
export function statusReport({ world, pool, sessions, backlog }: StatusParts) {
  const loaded = sessions.loaded();
  const busy = new Set(loaded.filter(({ turn }) => isTurnActive(turn)).map(({ id }) => cliTypeOf(id)));
  const processes = pool.processes();
  const search = backlog.progress;
  return {
    agents: pool.list().map(({ id, status }) => {
      const running = processes.find((process) => process.id === id);
      return {
        id,
        status,
        busy: busy.has(id),
        pid: running?.pid ?? null,
        memoryBytes: running ? processMemoryBytes(running.pid) : null,
        uptimeMs: running ? world.now() - running.startedAt : null,
        restarts: running?.restarts ?? 0,
      };
    }),
    sessions: loaded.map(({ id, turn, agentState }) => {
      const own = processes.find((process) => process.sessionId === id);
      const serving = own ?? processes.find((process) => process.sessionId === null && process.id === cliTypeOf(id));
      const pid = agentState === "active" ? serving?.pid : undefined;
      return { id, turn: turn.state, agentState, ...(pid !== undefined && { pid }) };
    }),
    counters: {
      sessionsLoaded: loaded.length,
      agentProcesses: processes.length,
      searchTextsIndexed: search.textsIndexed,
      searchEntriesLeft: search.entriesLeft,
    },
  };
}
