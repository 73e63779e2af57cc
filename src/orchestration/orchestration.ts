import { ignore } from "../lib/ignore.ts";
import type { Fact } from "../protocol/facts.ts";
import type { SessionId } from "../protocol/ids.ts";
import { AgentAnnouncer } from "./announce-agents.ts";
import { BudgetWatch } from "./budget-watch.ts";
import type { OrchestrationParts } from "./children.ts";
import { IdlePrograms } from "./idle-programs.ts";
import { ParentWaker } from "./wake-parents.ts";

const READY_MS_MAX = 5_000;
const NOT_READY = "Agent MCP failed to initialize";
const JSON_RPC_SERVER_ERROR = -32_000;

interface OrchestrationOptions extends Omit<OrchestrationParts, "stopping"> {
  readonly version: string;
  /** In ms since 1970. */
  readonly now: () => number;
  /** A program that has not called for this long has its idle agents archived; 0 keeps them. */
  readonly programIdleMs: number;
}

type Endpoint = ReturnType<typeof import("./mcp-endpoint.ts")["mcpEndpoint"]>;
type Visitor = Parameters<Endpoint["serve"]>[1];

/** Agents that run agents: serves the tools, reports children to clients, wakes parents and enforces budgets. */
export class Orchestration {
  readonly #parts: OrchestrationParts;
  readonly #version: string;
  readonly #stopping = new AbortController();
  readonly #announcer: AgentAnnouncer;
  readonly #waker: ParentWaker;
  readonly #budgets: BudgetWatch;
  readonly #programs: IdlePrograms;
  /** Loaded on first use: most servers never need it, and the MCP library is large. */
  #endpoint: Promise<Endpoint> | null = null;

  constructor({ version, now, programIdleMs, ...services }: OrchestrationOptions) {
    this.#version = version;
    this.#parts = { ...services, stopping: this.#stopping.signal };
    this.#announcer = new AgentAnnouncer(this.#parts);
    this.#waker = new ParentWaker(this.#parts);
    this.#budgets = new BudgetWatch({ ...this.#parts, now });
    this.#programs = new IdlePrograms({ ...this.#parts, now, idleMsMax: programIdleMs });
  }

  /** Must be called with all stored facts, in order. */
  committed(sessionId: SessionId, facts: readonly Fact[]): void {
    this.#announcer.committed(sessionId, facts);
    this.#waker.committed(sessionId, facts);
    this.#budgets.committed(sessionId, facts);
  }

  /** A session was created. */
  created(sessionId: SessionId): void {
    this.#announcer.created(sessionId);
  }

  /** A session was killed or archived. */
  ended(sessionId: SessionId): void {
    this.#announcer.ended(sessionId);
  }

  /** Whether tokens of the session are accepted. */
  async isAlive(sessionId: SessionId): Promise<boolean> {
    const { sessions } = this.#parts;
    const view = await sessions.view(sessionId);
    if (view === null) return sessions.isMaking(sessionId);
    return !view.row.archived && view.binding.state !== "closed";
  }

  /** Resumes waits of the last run. Agents can reach the tools from now on. */
  start(): void {
    this.#waker.start().catch(this.#parts.onError);
    this.#programs.start();
  }

  /** Answers an MCP request. */
  async serve(request: Request, visitor: Visitor): Promise<Response> {
    const endpoint = await this.#ready();
    return endpoint ? endpoint.serve(request, visitor) : notReady();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#budgets.stop();
    this.#programs.stop();
    // A failed load was already reported, and has nothing to close.
    const endpoint = await this.#endpoint?.catch(ignore("the failure was reported to the caller"));
    await endpoint?.close();
  }

  async #ready(): Promise<Endpoint | null> {
    try {
      this.#endpoint ??= this.#load();
      return await inTime(this.#endpoint, READY_MS_MAX);
    } catch (error) {
      this.#parts.onError(error);
      return null;
    }
  }

  /** A failed load is retried by the next call. A slow one continues, and the next call uses it. */
  #load(): Promise<Endpoint> {
    const loading = this.#open();
    loading.catch(() => {
      this.#endpoint = null;
    });
    return loading;
  }

  async #open(): Promise<Endpoint> {
    const { mcpEndpoint } = await import("./mcp-endpoint.ts");
    return mcpEndpoint({
      parts: this.#parts,
      version: this.#version,
      onProgram: (program) => this.#programs.called(program),
    });
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
  const message = `${NOT_READY}. Try again. See the server log for the reason.`;
  const error = { code: JSON_RPC_SERVER_ERROR, message };
  return Response.json({ jsonrpc: "2.0", id: null, error }, { status: 503 });
}
