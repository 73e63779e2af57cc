import type { AgentSession, Agents, AttachRequest } from "../../ports/agents.ts";
import { REFUSE, RefusalError } from "../../protocol/errors.ts";
import { type CliType, cliTypeOf, SessionId } from "../../protocol/ids.ts";
import type { AgentInfo } from "../../protocol/server-messages.ts";
import type { TraceLine } from "../acp/wire-trace.ts";
import type { AgentCatalog, AgentDefinition } from "../catalog/agent-definition.ts";
import { agentEnvironment } from "../process/agent-environment.ts";
import { joinPaths, loginPath } from "../process/login-path.ts";
import { OWNER_VARIABLE, RUN_VARIABLE } from "../process/sweep-leftovers.ts";
import { AgentSupervisor, type SupervisorOptions } from "./agent-supervisor.ts";
import { chooseEvictions, type EvictionLimits } from "./eviction.ts";

const EVICTION_CHECK_MS = 15_000;

type AgentPoolOptions = Omit<SupervisorOptions, "definition" | "env" | "sessionId"> & {
  readonly catalog: AgentCatalog;
  readonly inheritedEnv: Readonly<Record<string, string | undefined>>;
  /** The mark by which a later run finds what this one may leave behind. */
  readonly owner: string;
  readonly limits: EvictionLimits;
};

/** One running process, for whoever shows or limits them. */
export interface PoolProcess {
  readonly id: CliType;
  readonly sessionId: SessionId | null;
  readonly pid: number;
  readonly startedAt: number;
  readonly restarts: number;
  readonly busy: boolean;
}

/** All agents of the catalog and their processes; what sessions see of them is the `Agents` port. */
export class AgentPool implements Agents {
  readonly #options: AgentPoolOptions;
  /** By agent, or by session where each has a process of its own. */
  readonly #supervisors = new Map<string, AgentSupervisor>();
  readonly #checks: ReturnType<typeof setInterval>;
  #loginPath: Promise<string | null> | null = null;

  constructor(options: AgentPoolOptions) {
    this.#options = options;
    this.#checks = setInterval(() => this.evict(), Math.min(EVICTION_CHECK_MS, options.limits.idleMs));
    this.#checks.unref();
  }

  async attach(request: AttachRequest): Promise<AgentSession> {
    const { cliType, sessionId, cwd, restore, sink } = request;
    const agent = await this.#supervisor(cliType, sessionId, cwd).ensure();
    this.evict();
    return restore === null ? agent.newSession(cwd, sink) : agent.restoreSession(restore, cwd, sink);
  }

  async reconnect(cliType: CliType, sessionId: SessionId | null, cwd: string, restart: boolean): Promise<void> {
    await this.#supervisor(cliType, sessionId, cwd).reconnect(restart);
  }

  list(): readonly AgentInfo[] {
    return this.#options.catalog.definitions().map((definition) => {
      const supervisor = this.#supervisors.get(definition.id);
      const message = supervisor?.message;
      return {
        id: definition.id,
        name: definition.name,
        status: supervisor?.status ?? "idle",
        availability: definition.command ? "ready" : "needs-install",
        ...(message !== undefined && { message }),
        capabilities: {},
      };
    });
  }

  find(cliType: CliType): AgentInfo | null {
    return this.list().find(({ id }) => id === cliType) ?? null;
  }

  processes(): readonly PoolProcess[] {
    return [...this.#supervisors].flatMap(([key, supervisor]) => {
      const { running } = supervisor;
      return running ? [{ ...this.#identity(key), ...running }] : [];
    });
  }

  /** The last wire messages of the process that serves this session. */
  trace(cliType: CliType, sessionId: SessionId): readonly TraceLine[] {
    const supervisor = this.#supervisors.get(sessionId) ?? this.#supervisors.get(cliType);
    return supervisor?.trace.recent() ?? [];
  }

  evict(): void {
    const { limits, world } = this.#options;
    const running = [...this.#supervisors.values()].flatMap((supervisor) =>
      supervisor.running ? [{ ...supervisor.running, evict: () => supervisor.evict() }] : [],
    );
    for (const process of chooseEvictions(running, limits, world.now())) process.evict();
  }

  async stop(): Promise<void> {
    clearInterval(this.#checks);
    await Promise.all([...this.#supervisors.values()].map((supervisor) => supervisor.stop()));
  }

  #supervisor(cliType: CliType, sessionId: SessionId | null, cwd: string): AgentSupervisor {
    const definition = this.#definition(cliType);
    if (!definition) throw new RefusalError(REFUSE.agentUnknown(cliType));
    const own = definition.process === "per-session" ? sessionId : null;
    const key = own ?? cliType;
    const known = this.#supervisors.get(key);
    if (known) return known;
    const supervisor = new AgentSupervisor({
      ...this.#options,
      definition: () => this.#definition(cliType) ?? definition,
      sessionId: own,
      cwd: own === null ? this.#options.cwd : cwd,
      env: () => this.#environment(this.#definition(cliType) ?? definition),
    });
    this.#supervisors.set(key, supervisor);
    return supervisor;
  }

  #definition(cliType: CliType): AgentDefinition | undefined {
    return this.#options.catalog.definitions().find(({ id }) => id === cliType);
  }

  async #environment(definition: AgentDefinition): Promise<Readonly<Record<string, string>>> {
    const { inheritedEnv, owner, epoch } = this.#options;
    this.#loginPath ??= loginPath(inheritedEnv);
    const path = joinPaths(inheritedEnv["PATH"], await this.#loginPath);
    const marks = { LIMINAL_AGENT: definition.id, [OWNER_VARIABLE]: owner, [RUN_VARIABLE]: epoch };
    return agentEnvironment(inheritedEnv, { PATH: path }, definition.env, marks);
  }

  #identity(key: string): Pick<PoolProcess, "id" | "sessionId"> {
    const definition = this.#options.catalog.definitions().find(({ id }) => id === key);
    if (definition) return { id: definition.id, sessionId: null };
    const sessionId = SessionId.parse(key);
    return { id: cliTypeOf(sessionId), sessionId };
  }
}
