import { ignore } from "../../lib/ignore.ts";
import type { AgentStatusChange, QuestionDesk } from "../../ports/agents.ts";
import type { World } from "../../ports/world.ts";
import { REFUSE, type Refusal, RefusalError } from "../../protocol/errors.ts";
import type { SessionId } from "../../protocol/ids.ts";
import type { AgentStatus } from "../../protocol/server-messages.ts";
import { AcpAgent } from "../acp/acp-agent.ts";
import { WireTrace } from "../acp/connection/wire-trace.ts";
import type { AgentDefinition } from "../catalog/agent-definition.ts";
import { type ExitReport, type LeftProcess, NotStartableError, type ProcessHost } from "../process/process-host.ts";
import type { OfferedSignIn } from "../sign-in/sign-in-method.ts";
import { describeExit, reasonOf } from "./exit-words.ts";
import type { ProcessLabel } from "./process-label.ts";
import { RetrySchedule } from "./retry-schedule.ts";

/** Connected for this long without a crash, an agent counts as working again. */
const PROVEN_AFTER_MS = 60_000;
const SLOW_START_MS = 15_000;

export interface SupervisorOptions {
  /** Asked for at each start: the agent may have been installed or updated meanwhile. */
  readonly definition: () => AgentDefinition;
  /** Set when the process belongs to one session alone. */
  readonly sessionId: SessionId | null;
  readonly world: World;
  readonly host: ProcessHost;
  /** Processes of that host outlive the server. */
  readonly isHeld: boolean;
  readonly cwd: string;
  /** Asked for at each start: the login shell's PATH takes a moment to learn. */
  readonly env: () => Promise<Readonly<Record<string, string>>>;
  readonly epoch: string;
  readonly clientVersion: string;
  readonly startTimeoutMs: number;
  /** A turn is over: there may be more processes than are needed now. */
  readonly onTurnCompleted: () => void;
  /** Directories that no agent may touch through us. */
  readonly guarded: readonly string[];
  /** Where questions go that belong to no session. */
  readonly desk: QuestionDesk;
  readonly onStatus: (change: AgentStatusChange) => void;
  readonly onError: (error: unknown) => void;
}

type Timer = ReturnType<typeof setTimeout>;

/** Every field exists only in the phase that needs it. */
type Phase =
  | { phase: "idle" }
  | { phase: "starting"; ready: Promise<AcpAgent> }
  | { phase: "connected"; agent: AcpAgent; startedAt: number; proven: Timer }
  | { phase: "disconnected"; refusal: Refusal; retry: Timer | null }
  | { phase: "reconnecting"; ready: Promise<AcpAgent> }
  | { phase: "stopped" };

/** Keeps one agent process: started when first needed, shared by all who need it, brought back when it crashes. */
export class AgentSupervisor {
  readonly #options: SupervisorOptions;
  readonly #retries: RetrySchedule;
  /** Every process not yet known to be gone, so that shutdown leaves none behind. */
  readonly #alive = new Set<AcpAgent>();
  readonly trace: WireTrace;
  #phase: Phase = { phase: "idle" };
  #startCount = 0;
  #lastUsedAt: number;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#retries = new RetrySchedule(options.definition().retryDelaysMs);
    this.#lastUsedAt = options.world.now();
    this.trace = new WireTrace(options.world.now);
  }

  get #name(): string {
    return this.#options.definition().name;
  }

  get status(): AgentStatus {
    return this.#phase.phase === "stopped" ? "idle" : this.#phase.phase;
  }

  get message(): string | undefined {
    return this.#phase.phase === "disconnected" ? this.#phase.refusal.message : undefined;
  }

  /** What is running now. */
  get running(): { pid: number; startedAt: number; restarts: number; busy: boolean; lastUsedAt: number } | null {
    if (this.#phase.phase !== "connected") return null;
    const { agent, startedAt } = this.#phase;
    const restarts = this.#startCount - 1;
    return { pid: agent.pid, startedAt, restarts, busy: agent.isBusy, lastUsedAt: this.#lastUsedAt };
  }

  get signInMethods(): readonly OfferedSignIn[] {
    return this.#phase.phase === "connected" ? this.#phase.agent.signInMethods : [];
  }

  /** The running agent; concurrent callers share one start, and a retry that waits is brought forward. */
  ensure(): Promise<AcpAgent> {
    this.#lastUsedAt = this.#options.world.now();
    switch (this.#phase.phase) {
      case "connected":
        return Promise.resolve(this.#phase.agent);
      case "starting":
      case "reconnecting":
        return this.#phase.ready;
      case "stopped":
        return Promise.reject(new RefusalError(REFUSE.agentStopped(this.#name)));
      case "idle":
        return this.#begin("starting", false);
      case "disconnected": {
        const { retry } = this.#phase;
        if (retry) clearTimeout(retry);
        return this.#begin("reconnecting", retry !== null);
      }
      default:
        return this.#phase satisfies never;
    }
  }

  /** The user asked: counted tries start over, and a process that no longer reacts is replaced. */
  async reconnect(restart: boolean): Promise<AcpAgent> {
    this.#retries.reset();
    if (restart && this.#phase.phase === "connected") {
      const { agent, proven } = this.#phase;
      clearTimeout(proven);
      this.#phase = { phase: "disconnected", refusal: REFUSE.agentStopped(this.#name), retry: null };
      agent.lose(`${this.#name} was restarted.`, "crashed");
      agent.stop().catch(this.#options.onError);
    }
    return this.#phase.phase === "idle" ? this.#begin("reconnecting", false) : this.ensure();
  }

  /** A completed turn shows that the agent works: an earlier row of crashes is forgotten. */
  readonly #proven = (): void => {
    this.#retries.reset();
    this.#lastUsedAt = this.#options.world.now();
  };

  /** Ends an agent nobody needs now; its sessions come back by themselves on their next use. */
  evict(): void {
    if (this.#phase.phase !== "connected" || this.#phase.agent.isBusy) return;
    const { agent, proven } = this.#phase;
    clearTimeout(proven);
    this.#phase = { phase: "idle" };
    agent.lose("The agent was idle and its process was ended.", "idle");
    this.#tell({ status: "idle" });
    agent.stop().catch(this.#options.onError);
  }

  /** No process is left when this returns, and none will be started again. */
  async stop(): Promise<void> {
    const before = this.#phase;
    this.#phase = { phase: "stopped" };
    if (before.phase === "disconnected" && before.retry) clearTimeout(before.retry);
    if (before.phase === "connected") clearTimeout(before.proven);
    await Promise.all([...this.#alive].map((agent) => agent.stop()));
  }

  #begin(phase: "starting" | "reconnecting", isRetry: boolean): Promise<AcpAgent> {
    const ready = this.#start(isRetry);
    this.#phase = { phase, ready };
    this.#tell({ status: phase });
    const slow = setTimeout(() => {
      if (this.#phase.phase === phase)
        this.#tell({ status: phase, message: "Still starting. A first start can take a while." });
    }, SLOW_START_MS);
    ready.catch(ignore("whoever asked for the agent hears of it")).finally(() => clearTimeout(slow));
    return ready;
  }

  async #start(isRetry: boolean): Promise<AcpAgent> {
    let agent: AcpAgent;
    try {
      agent = await this.#spawn();
    } catch (error) {
      if (!(error instanceof NotStartableError)) throw error;
      throw this.#fail(REFUSE.agentNotInstalled(this.#name, error.message), isRetry);
    }
    try {
      await this.#handshake(agent);
      // Its end can arrive together with its answer, and is heard first: nobody would hear of it again.
      if (!this.#alive.has(agent)) throw new Error("it ended with its first answer");
    } catch (error) {
      const exit = await agent.stop();
      throw this.#fail(REFUSE.agentNotConnected(this.#name, reasonOf(error, exit)), isRetry);
    }
    if (this.#phase.phase === "stopped") throw new RefusalError(REFUSE.agentStopped(this.#name));
    const proven = setTimeout(this.#proven, PROVEN_AFTER_MS);
    this.#phase = { phase: "connected", agent, startedAt: this.#options.world.now(), proven };
    this.#tell({ status: "connected" });
    return agent;
  }

  /** Goes on with a process that an earlier server started; what it said meanwhile is heard with `catchUp`. */
  async adopt(left: LeftProcess): Promise<AcpAgent> {
    const agent = this.#open(left, left.id, await this.#options.env());
    // What it still has to say is heard; whoever needs the agent from now on gets a new one.
    if (!left.isAlive) return agent;
    const proven = setTimeout(this.#proven, PROVEN_AFTER_MS);
    this.#phase = { phase: "connected", agent, startedAt: this.#options.world.now(), proven };
    return agent;
  }

  async #spawn(): Promise<AcpAgent> {
    const { command, name, installHint } = this.#options.definition();
    if (!command) throw new NotStartableError(installHint ?? `No program for ${name} was found.`);
    const env = await this.#options.env();
    const agent = this.#open(this.#options.host, this.#options.world.newId(), env);
    await agent.started;
    return agent;
  }

  #open(host: ProcessHost, processId: string, env: Readonly<Record<string, string>>): AcpAgent {
    const { world, cwd, epoch, clientVersion, guarded, onError } = this.#options;
    const definition = this.#options.definition();
    const { id: cliType } = definition;
    const label: ProcessLabel = { cliType, sessionId: this.#options.sessionId, cwd };
    const agent = new AcpAgent({
      id: cliType,
      name: definition.name,
      host,
      processId,
      held: this.#options.isHeld ? { id: processId, label: JSON.stringify(label) } : null,
      onError,
      command: definition.command ?? [],
      cwd,
      env,
      epoch,
      trace: this.trace,
      clientVersion,
      serves: definition.serves,
      guarded,
      desk: this.#options.desk,
      onTurnCompleted: () => {
        this.#proven();
        this.#options.onTurnCompleted();
      },
      world,
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
    agent.lose(`${this.#name} stopped (${describeExit(exit)}).`, "crashed");
    if (this.#phase.phase !== "connected" || this.#phase.agent !== agent) return;
    clearTimeout(this.#phase.proven);
    const details = [describeExit(exit), exit.stderrTail].filter(Boolean).join("\n");
    this.#fail(REFUSE.agentStopped(this.#name, details), true);
  }

  /** A crash is answered by the next try, if there is one left; a first start that fails is the user's to retry. */
  #fail(refusal: Refusal, retried: boolean): RefusalError {
    if (this.#phase.phase === "stopped") return new RefusalError(refusal);
    const delayMs = retried ? this.#retries.next() : null;
    const retry = delayMs === null ? null : setTimeout(() => this.#retry(), delayMs);
    this.#phase = { phase: "disconnected", refusal, retry };
    this.#tell({ status: "disconnected", message: refusal.message, refusal });
    return new RefusalError(refusal);
  }

  #retry(): void {
    if (this.#phase.phase !== "disconnected") return;
    this.#begin("reconnecting", true).catch(ignore("the failure is shown as the agent's status"));
  }

  #tell(change: Pick<AgentStatusChange, "status" | "message" | "refusal">): void {
    const { definition, sessionId } = this.#options;
    this.#options.onStatus({ cliType: definition().id, ...(sessionId !== null && { sessionId }), ...change });
  }
}
