import { AgentPool } from "../agents/pool/agent-pool.ts";
import { Lifeline } from "../agents/process/lifeline.ts";
import { LocalProcessHost } from "../agents/process/local-process-host.ts";
import type { ProcessLedger } from "../agents/process/process-ledger.ts";
import type { Hub } from "../fanout/hub.ts";
import type { AbsenceWatch } from "../lib/absence-watch.ts";
import type { FlowGate } from "../lib/flow-gate.ts";
import { isLoopback, type ServerConfig } from "../operations/config.ts";
import type { LoadedConfigFile } from "../operations/config-file.ts";
import { createCatalog } from "../operations/create-catalog.ts";
import type { DataDir } from "../operations/data-dir.ts";
import type { Logger } from "../operations/server-log.ts";
import { faultReporter } from "../operations/storage-guard.ts";
import { VERSION } from "../operations/version.ts";
import type { ProcessChoices } from "../ports/agent-choices.ts";
import type { World } from "../ports/world.ts";
import { AgentQuestions } from "../sessions/questions/agent-questions.ts";
import type { ProjectTools } from "../workspace/project-tools.ts";
import { AgentInstalls } from "./agent-installs.ts";
import { createHolders } from "./create-holders.ts";
import type { OwnTools } from "./own-tools.ts";

const EPOCH_CHARS = 8;

interface PoolParts {
  readonly config: ServerConfig;
  readonly dataDir: DataDir;
  readonly world: World;
  readonly owner: string;
  readonly ledger: ProcessLedger;
  readonly hub: Hub;
  readonly flow: FlowGate;
  readonly absence: AbsenceWatch;
  readonly logger: Logger;
  readonly file: LoadedConfigFile;
  readonly stores: { readonly choices: ProcessChoices };
  readonly ownTools: OwnTools;
  readonly tools: ProjectTools;
}

/** The agents this machine has, ready to be started when a session needs one. */
export function createPool(parts: PoolParts) {
  const { config, dataDir, world, owner, ledger, hub, flow, absence, logger, file, stores, ownTools, tools } = parts;
  const { env } = config;
  const onError = faultReporter(logger, "Unexpected fault in an agent");
  const epoch = world.newId().slice(0, EPOCH_CHARS);
  const lifeline = new Lifeline(epoch, env);
  const host = new LocalProcessHost(lifeline, ledger, onError);
  const { holders, holdsAgents } = createHolders({ config, dataDir, lifeline, flow, logger, onError });
  const known = createCatalog({
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
    onAsked: (question) => hub.publish({ type: "elicitation:request", ...question }),
    onResolved: (elicitationId, action) => hub.publish({ type: "elicitation:resolved", elicitationId, action }),
  });
  const pool: AgentPool = new AgentPool({
    catalog: known.catalog,
    // Someone on another machine looks at our page: a browser opened here would be seen by nobody.
    inheritedEnv: { ...env, ...(!isLoopback(config.host) && { NO_BROWSER: "1" }) },
    owner,
    limits: file.pool,
    choices: stores.choices,
    tools: async ({ sessionId, projectId }) => {
      const enabled = tools.enabledIn(projectId);
      const mcpServers = file.mcpServers.filter(({ name }) => enabled.has(name));
      return { mcpServers, ownTools: await ownTools.offer(sessionId) };
    },
    onListChanged: () => hub.publish({ type: "agent:list", agents: [...pool.list()] }),
    world,
    host: holdsAgents && holders ? holders : new LocalProcessHost(lifeline, ledger, onError, flow),
    isHeld: holdsAgents,
    readerHost: host,
    cwd: config.home,
    guarded: [dataDir.path],
    epoch,
    clientVersion: VERSION,
    startTimeoutMs: config.startTimeoutMs,
    desk: questions,
    onStatus: ({ cliType, sessionId, status, message, nextTryAt }) =>
      hub.publish({
        type: "agent:status",
        cliType,
        status,
        ...(sessionId !== undefined && { sessionId }),
        ...(message !== undefined && { message }),
        ...(nextTryAt !== undefined && { nextTryAt }),
      }),
    log: logger,
    onError,
  });
  const installs = new AgentInstalls({ ...known, config, world, owner, epoch, host, pool, hub, onError });
  return { pool, holders, holdsAgents, lifeline, installs, questions };
}
