import type { AgentPool } from "../agents/pool/agent-pool.ts";
import type { AgentDirectory } from "../bridge/agent-directory.ts";
import { REFUSE, type Refusal, RefusalError } from "../protocol/errors.ts";
import type { SessionService } from "../sessions/session-service.ts";

/** The pool, as clients see it. */
export function agentDirectory(pool: AgentPool, sessions: SessionService, home: string): AgentDirectory {
  return {
    list: () => pool.list(),
    reconnect: ({ cliType, sessionId = null, restart = false }) => {
      const agent = pool.find(cliType);
      if (!agent) return { kind: "refused", refusal: REFUSE.agentUnknown(cliType) };
      const cwd = (sessionId && sessions.cwdOf(sessionId)) ?? home;
      const status = agent.status === "connected" && !restart ? "connected" : "reconnecting";
      const failed = pool.reconnect(cliType, sessionId, cwd, restart).then(() => null, asRefusal);
      return { kind: "started", message: { type: "agent:status", cliType, status }, failed };
    },
  };
}

function asRefusal(error: unknown): Refusal {
  if (error instanceof RefusalError) return error.refusal;
  throw error;
}
