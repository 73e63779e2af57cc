import type { AgentPool } from "../agents/pool/agent-pool.ts";
import type { Lifeline } from "../agents/process/lifeline.ts";
import type { ServerConfig } from "../operations/config.ts";
import type { openStores } from "../operations/open-stores.ts";
import type { Logger } from "../operations/server-log.ts";
import { type StorageGuard, warnOfUnstored } from "../operations/storage-guard.ts";
import type { SessionService } from "../sessions/session-service.ts";
import type { AgentInstalls } from "./agent-installs.ts";
import type { createTransfers } from "./create-transfers.ts";
import type { Orchestration } from "./orchestration.ts";
import type { SignIn } from "./sign-in.ts";

interface EndingParts {
  readonly config: ServerConfig;
  readonly logger: Logger;
  readonly guard: StorageGuard;
  readonly stores: ReturnType<typeof openStores>;
  readonly pool: AgentPool;
  readonly sessions: SessionService;
  readonly transfers: ReturnType<typeof createTransfers>;
  readonly signIn: SignIn;
  readonly installs: AgentInstalls;
  readonly orchestration: Orchestration;
  readonly lifeline: Lifeline;
}

/** The ways in which a server ends, with or without its agents, and what comes last in each. */
export function endings(parts: EndingParts) {
  const { config, logger, guard, stores, pool, sessions } = parts;
  const { transfers, signIn, installs, orchestration, lifeline } = parts;
  /** What cannot live without this server. */
  const stopOwn = async () => {
    await Promise.all([transfers.imports.stop(), signIn.stop(), installs.stop(), orchestration.stop()]);
    await lifeline.stop();
  };
  const stopAgents = async () => {
    guard.letEnd();
    await Promise.all([pool.stop(), transfers.imports.stop()]);
    await stopOwn();
  };
  /** When nothing more can come, from agents or from clients. */
  const close = () => {
    warnOfUnstored(sessions, config.holdMs, logger);
    stores.close();
  };
  return { stopOwn, stopAgents, close };
}
