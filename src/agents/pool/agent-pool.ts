import type { AgentSession, Agents, AttachRequest } from "../../ports/agents.ts";
import { REFUSE, RefusalError } from "../../protocol/errors.ts";
import type { CliType } from "../../protocol/ids.ts";
import type { AgentInfo } from "../../protocol/server-messages.ts";
import type { AgentDefinition } from "../catalog/agent-definition.ts";
import { agentEnvironment } from "../process/agent-environment.ts";
import { OWNER_VARIABLE } from "../process/sweep-leftovers.ts";
import { AgentSupervisor, type SupervisorOptions } from "./agent-supervisor.ts";

type AgentPoolOptions = Omit<SupervisorOptions, "definition" | "env"> & {
  readonly catalog: readonly AgentDefinition[];
  readonly inheritedEnv: Readonly<Record<string, string | undefined>>;
  /** The mark by which a later run finds what this one may leave behind. */
  readonly owner: string;
};

/** All agents of the catalog and their processes; what sessions see of them is the `Agents` port. */
export class AgentPool implements Agents {
  readonly #entries: ReadonlyMap<CliType, { definition: AgentDefinition; supervisor: AgentSupervisor }>;

  constructor(options: AgentPoolOptions) {
    const { catalog, inheritedEnv, owner, ...rest } = options;
    this.#entries = new Map(
      catalog.map((definition) => {
        const marks = { LIMINAL_AGENT: definition.id, [OWNER_VARIABLE]: owner };
        const env = agentEnvironment(inheritedEnv, definition.env, marks);
        return [definition.id, { definition, supervisor: new AgentSupervisor({ ...rest, definition, env }) }];
      }),
    );
  }

  async attach(request: AttachRequest): Promise<AgentSession> {
    const { cliType, cwd, agentSessionId, sink } = request;
    const agent = await this.#supervisor(cliType).ensure();
    return agentSessionId === null ? agent.newSession(cwd, sink) : agent.restoreSession(agentSessionId, cwd, sink);
  }

  async reconnect(cliType: CliType): Promise<void> {
    await this.#supervisor(cliType).ensure("reconnecting");
  }

  list(): readonly AgentInfo[] {
    return [...this.#entries.values()].map(({ definition, supervisor }) => {
      const message = supervisor.message;
      return {
        id: definition.id,
        name: definition.name,
        status: supervisor.status,
        availability: definition.command ? "ready" : "needs-install",
        ...(message !== undefined && { message }),
        capabilities: {},
      };
    });
  }

  find(cliType: CliType): AgentInfo | null {
    return this.list().find(({ id }) => id === cliType) ?? null;
  }

  /** The processes that run now, by agent. */
  processes(): readonly { id: CliType; pid: number; startedAt: number; restarts: number }[] {
    return [...this.#entries].flatMap(([id, { supervisor }]) =>
      supervisor.running ? [{ id, ...supervisor.running }] : [],
    );
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#entries.values()].map(({ supervisor }) => supervisor.stop()));
  }

  #supervisor(cliType: CliType): AgentSupervisor {
    const entry = this.#entries.get(cliType);
    if (!entry) throw new RefusalError(REFUSE.agentUnknown(cliType));
    return entry.supervisor;
  }
}
