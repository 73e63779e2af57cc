import { isSameSecret } from "../access/secrets.ts";
import type { McpDoor } from "../bridge/http-server.ts";
import type { Hub } from "../fanout/hub.ts";
import { ignore } from "../lib/ignore.ts";
import type { ServerConfig } from "../operations/config.ts";
import type { OrchestrationConfig } from "../operations/config-file.ts";
import type { DataDir } from "../operations/data-dir.ts";
import { VERSION } from "../operations/version.ts";
import { AgentAnnouncer } from "../orchestration/announce-agents.ts";
import { BudgetWatch } from "../orchestration/budget-watch.ts";
import type { OrchestrationParts } from "../orchestration/children.ts";
import { IdlePrograms } from "../orchestration/idle-programs.ts";
import { SessionTokens } from "../orchestration/session-tokens.ts";
import { ParentWaker } from "../orchestration/wake-parents.ts";
import type { DelegationStore } from "../ports/delegation-store.ts";
import type { World } from "../ports/world.ts";
import type { Fact } from "../protocol/facts.ts";
import type { SessionId } from "../protocol/ids.ts";
import { Delegations } from "../sessions/delegation/delegations.ts";
import { OwnTools } from "./own-tools.ts";

const READY_MS_MAX = 5_000;
const NOT_READY = "Agent MCP failed to initialize";
const JSON_RPC_SERVER_ERROR = -32_000;

interface OrchestrationOptions {
  readonly settings: OrchestrationConfig;
  readonly stores: { readonly delegations: DelegationStore };
  readonly config: Pick<ServerConfig, "programIdleMs">;
  readonly dataDir: DataDir;
  /** The app's own token. */
  readonly token: string;
  readonly hub: Hub;
  readonly world: World;
  readonly onError: (error: unknown) => void;
}

type Endpoint = ReturnType<typeof import("../orchestration/mcp-endpoint.ts")["mcpEndpoint"]>;
type Joined = Pick<OrchestrationParts, "sessions" | "policy" | "projects" | "agents">;

/** Agents that run agents: the tools, who may use them, and what clients hear of it. */
export class Orchestration {
  readonly delegations: Delegations;
  readonly ownTools: OwnTools;
  readonly #options: OrchestrationOptions;
  readonly #stopping = new AbortController();
  readonly #tokens: SessionTokens;
  #announcer: AgentAnnouncer | null = null;
  #waker: ParentWaker | null = null;
  #budgets: BudgetWatch | null = null;
  #programs: IdlePrograms | null = null;
  #parts: OrchestrationParts | null = null;
  /** Loaded when first used: most sessions need no other agents, and the protocol's library is large. */
  #endpoint: Promise<Endpoint> | null = null;

  constructor(options: OrchestrationOptions) {
    const { settings, stores, dataDir, token } = options;
    this.#options = options;
    this.delegations = new Delegations({ ...settings, store: stores.delegations });
    this.#tokens = new SessionTokens({
      ...{ secret: token, isSameSecret },
      isAlive: (sessionId) => this.#isAlive(sessionId),
    });
    this.ownTools = new OwnTools({ offered: settings.offered, dataDir: dataDir.path, tokens: this.#tokens });
  }

  /** What sessions tell, to clients and to us. */
  readonly hears = {
    onCommitted: (sessionId: SessionId, facts: readonly Fact[]): void => {
      this.#options.hub.committed(sessionId, facts);
      this.#announcer?.committed(sessionId, facts);
      this.#budgets?.committed(sessionId, facts);
    },
    onEnded: (sessionId: SessionId): void => this.#announcer?.ended(sessionId),
  };

  /** Before anything happens in a session. */
  join(joined: Joined): void {
    const { hub, world, onError, config, settings } = this.#options;
    const { silentWaitMs, progressEveryMs } = settings;
    const [delegations, stopping] = [this.delegations, this.#stopping.signal];
    this.#parts = {
      ...joined,
      hub,
      newId: world.newId,
      onError,
      delegations,
      silentWaitMs,
      progressEveryMs,
      stopping,
    };
    this.#announcer = new AgentAnnouncer(this.#parts);
    this.#waker = new ParentWaker(this.#parts);
    this.#budgets = new BudgetWatch({ ...this.#parts, now: () => world.now() });
    this.#programs = new IdlePrograms({ ...this.#parts, now: () => world.now(), idleMsMax: config.programIdleMs });
  }

  /** From now on agents find us here. */
  start(origin: string): void {
    this.ownTools.listensOn(origin);
    this.#waker?.start();
    this.#programs?.start();
  }

  readonly door: McpDoor = {
    sessionOf: (token) => this.#tokens.sessionOf(token),
    serve: async (request, visitor) => {
      const endpoint = await this.#ready();
      return endpoint ? endpoint.serve(request, visitor) : notReady();
    },
  };

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#budgets?.stop();
    this.#programs?.stop();
    // One that could not be loaded has told so already, and has nothing to close.
    const endpoint = await this.#endpoint?.catch(ignore("whoever asked for the tools has heard of it"));
    await endpoint?.close();
  }

  async #ready(): Promise<Endpoint | null> {
    try {
      this.#endpoint ??= this.#load();
      return await inTime(this.#endpoint, READY_MS_MAX);
    } catch (error) {
      this.#options.onError(error);
      return null;
    }
  }

  /** One that fails is tried again with the next call; one that is slow goes on, and the next call finds it. */
  #load(): Promise<Endpoint> {
    const loading = this.#open();
    loading.catch(() => {
      this.#endpoint = null;
    });
    return loading;
  }

  async #open(): Promise<Endpoint> {
    const { mcpEndpoint } = await import("../orchestration/mcp-endpoint.ts");
    if (!this.#parts) throw new Error("asked for tools before there are sessions");
    return mcpEndpoint({
      parts: this.#parts,
      version: VERSION,
      onProgram: (program) => this.#programs?.called(program),
    });
  }

  #isAlive(sessionId: SessionId): boolean {
    const { sessions } = this.#parts ?? {};
    const view = sessions?.view(sessionId);
    if (view == null) return sessions?.isMaking(sessionId) ?? false;
    return !view.row.archived && view.binding.state !== "closed";
  }
}

async function inTime<Value>(work: Promise<Value>, ms: number): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`${NOT_READY} within ${ms} ms`)), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function notReady(): Response {
  const message = `${NOT_READY}. Try again; the server's log says why.`;
  const error = { code: JSON_RPC_SERVER_ERROR, message };
  return Response.json({ jsonrpc: "2.0", id: null, error }, { status: 503 });
}
