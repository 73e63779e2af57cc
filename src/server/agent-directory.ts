import type { AgentPool } from "../agents/pool/agent-pool.ts";
import type { AgentDirectory } from "../bridge/agent-directory.ts";
import { REFUSE, type Refusal, RefusalError } from "../protocol/errors.ts";

/** The pool, as clients see it. */
export function agentDirectory(pool: AgentPool): AgentDirectory {
  return {
    list: () => pool.list(),
    reconnect: (cliType) => {
      const agent = pool.find(cliType);
      if (!agent) return { kind: "refused", refusal: REFUSE.agentUnknown(cliType) };
      const status = agent.status === "connected" ? "connected" : "reconnecting";
      const failed = pool.reconnect(cliType).then(() => null, asRefusal);
      return { kind: "started", message: { type: "agent:status", cliType, status }, failed };
    },
  };
}

function asRefusal(error: unknown): Refusal {
  if (error instanceof RefusalError) return error.refusal;
  throw error;
}
