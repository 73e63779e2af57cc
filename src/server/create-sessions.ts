import type { AgentPool } from "../agents/pool/agent-pool.ts";
import type { PolicyService } from "../sessions/policy/policy-service.ts";
import { SessionService } from "../sessions/session-service.ts";
import type { Foundation } from "./open-foundation.ts";
import type { Orchestration } from "./orchestration.ts";

interface SessionParts extends Pick<Foundation, "config" | "world" | "stores" | "absence" | "hub" | "onError"> {
  readonly pool: AgentPool;
  readonly policy: PolicyService;
  readonly orchestration: Orchestration;
}

/** The one door to every session. */
export function createSessions(parts: SessionParts): SessionService {
  const { config, world, stores, absence, hub, onError, pool, policy, orchestration } = parts;
  return new SessionService({
    world,
    log: stores.log,
    storage: stores.storage,
    search: stores.search,
    projects: stores.projects,
    choices: stores.choices,
    agents: pool,
    policy,
    delegations: orchestration.delegations,
    stallMs: config.stallMs,
    absence,
    ...orchestration.hears,
    isWatched: (sessionId) => hub.isWatched(sessionId),
    publish: (message) => hub.publish(message),
    onError,
  });
}
