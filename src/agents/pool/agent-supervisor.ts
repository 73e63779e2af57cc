import type { AgentStatusChange } from "../../ports/agents.ts";
import type { World } from "../../ports/world.ts";
import { REFUSE, type Refusal, RefusalError } from "../../protocol/errors.ts";
import type { AgentStatus } from "../../protocol/server-messages.ts";
import { AcpAgent } from "../acp/acp-agent.ts";
import { WireTrace } from "../acp/wire-trace.ts";
import type { AgentDefinition } from "../catalog/agent-definition.ts";
import { type ExitReport, NotStartableError } from "../process/agent-process.ts";

export interface SupervisorOptions {
  readonly definition: AgentDefinition;
  readonly world: World;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly epoch: string;
  readonly clientVersion: string;
  readonly startTimeoutMs: number;
  readonly onStatus: (change: AgentStatusChange) => void;
  readonly onError: (error: unknown) => void;
}

type Phase =
  | { phase: "idle" }
  | { phase: "starting"; ready: Promise<AcpAgent> }
  | { phase: "connected"; agent: AcpAgent; startedAt: number }
  | { phase: "disconnected"; refusal: Refusal }
  | { phase: "stopped" };

/** Keeps one agent's process: started when first needed, shared by all who need it, its end told to everyone. */
export class AgentSupervisor {
  readonly #options: SupervisorOptions;
  #phase: Phase = { phase: "idle" };
  /** Every process not yet known to be gone, so that shutdown leaves none behind. */
  readonly #alive = new Set<AcpAgent>();
  #startCount = 0;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  get status(): AgentStatus {
    switch (this.#phase.phase) {
      case "idle":
      case "stopped":
        return "idle";
      default:
        return this.#phase.phase;
    }
  }

  get message(): string | undefined {
    return this.#phase.phase === "disconnected" ? this.#phase.refusal.message : undefined;
  }

  /** What is running now, for the status page. */
  get running(): { pid: number; startedAt: number; restarts: number } | null {
    if (this.#phase.phase !== "connected") return null;
    const { agent, startedAt } = this.#phase;
    return { pid: agent.pid, startedAt, restarts: Math.max(0, this.#startCount - 1) };
  }

  /** The running agent; concurrent callers share one start. */
  ensure(showAs: "starting" | "reconnecting" = "starting"): Promise<AcpAgent> {
    switch (this.#phase.phase) {
      case "connected":
        return Promise.resolve(this.#phase.agent);
      case "starting":
        return this.#phase.ready;
      case "stopped":
        return Promise.reject(new RefusalError(REFUSE.agentStopped(this.#options.definition.name)));
      default: {
        const ready = this.#start();
        this.#phase = { phase: "starting", ready };
        this.#tell({ status: showAs });
        return ready;
      }
    }
  }

  /** No process is left when this returns, and none will be started again. */
  async stop(): Promise<void> {
    this.#phase = { phase: "stopped" };
    await Promise.all([...this.#alive].map((agent) => agent.stop()));
  }

  async #start(): Promise<AcpAgent> {
    const { definition, world } = this.#options;
    let agent: AcpAgent;
    try {
      agent = this.#spawn();
    } catch (error) {
      if (!(error instanceof NotStartableError)) throw error;
      throw this.#fail(REFUSE.agentNotInstalled(definition.name, error.message));
    }
    try {
      await this.#handshake(agent);
    } catch (error) {
      const exit = await agent.stop();
      throw this.#fail(REFUSE.agentNotConnected(definition.name, reasonOf(error, exit)));
    }
    if (this.#phase.phase === "stopped") throw new RefusalError(REFUSE.agentStopped(definition.name));
    this.#phase = { phase: "connected", agent, startedAt: world.now() };
    this.#tell({ status: "connected" });
    return agent;
  }

  #spawn(): AcpAgent {
    const { definition, world, cwd, env, epoch, clientVersion } = this.#options;
    if (!definition.command) throw new NotStartableError(`No program for ${definition.name} was found.`);
    const agent = new AcpAgent({
      name: definition.name,
      command: definition.command,
      cwd,
      env,
      epoch,
      trace: new WireTrace(world.now),
      newId: world.newId,
      clientVersion,
    });
    this.#startCount++;
    this.#alive.add(agent);
    agent.exited.then((exit) => this.#exited(agent, exit)).catch(this.#options.onError);
    return agent;
  }

  async #handshake(agent: AcpAgent): Promise<void> {
    const { startTimeoutMs } = this.#options;
    const { promise: timedOut, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`no answer within ${startTimeoutMs / 1000} s`)), startTimeoutMs);
    const gone = agent.exited.then((exit) => Promise.reject(new Error(describeExit(exit))));
    try {
      await Promise.race([agent.initialize(), timedOut, gone]);
    } finally {
      clearTimeout(timer);
    }
  }

  #exited(agent: AcpAgent, exit: ExitReport): void {
    this.#alive.delete(agent);
    const { definition } = this.#options;
    agent.lose(`${definition.name} stopped (${describeExit(exit)}).`);
    if (this.#phase.phase !== "connected" || this.#phase.agent !== agent) return;
    this.#fail(REFUSE.agentStopped(definition.name, [describeExit(exit), exit.stderrTail].filter(Boolean).join("\n")));
  }

  #fail(refusal: Refusal): RefusalError {
    if (this.#phase.phase !== "stopped") {
      this.#phase = { phase: "disconnected", refusal };
      this.#tell({ status: "disconnected", message: refusal.message, refusal });
    }
    return new RefusalError(refusal);
  }

  #tell(change: Omit<AgentStatusChange, "cliType">): void {
    this.#options.onStatus({ cliType: this.#options.definition.id, ...change });
  }
}

function describeExit(exit: ExitReport): string {
  return exit.signal ? `killed by ${exit.signal}` : `exit code ${exit.code}`;
}

function reasonOf(error: unknown, exit: ExitReport): string {
  const reason = error instanceof Error ? error.message : String(error);
  return [reason, exit.stderrTail].filter(Boolean).join("\n");
}
