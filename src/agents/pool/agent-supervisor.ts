import { z } from "zod/mini";
import { ignore } from "../../lib/ignore.ts";
import { parseJson } from "../../lib/parse-json.ts";
import type { AgentStatusChange, QuestionDesk } from "../../ports/agents.ts";
import type { World } from "../../ports/world.ts";
import { REFUSE, type Refusal, RefusalError } from "../../protocol/errors.ts";
import { CliType, SessionId } from "../../protocol/ids.ts";
import { pathThere, splitPlace } from "../../protocol/place-path.ts";
import type { AgentStatus } from "../../protocol/session-messages.ts";
import type { AcpAgent } from "../acp/acp-agent.ts";
import { failureMessage, withAdvice } from "../acp/connection/wire-message.ts";
import { WireTrace } from "../acp/connection/wire-trace.ts";
import type { AccountNews } from "../acp/limits/account-limits.ts";
import type { OfferedSignIn } from "../acp/sign-in-method.ts";
import type { AgentDefinition } from "../catalog/agent-definition.ts";
import {
  type ExitReport,
  NotStartableError,
  type ProcessHost,
  type SurvivingProcess,
} from "../process/process-host.ts";

/** Loaded with the first agent that is started, in that step (decision 149). */
const LATER = {
  agent: (): typeof import("../acp/acp-agent.ts") => require("../acp/acp-agent.ts"),
};

/** After this long without a crash, an agent counts as working again. */
const PROVEN_AFTER_MS = 60_000;
const SLOW_START_MS = 15_000;
/** How long a failed start waits for the process's exit report before it is reported without one. */
const EXIT_REPORT_MS_MAX = 300;
/** How long a stop waits for holders of ended processes to end: one at a place that is cut off cannot be reached. */
const RELEASE_MS_MAX = 2_000;
/** An agent that prints its own log to stdout must not fill ours. */
const UNREADABLE_LINES_LOGGED_MAX = 5;
const LOGGED_LINE_CHARS_MAX = 300;

/** The part of the server's log that agents write to. */
interface AgentLog {
  info(text: string): void;
  warn(text: string): void;
}

export interface SupervisorOptions {
  /** Called at each start: the agent may have been installed or updated meanwhile. */
  readonly definition: () => AgentDefinition;
  /** Set if the process serves a single session. */
  readonly sessionId: SessionId | null;
  readonly world: World;
  readonly host: ProcessHost;
  /** Processes of that host outlive the server. */
  readonly isHeld: boolean;
  readonly cwd: string;
  /** Called at each start: reading the login shell's PATH takes a moment. */
  readonly env: () => Promise<Readonly<Record<string, string>>>;
  readonly epoch: string;
  readonly clientVersion: string;
  readonly startTimeoutMs: number;
  /** Someone is about to use its process, which is therefore not idle. */
  readonly isExpected: () => boolean;
  /** A turn has ended: some processes may no longer be needed. */
  readonly onTurnCompleted: () => void;
  readonly onAccount: (news: AccountNews) => void;
  /** Directories that no agent may access through us. */
  readonly guarded: readonly string[];
  /** Receives questions outside any session. */
  readonly desk: QuestionDesk;
  readonly onStatus: (change: AgentStatusChange) => void;
  readonly log: AgentLog;
  readonly onError: (error: unknown) => void;
}

type Timer = ReturnType<typeof setTimeout>;

/** Every field exists only in the phase that needs it. */
type Phase =
  | { phase: "idle" }
  | { phase: "starting"; ready: Promise<AcpAgent> }
  | { phase: "connected"; agent: AcpAgent; startedAt: number; proven: Timer }
  | { phase: "disconnected"; refusal: Refusal; retry: { readonly timer: Timer; readonly at: number } | null }
  | { phase: "reconnecting"; ready: Promise<AcpAgent> }
  | { phase: "stopped" };

type Connected = Extract<Phase, { phase: "connected" }>;

/** Manages one agent process: started on demand, shared by its users, restarted after a crash. */
export class AgentSupervisor {
  readonly #options: SupervisorOptions;
  readonly #retries: RetrySchedule;
  /** Every process not yet known to have ended, so that shutdown leaves none behind. */
  readonly #alive = new Set<AcpAgent>();
  /** Ended processes whose last output is being stored; until then their holders wait. */
  readonly #releasing = new Set<Promise<void>>();
  readonly trace: WireTrace;
  #phase: Phase = { phase: "idle" };
  #startCount = 0;
  /** Incremented when a start begins or is abandoned, so that a start can detect that it is obsolete. */
  #generation = 0;
  #offersDelete: boolean | null = null;
  #offersFork: boolean | null = null;
  #signedIn: AcpAgent | null = null;
  #lastUsedAt: number;
  #cwd: string;
  /** Why the connection to its place is lost at the moment. The process runs on. */
  #cut: string | null = null;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#cwd = options.cwd;
    this.#retries = new RetrySchedule(options.definition().retryDelaysMs);
    this.#lastUsedAt = options.world.now();
    this.trace = new WireTrace(options.world.now);
  }

  get #name(): string {
    return this.#options.definition().name;
  }

  /** It serves a single session. */
  get isOwn(): boolean {
    return this.#options.sessionId !== null;
  }

  /** A process of it has not ended yet, or its last output is being stored. */
  get hasProcess(): boolean {
    return this.#alive.size > 0 || this.#releasing.size > 0;
  }

  /** Whether the agent can delete conversations; null before it has initialized. */
  get offersDelete(): boolean | null {
    return this.#offersDelete;
  }

  /** Whether the agent can copy conversations; null before it has initialized. */
  get offersFork(): boolean | null {
    return this.#offersFork;
  }

  get status(): AgentStatus {
    if (this.#phase.phase === "stopped") return "idle";
    if (this.#phase.phase === "connected" && this.#cut !== null) return "reconnecting";
    return this.nextTryAt === undefined ? this.#phase.phase : "reconnecting";
  }

  get message(): string | undefined {
    return this.#phase.phase === "disconnected" ? this.#phase.refusal.message : undefined;
  }

  /** Why nothing comes from a process that runs. */
  get cutMessage(): string | undefined {
    return this.#phase.phase === "connected" ? (this.#cut ?? undefined) : undefined;
  }

  /** The connection to its place is lost, with the reason, or back again. */
  placeCut(place: string, reason: string | null): void {
    if (splitPlace(this.#cwd)?.place !== place || this.#phase.phase !== "connected") return;
    const before = this.#cut;
    this.#cut = reason && `${reason} The agent works on.`;
    if (this.#cut === before) return;
    if (before === null || this.#cut === null) this.#record("info", this.#cut ?? `connected to ${place} again`);
    this.#emit(this.#cut === null ? { status: "connected" } : { status: "reconnecting", message: this.#cut });
  }

  /** When the process is restarted automatically, as ISO 8601. */
  get nextTryAt(): string | undefined {
    const retry = this.#phase.phase === "disconnected" ? this.#phase.retry : null;
    return retry ? new Date(retry.at).toISOString() : undefined;
  }

  /** The running process. */
  get running(): { pid: number; startedAt: number; restarts: number; busy: boolean; lastUsedAt: number } | null {
    if (this.#phase.phase !== "connected") return null;
    const { agent, startedAt } = this.#phase;
    const restarts = this.#startCount - 1;
    return { pid: agent.pid, startedAt, restarts, busy: this.#isBusy(agent), lastUsedAt: this.#lastUsedAt };
  }

  #isBusy(agent: AcpAgent): boolean {
    return agent.isBusy || this.#options.isExpected();
  }

  get signInMethods(): readonly OfferedSignIn[] {
    return this.#phase.phase === "connected" ? this.#phase.agent.signInMethods : [];
  }

  /** The user signed in through the running process. */
  get isSignedIn(): boolean {
    return this.#phase.phase === "connected" && this.#phase.agent === this.#signedIn;
  }

  async authenticate(methodId: string): Promise<void> {
    const agent = await this.ensure();
    await agent.authenticate(methodId);
    this.#signedIn = agent;
  }

  get canSignOut(): boolean {
    return this.#phase.phase === "connected" && this.#phase.agent.canSignOut;
  }

  /** False: it does not offer that. */
  async signOut(): Promise<boolean> {
    const agent = await this.ensure();
    if (!agent.canSignOut) return false;
    await agent.signOut();
    this.#signedIn = null;
    return true;
  }

  /** The running agent; concurrent callers share one start, and a pending retry runs at once. */
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
        if (retry) clearTimeout(retry.timer);
        return this.#begin("reconnecting", retry !== null);
      }
      default:
        return this.#phase satisfies never;
    }
  }

  /** Requested by the user: resets the retry count, and replaces a process that no longer reacts. */
  async reconnect(restart: boolean): Promise<AcpAgent> {
    this.#retries.reset();
    if (restart && this.#phase.phase === "connected") {
      this.#record("info", "restarted by the user");
      return this.#replace(this.#phase, `${this.#name} was restarted.`);
    }
    return this.#phase.phase === "idle" ? this.#begin("reconnecting", false) : this.ensure();
  }

  /** The new process starts after the old one has ended: both would write to the same conversations. */
  #replace({ agent, proven }: Connected, reason: string, notice?: string): Promise<AcpAgent> {
    clearTimeout(proven);
    const ready = this.#begin("reconnecting", false, { after: agent.exited, message: reason });
    agent.lose({ reason: notice ?? reason, state: "crashed", tell: notice !== undefined });
    this.#stopNow(agent);
    return ready;
  }

  #stopNow(agent: AcpAgent): void {
    agent.stop("now").catch(this.#options.onError);
  }

  /** It does not stop its work on a closed session. Its other sessions get a new process. */
  #unstoppable(agent: AcpAgent): void {
    const phase = this.#phase;
    this.#record(
      "warn",
      `did not stop a closed session within ${LATER.agent().CLOSE_ANSWER_MS_MAX} ms; restarting its process`,
    );
    if (phase.phase !== "connected" || phase.agent !== agent) {
      this.#stopNow(agent);
      return;
    }
    const reason = `${this.#name} was restarted because it kept working on a session that was stopped.`;
    if (agent.sessionCount > 0) {
      const notice = `${reason} This session continues with its next message.`;
      this.#replace(phase, reason, notice).catch(ignore("the failure is shown as the agent's status"));
    } else {
      clearTimeout(phase.proven);
      this.#phase = { phase: "idle" };
      agent.lose({ reason, state: "idle" });
      this.#emit({ status: "idle" });
      this.#stopNow(agent);
    }
  }

  /** Its only session has ended: ends the process at once, even if busy. It can be started again. */
  async end(): Promise<void> {
    const before = this.#phase;
    if (before.phase === "stopped") return;
    this.#cancelTimers(before);
    this.#generation++;
    this.#phase = { phase: "idle" };
    const alive = [...this.#alive];
    if (alive.length > 0) this.#record("info", "its session ended; stopping the process");
    for (const agent of alive) {
      agent.lose({ reason: "The session was ended.", state: "idle" });
      this.#stopNow(agent);
    }
    if (before.phase !== "idle") this.#emit({ status: "idle" });
    await Promise.all(alive.map(({ exited }) => exited));
  }

  #cancelTimers(phase: Phase): void {
    if (phase.phase === "disconnected" && phase.retry) clearTimeout(phase.retry.timer);
    if (phase.phase === "connected") clearTimeout(phase.proven);
  }

  /** A completed turn shows that the agent works: earlier crashes no longer count. */
  readonly #proven = (): void => {
    this.#retries.reset();
    this.#lastUsedAt = this.#options.world.now();
  };

  /** Ends an idle agent; its sessions are restored on their next use. */
  evict(why: string): void {
    if (this.#phase.phase !== "connected" || this.#isBusy(this.#phase.agent)) return;
    const { agent, proven } = this.#phase;
    clearTimeout(proven);
    this.#phase = { phase: "idle" };
    this.#record("info", `stopping idle process ${agent.pid}: ${why}`);
    agent.lose({ reason: "The agent was idle and its process was stopped.", state: "idle", unused: true });
    this.#emit({ status: "idle" });
    agent.stop().catch(this.#options.onError);
  }

  /** When this returns no process is left, and none will be started. */
  async stop(): Promise<void> {
    this.#cancelTimers(this.#phase);
    this.#phase = { phase: "stopped" };
    this.#generation++;
    await Promise.all([...this.#alive].map((agent) => agent.stop()));
    if (this.#releasing.size > 0) await Promise.race([Promise.all(this.#releasing), Bun.sleep(RELEASE_MS_MAX)]);
  }

  #begin(
    phase: "starting" | "reconnecting",
    isRetry: boolean,
    replacing?: { readonly after: Promise<unknown>; readonly message: string },
  ): Promise<AcpAgent> {
    // Clients know since the crash that it is reconnecting, and when.
    const isReported = this.status === phase;
    const ready = this.#start(isRetry, ++this.#generation, replacing?.after);
    this.#phase = { phase, ready };
    if (!isReported) this.#emit({ status: phase, ...(replacing && { message: replacing.message }) });
    const slow = setTimeout(() => {
      if (this.#phase.phase === phase)
        this.#emit({ status: phase, message: "Still starting. The first start can take a while." });
    }, SLOW_START_MS);
    ready.catch(ignore("the caller of ensure gets the error")).finally(() => clearTimeout(slow));
    return ready;
  }

  async #start(isRetry: boolean, generation: number, after?: Promise<unknown>): Promise<AcpAgent> {
    const { now } = this.#options.world;
    const begun = now();
    let agent: AcpAgent;
    try {
      await after;
      agent = await this.#spawn(generation);
    } catch (error) {
      if (!(error instanceof NotStartableError)) throw error;
      this.#record("warn", `could not be started: ${error.message}`);
      this.#refuseIfStale(generation);
      const at = splitPlace(this.#cwd);
      throw this.#fail(
        at
          ? REFUSE.agentNotAtPlace(this.#name, at.place, error.message)
          : REFUSE.agentNotInstalled(this.#name, error.message),
        isRetry,
      );
    }
    try {
      await this.#handshake(agent);
      // Its exit can arrive together with its response, and is handled first. It is not reported again.
      if (!this.#alive.has(agent)) throw new Error("it ended after its first response");
    } catch (error) {
      this.#stopNow(agent);
      const reason = reasonOf(error, await this.#stderrOfFailed(agent));
      this.#record("warn", `did not connect: ${reason}`);
      this.#refuseIfStale(generation);
      throw this.#fail(REFUSE.agentNotConnected(this.#name, reason), isRetry);
    }
    if (generation !== this.#generation) this.#stopNow(agent);
    this.#refuseIfStale(generation);
    const proven = setTimeout(this.#proven, PROVEN_AFTER_MS);
    this.#phase = { phase: "connected", agent, startedAt: now(), proven };
    this.#cut = null;
    this.#offersDelete = agent.offersDelete;
    this.#offersFork = agent.offersFork;
    this.#record("info", `ready after ${now() - begun} ms: ${agent.about}`);
    this.#emit({ status: "connected" });
    return agent;
  }

  /** The session ended or the server stopped while the agent was starting. */
  #refuseIfStale(generation: number): void {
    if (generation !== this.#generation) throw new RefusalError(REFUSE.agentStopped(this.#name));
  }

  /** The failure is known: an agent that is slow to end must not delay the report. */
  async #stderrOfFailed(agent: AcpAgent): Promise<string> {
    const { promise: late, resolve } = Promise.withResolvers<null>();
    const timer = setTimeout(() => resolve(null), EXIT_REPORT_MS_MAX);
    const exit = await Promise.race([agent.exited, late]);
    clearTimeout(timer);
    return exit?.stderrTail ?? agent.stderrTail;
  }

  /** Resumes a process of an earlier server. `catchUp` then reads its output since. */
  async resume(survivor: SurvivingProcess): Promise<AcpAgent> {
    const agent = this.#open(survivor, survivor.id, await this.#options.env());
    // Its remaining output is read. New requests get a new process.
    if (!survivor.isAlive) return agent;
    const proven = setTimeout(this.#proven, PROVEN_AFTER_MS);
    this.#phase = { phase: "connected", agent, startedAt: this.#options.world.now(), proven };
    this.#record("info", `reattached to process ${agent.pid} of the last run`);
    return agent;
  }

  /** Its next process works there. */
  startIn(cwd: string): void {
    this.#cwd = cwd;
  }

  async #spawn(generation: number): Promise<AcpAgent> {
    const { command, name, installHint } = this.#options.definition();
    if (!command) throw new NotStartableError(installHint ?? `No executable found for ${name}.`);
    const env = await this.#options.env();
    this.#refuseIfStale(generation);
    const agent = this.#open(this.#options.host, this.#options.world.newId(), env);
    await agent.started;
    this.#record("info", `started process ${agent.pid}: ${command.join(" ")}`);
    return agent;
  }

  #open(host: ProcessHost, processId: string, env: Readonly<Record<string, string>>): AcpAgent {
    const { world, epoch, clientVersion, guarded, onError } = this.#options;
    const cwd = this.#cwd;
    const definition = this.#options.definition();
    const { id: cliType } = definition;
    const label: ProcessLabel = { cliType, sessionId: this.#options.sessionId, cwd };
    let unreadableCount = 0;
    const agent: AcpAgent = new (LATER.agent().AcpAgent)({
      id: cliType,
      name: definition.name,
      host,
      processId,
      held: this.#options.isHeld ? { id: processId, label: JSON.stringify(label) } : null,
      onError,
      command: definition.command ?? [],
      cwd: pathThere(cwd),
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
      onAccount: this.#options.onAccount,
      onUnstoppable: () => this.#unstoppable(agent),
      onUnreadable: (text) => {
        if (++unreadableCount > UNREADABLE_LINES_LOGGED_MAX) return;
        const line = text.length > LOGGED_LINE_CHARS_MAX ? `${text.slice(0, LOGGED_LINE_CHARS_MAX)}…` : text;
        const more = unreadableCount === UNREADABLE_LINES_LOGGED_MAX ? " (further lines are only in the ACP log)" : "";
        // The trace has the line itself.
        this.#log("warn", `wrote a line that is not JSON-RPC: ${line}${more}`);
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
    const isCrash = this.#phase.phase === "connected" && this.#phase.agent === agent;
    const said = lastStderrLine(exit);
    const words = said === "" ? "" : `; its last line on stderr: ${said}`;
    this.#record(
      isCrash ? "warn" : "info",
      `process ${agent.pid} ${isCrash ? "crashed" : "ended"} (${describeExit(exit)})${words}`,
    );
    const reason =
      this.#phase.phase === "stopped"
        ? `Liminal Builder was stopped, and ${this.#name} with it.`
        : `${this.#name} stopped (${describeExit(exit)}).`;
    agent.lose({ reason, state: "crashed" });
    const released = agent.released.finally(() => this.#releasing.delete(released));
    this.#releasing.add(released);
    if (this.#phase.phase !== "connected" || this.#phase.agent !== agent) return;
    clearTimeout(this.#phase.proven);
    const details = [describeExit(exit), exit.stderrTail].filter(Boolean).join("\n");
    this.#fail(REFUSE.agentStopped(this.#name, details), true);
  }

  /** A crash is retried on schedule; a failed first start is left to the user. */
  #fail(refusal: Refusal, retried: boolean): RefusalError {
    if (this.#phase.phase === "stopped") return new RefusalError(refusal);
    const delayMs = retried ? this.#retries.next() : null;
    const at = this.#options.world.now() + (delayMs ?? 0);
    const retry = delayMs === null ? null : { timer: setTimeout(() => this.#retry(), delayMs), at };
    this.#phase = { phase: "disconnected", refusal, retry };
    this.#emit({ status: "disconnected", message: refusal.message, refusal });
    if (delayMs !== null) {
      this.#record("info", `restarting in ${delayMs} ms (attempt ${this.#retries.used} of ${this.#retries.max})`);
      this.#emit({ status: "reconnecting", message: refusal.message });
    } else if (retried) this.#record("warn", "not restarting automatically: it crashed too often");
    return new RefusalError(refusal);
  }

  /** Writes one line to the server's log and to the log of the sessions that this process serves. */
  #record(level: keyof AgentLog, text: string): void {
    this.trace.record("note", text);
    this.#log(level, text);
  }

  #log(level: keyof AgentLog, text: string): void {
    const { sessionId, definition, log } = this.#options;
    const { id, name } = definition();
    log[level](`Agent ${name} (${sessionId ?? id}): ${oneLine(text)}`);
  }

  #retry(): void {
    if (this.#phase.phase !== "disconnected") return;
    this.#begin("reconnecting", true).catch(ignore("the failure is shown as the agent's status"));
  }

  #emit(change: Pick<AgentStatusChange, "status" | "message" | "refusal">): void {
    const { definition, sessionId } = this.#options;
    const { nextTryAt } = this;
    this.#options.onStatus({
      cliType: definition().id,
      ...(sessionId !== null && { sessionId }),
      ...(change.status === "reconnecting" && nextTryAt !== undefined && { nextTryAt }),
      ...change,
    });
  }
}

function oneLine(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .join(" | ");
}

/** How a process ended, as text. */
function describeExit(exit: ExitReport): string {
  return exit.signal ? `killed by ${exit.signal}` : `exit code ${exit.code}`;
}

function lastStderrLine({ stderrTail }: ExitReport): string {
  return stderrTail.trimEnd().split("\n").at(-1)?.trim() ?? "";
}

/** Why a start failed, with the end of stderr. */
function reasonOf(error: unknown, stderrTail: string): string {
  const reason = error instanceof Error ? failureMessage(error.message, Reflect.get(error, "data")) : String(error);
  return withAdvice([reason, stderrTail].filter(Boolean).join("\n"));
}

/** The data a later server needs to resume a process. */
const ProcessLabel = z.object({ cliType: CliType, sessionId: z.nullable(SessionId), cwd: z.string() });
type ProcessLabel = z.infer<typeof ProcessLabel>;

/** Null if another version or another program wrote it. */
export function readLabel(text: string): ProcessLabel | null {
  return ProcessLabel.safeParse(parseJson(text)).data ?? null;
}

/** How often, and after which delays, a crashed agent is restarted. */
export class RetrySchedule {
  readonly #delaysMs: readonly number[];
  #used = 0;

  constructor(delaysMs: readonly number[]) {
    this.#delaysMs = delaysMs;
  }

  /** The delay before the next try, or null if the user has to restart it. */
  next(): number | null {
    const delayMs = this.#delaysMs[this.#used];
    if (delayMs === undefined) return null;
    this.#used++;
    return delayMs;
  }

  get max(): number {
    return this.#delaysMs.length;
  }

  get used(): number {
    return this.#used;
  }

  /** The agent works, or the user requested a start: a later crash starts from the beginning. */
  reset(): void {
    this.#used = 0;
  }
}
