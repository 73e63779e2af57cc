import { existsSync, readFileSync } from "node:fs";
import { freemem, totalmem } from "node:os";
import { isAbsolute } from "node:path";
import type { ProcessChoices } from "../../ports/agent-choices.ts";
import type { AgentHistories, HistoryReader } from "../../ports/agent-history.ts";
import type {
  AgentSession,
  AgentStatusChange,
  Agents,
  AttachRequest,
  ForgetRequest,
  RejoinedSession,
  RejoinRequest,
} from "../../ports/agents.ts";
import { NO_AGENT_SESSION } from "../../ports/session-log.ts";
import { REFUSE, RefusalError } from "../../protocol/errors.ts";
import { CliType, cliTypeOf, SessionId } from "../../protocol/ids.ts";
import type { AgentInfo, OwnProcess, ProcessTopology } from "../../protocol/server-messages.ts";
import type { AcpAgent, SessionTools } from "../acp/acp-agent.ts";
import type { TraceLine } from "../acp/connection/wire-trace.ts";
import { type OfferedSignIn, publicMethod } from "../acp/sign-in-method.ts";
import type { AgentCatalog, AgentDefinition } from "../catalog/agent-definition.ts";
import { AcpHistoryReader } from "../history/acp-history-reader.ts";
import { agentEnvironment, joinPaths, loginPath } from "../process/agent-environment.ts";
import type { ProcessHost, SurvivingProcess } from "../process/process-host.ts";
import type { TerminalSpec } from "../process/sign-in-terminals.ts";
import { OWNER_VARIABLE, RUN_VARIABLE } from "../process/sweep-leftovers.ts";
import { AgentSupervisor, readLabel, type SupervisorOptions } from "./agent-supervisor.ts";
import { chooseEvictions, type EvictionLimits } from "./eviction.ts";

const EVICTION_CHECK_MS = 15_000;
/** How long an agent may take to delete its copy of a conversation. */
const FORGET_MS_MAX = 30_000;
/** How many sessions without a running process of their own keep the log of the one they had. */
const ENDED_TRACES_MAX = 50;

type AgentPoolOptions = Omit<SupervisorOptions, "definition" | "env" | "sessionId" | "onTurnCompleted"> & {
  readonly catalog: AgentCatalog;
  readonly inheritedEnv: Readonly<Record<string, string | undefined>>;
  /** The mark by which a later run finds what this one may leave behind. */
  readonly owner: string;
  readonly limits: EvictionLimits;
  readonly choices: ProcessChoices;
  /** For processes that are of no use to a later server. */
  readonly readerHost: ProcessHost;
  /** What a session's agent gets: tool servers of the user's, and our own unless they are not to be offered. */
  readonly tools: (session: Pick<AttachRequest, "sessionId" | "projectId">) => Promise<SessionTools>;
  /** Something in `list` other than a status is different now. */
  readonly onListChanged: () => void;
};

/** One running process, for whoever shows or limits them. */
interface PoolProcess {
  readonly id: CliType;
  readonly sessionId: SessionId | null;
  readonly pid: number;
  readonly startedAt: number;
  readonly restarts: number;
  readonly busy: boolean;
}

/** All agents of the catalog and their processes; what sessions see of them is the `Agents` port. */
export class AgentPool implements Agents, AgentHistories {
  readonly #options: AgentPoolOptions;
  /** By agent, or by session where each has a process of its own. */
  readonly #supervisors = new Map<string, AgentSupervisor>();
  /** Agents that answered that the user must sign in first. */
  readonly #signedOut = new Set<CliType>();
  /** What the last process of each agent offered for signing in: the process itself may be gone. */
  readonly #signIn = new Map<CliType, readonly OfferedSignIn[]>();
  /** Agents whose sign-in lives in the process it happened in: that one serves all sessions. */
  readonly #signedInInside = new Set<CliType>();
  /** Agents whose last start failed, and why. */
  readonly #failed = new Map<CliType, string>();
  readonly #checks: ReturnType<typeof setInterval>;
  readonly #readers = new Set<AcpHistoryReader>();
  #stopped = false;
  /** Processes of an earlier server whose output was not read yet. */
  readonly #survivors = new Map<string, { readonly supervisor: AgentSupervisor; readonly agent: AcpAgent }>();
  #loginPath: Promise<string | null> | null = null;
  /** Undefined until the login shell has answered. */
  #knownLoginPath: string | null | undefined;
  /** The list was shown without knowing whether a program is there. */
  #isPathAwaited = false;

  constructor(options: AgentPoolOptions) {
    this.#options = options;
    this.#checks = setInterval(() => this.evict(), Math.min(EVICTION_CHECK_MS, options.limits.idleMs));
    this.#checks.unref();
  }

  async attach(request: AttachRequest): Promise<AgentSession> {
    const { cliType, sessionId, cwd, restore, sink, tryFlush, signal } = request;
    const offered = this.#definition(cliType)?.orchestration !== false;
    // First: once the agent is there, it is to be busy with us before anyone can find it idle.
    const { mcpServers, ownTools } = await this.#options.tools(request);
    const supervisor = this.#supervisor(cliType, sessionId, cwd);
    const agent = await supervisor.ensure();
    try {
      const place = { cwd, sink, tryFlush, signal, mcpServers, ownTools: offered ? ownTools : null };
      const attaching = restore === null ? agent.newSession(place) : agent.restoreSession(restore, place);
      // Only now: this agent is busy, so that room is made for it and not by it.
      this.evict();
      const session = await attaching;
      this.#setSignedOut(cliType, false);
      return session;
    } catch (error) {
      if (!(error instanceof RefusalError) || error.refusal.code !== "AGENT_AUTH_REQUIRED") throw error;
      if (supervisor.isOwn && this.#supervisors.get(cliType)?.isSignedIn) {
        this.#signedInInside.add(cliType);
        this.#options.log.info(
          `Agent ${cliType}: its sign-in is valid for one process only, which now serves all sessions`,
        );
        this.#options.onListChanged();
        await supervisor.end();
        return this.attach(request);
      }
      this.#setSignedOut(cliType, true);
      throw error;
    }
  }

  async end(sessionId: SessionId): Promise<void> {
    await this.#supervisors.get(sessionId)?.end();
    this.#dropOldest();
  }

  /** What ended processes of single sessions said is kept for their logs, up to a limit. */
  #dropOldest(): void {
    const ended = [...this.#supervisors].filter(
      ([key, { status }]) => status === "idle" && SessionId.safeParse(key).success,
    );
    for (const [key] of ended.slice(0, Math.max(0, ended.length - ENDED_TRACES_MAX))) this.#supervisors.delete(key);
  }

  /**
   * One that rests is started for it: nothing of a deleted conversation may stay behind. One that is not there has
   * nothing, nor has one that never knew the conversation.
   */
  async forget({ cliType, sessionId, cwd, agentSessionId }: ForgetRequest): Promise<void> {
    if (!this.#definition(cliType)?.command) return;
    try {
      if (agentSessionId === NO_AGENT_SESSION) return;
      const supervisor = this.#supervisor(cliType, sessionId, cwd);
      // One that has run and does not offer it need not be started to say so again.
      if (supervisor.offersDelete === false) return;
      const agent = await supervisor.ensure();
      const { promise: late, reject } = Promise.withResolvers<never>();
      const name = this.#definition(cliType)?.name ?? cliType;
      const timer = setTimeout(() => reject(new RefusalError(REFUSE.agentStopped(name))), FORGET_MS_MAX);
      await Promise.race([agent.deleteSession(agentSessionId), late]).finally(() => clearTimeout(timer));
    } finally {
      // A process of the session's own has nobody left to serve.
      const own = this.#supervisors.get(sessionId);
      this.#supervisors.delete(sessionId);
      await own?.end();
    }
  }

  /** A process beside the one that serves sessions: what is read there disturbs nobody. */
  async openHistory(cliType: CliType): Promise<HistoryReader> {
    const definition = this.#definition(cliType);
    if (!definition) throw new RefusalError(REFUSE.agentUnknown(cliType));
    const env = await this.#environment(definition);
    if (this.#stopped) throw new RefusalError(REFUSE.agentStopped(definition.name));
    const { readerHost: host } = this.#options;
    const reader: AcpHistoryReader = new AcpHistoryReader({ ...this.#options, host, definition, env }, () =>
      this.#readers.delete(reader),
    );
    this.#readers.add(reader);
    try {
      await reader.open();
      return reader;
    } catch (error) {
      await reader[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Resumes processes of an earlier server, one per known agent, and ends the others. */
  async resumeSurvivors(survivors: readonly SurvivingProcess[]): Promise<void> {
    for (const survivor of survivors) await this.#resume(survivor);
  }

  async #resume(survivor: SurvivingProcess): Promise<void> {
    const label = readLabel(survivor.label);
    const known = label && this.#definition(label.cliType) ? label : null;
    // It keeps its topology, whatever is configured for the next process.
    const supervisor = known && this.#keptSupervisor(known.cliType, known.sessionId, known.cwd);
    if (supervisor?.status !== "idle") return survivor.abandon();
    this.#survivors.set(survivor.id, { supervisor, agent: await supervisor.resume(survivor) });
  }

  survivors(): readonly string[] {
    return [...this.#survivors.keys()];
  }

  rejoin(request: RejoinRequest): RejoinedSession | null {
    return this.#survivors.get(request.processId)?.agent.rejoin(request) ?? null;
  }

  catchUp(): void {
    for (const { supervisor, agent } of this.#survivors.values()) {
      if (!agent.catchUp()) supervisor.evict("it was never used");
      // Its session was ended a moment before the last server was: nobody goes on with it.
      else if (supervisor.isOwn && agent.sessionCount === 0) supervisor.end().catch(this.#options.onError);
    }
    this.#survivors.clear();
  }

  /** The agent walks the method itself; a refusal says why it did not succeed. */
  async authenticate(cliType: CliType, methodId: string): Promise<void> {
    await this.#supervisor(cliType, null, this.#options.cwd).authenticate(methodId);
    this.#endIdleOwn(cliType);
    this.#setSignedOut(cliType, false);
  }

  /** Signed in outside the process: whether it worked shows with the next session. */
  forgetSignedOut(cliType: CliType): void {
    this.#setSignedOut(cliType, false);
  }

  signInMethod(cliType: CliType, methodId: string): OfferedSignIn | null {
    return this.#signInMethods(cliType).find(({ id }) => id === methodId) ?? null;
  }

  /** Of any of its processes: which of them serves whom makes no difference to how the user signs in. */
  #signInMethods(cliType: CliType): readonly OfferedSignIn[] {
    const running = this.#supervisorsOf(cliType).find(({ signInMethods }) => signInMethods.length > 0);
    return running?.signInMethods ?? this.#signIn.get(cliType) ?? [];
  }

  /** What runs in a terminal for a method of that kind: the agent's own command with more arguments, or another one. */
  async signInTerminal(cliType: CliType, method: OfferedSignIn): Promise<TerminalSpec | null> {
    const definition = this.#definition(cliType);
    if (!definition?.command) return null;
    const env = { ...(await this.#environment(definition)), ...method.env };
    return { command: method.command ?? [...definition.command, ...method.args], cwd: this.#options.cwd, env };
  }

  async reconnect(cliType: CliType, sessionId: SessionId | null, cwd: string, restart: boolean): Promise<void> {
    const own = sessionId === null ? this.#supervisorsOf(cliType).filter(({ isOwn }) => isOwn) : [];
    if (own.length === 0 || this.#supervisors.get(cliType)?.running) {
      await this.#supervisor(cliType, sessionId, cwd).reconnect(restart);
      return;
    }
    if (restart) this.#endIdleOwn(cliType);
    const lost = own.filter(({ message }) => message !== undefined);
    await Promise.all(lost.map((supervisor) => supervisor.reconnect(false)));
  }

  /** Their sessions return with their next message, in a process that sees what has changed since. */
  #endIdleOwn(cliType: CliType): void {
    for (const supervisor of this.#supervisorsOf(cliType))
      if (supervisor.isOwn) supervisor.evict("its next process uses the new sign-in");
  }

  /** For processes that are started from now on: what runs goes on as it is. */
  chooseTopology(cliType: CliType, process: ProcessTopology): void {
    this.#options.choices.chooseProcess(cliType, process);
    this.#signedInInside.delete(cliType);
    for (const supervisor of this.#supervisorsOf(cliType))
      if (supervisor.message !== undefined) supervisor.end().catch(this.#options.onError);
    this.#options.onListChanged();
  }

  #topologyOf({ id, process }: AgentDefinition): ProcessTopology {
    return this.#signedInInside.has(id) ? "shared" : (this.#options.choices.processOf(id) ?? process);
  }

  #supervisorsOf(cliType: CliType): readonly AgentSupervisor[] {
    return [...this.#supervisors].flatMap(([key, one]) => (this.#identity(key).id === cliType ? [one] : []));
  }

  list(): readonly AgentInfo[] {
    const known = this.#options.catalog.definitions();
    return known.map((definition) => {
      const info = describeAgent(definition, this.#supervisors.get(definition.id), {
        availability: this.#availability(definition),
        process: this.#topologyOf(definition),
        signIn: this.#signInMethods(definition.id),
      });
      const failure = this.#failureOf(definition);
      return info.message === undefined && failure !== null ? { ...info, message: failure } : info;
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

  /** How the processes of single sessions stand, running or not. */
  ownProcesses(): readonly OwnProcess[] {
    return [...this.#supervisors].flatMap(([key, { status, message, nextTryAt }]) => {
      const { id, sessionId } = this.#identity(key);
      if (sessionId === null) return [];
      const why = { ...(message !== undefined && { message }), ...(nextTryAt !== undefined && { nextTryAt }) };
      return [{ cliType: id, sessionId, status, ...why }];
    });
  }

  /** The last wire messages of the process that serves this session. */
  trace(cliType: CliType, sessionId: SessionId): readonly TraceLine[] {
    const [own, shared] = [this.#supervisors.get(sessionId), this.#supervisors.get(cliType)];
    const definition = this.#definition(cliType);
    const isShared = definition !== undefined && this.#topologyOf(definition) === "shared" && !own?.running;
    const supervisor = isShared ? (shared ?? own) : (own ?? shared);
    return supervisor?.trace.recent() ?? [];
  }

  evict(): void {
    const { limits, world } = this.#options;
    const running = [...this.#supervisors.values()].flatMap((supervisor) =>
      supervisor.running ? [{ ...supervisor.running, evict: (why: string) => supervisor.evict(why) }] : [],
    );
    for (const { process, why } of chooseEvictions(running, limits, world.now(), isMemoryShort())) process.evict(why);
  }

  /** Ends idle processes of one agent, so that its next start is of what is installed then; false when one is at work. */
  release(cliType: CliType): boolean {
    // What failed was the version before.
    this.#failed.delete(cliType);
    const all = this.#supervisorsOf(cliType);
    for (const supervisor of all) supervisor.evict("another version is to be started next");
    return all.every(({ running }) => running === null);
  }

  async stop(): Promise<void> {
    clearInterval(this.#checks);
    this.#stopped = true;
    const readers = [...this.#readers].map((reader) => reader[Symbol.asyncDispose]());
    await Promise.all([...readers, ...[...this.#supervisors.values()].map((supervisor) => supervisor.stop())]);
  }

  #supervisor(cliType: CliType, sessionId: SessionId | null, cwd: string): AgentSupervisor {
    const definition = this.#definition(cliType);
    if (!definition) throw new RefusalError(REFUSE.agentUnknown(cliType));
    // One that runs goes on, however the next one is to be started: two would write to the same conversation.
    const hasOwn = sessionId !== null && this.#supervisors.get(sessionId)?.running;
    const own = hasOwn || this.#topologyOf(definition) === "per-session" ? sessionId : null;
    return this.#keptSupervisor(cliType, own, cwd);
  }

  /** The one of the session, or with null the one that sessions share. */
  #keptSupervisor(cliType: CliType, own: SessionId | null, cwd: string): AgentSupervisor {
    const definition = this.#definition(cliType);
    if (!definition) throw new RefusalError(REFUSE.agentUnknown(cliType));
    const key = own ?? cliType;
    const known = this.#supervisors.get(key);
    if (known) return known;
    const supervisor: AgentSupervisor = new AgentSupervisor({
      ...this.#options,
      definition: () => this.#definition(cliType) ?? definition,
      sessionId: own,
      cwd: own === null ? this.#options.cwd : cwd,
      env: () => this.#environment(this.#definition(cliType) ?? definition),
      onStatus: (change) => {
        if (change.status === "connected") this.#signIn.set(cliType, supervisor.signInMethods);
        this.#seen(change, supervisor.nextTryAt !== undefined);
        this.#options.onStatus(change);
      },
      // Not at once: a queued message may start the next turn with this very event.
      onTurnCompleted: () => void setImmediate(() => this.evict()),
    });
    this.#supervisors.set(key, supervisor);
    return supervisor;
  }

  /** An agent works until it was seen to fail, and again once it was seen to run. */
  #seen({ cliType, status, refusal }: AgentStatusChange, isRetried: boolean): void {
    const before = this.#failed.get(cliType);
    if (status === "connected") this.#failed.delete(cliType);
    else if (refusal && !isRetried) this.#failed.set(cliType, refusal.message);
    if (before !== this.#failed.get(cliType)) this.#options.onListChanged();
  }

  /** Why it cannot be started as things are. A path relative to the session's directory is known only after a try. */
  #failureOf({ id, name, command, env }: AgentDefinition): string | null {
    const program = command?.[0];
    if (program !== undefined && isAbsolute(program) && !existsSync(program))
      return `Could not start ${name}. ${program} does not exist.`;
    if (program !== undefined && !/[\\/]/.test(program) && !this.#isOnPath(program, env["PATH"]))
      return `Could not start ${name}. "${program}" is not on your PATH. Install it, or set its full path in config.json.`;
    return this.#failed.get(id) ?? null;
  }

  #isOnPath(program: string, path: string | undefined): boolean {
    const { inheritedEnv } = this.#options;
    if (Bun.which(program, { PATH: path ?? joinPaths(inheritedEnv["PATH"], this.#knownLoginPath ?? null) }))
      return true;
    if (path !== undefined || this.#knownLoginPath !== undefined) return false;
    // The login shell may know it: until it has answered, nobody can say.
    this.#isPathAwaited = true;
    this.#learnLoginPath().catch(this.#options.onError);
    return true;
  }

  #learnLoginPath(): Promise<string | null> {
    this.#loginPath ??= loginPath(this.#options.inheritedEnv).then((path) => {
      this.#knownLoginPath = path;
      if (this.#isPathAwaited) this.#options.onListChanged();
      return path;
    });
    return this.#loginPath;
  }

  #availability(definition: AgentDefinition): AgentInfo["availability"] {
    const { id, command } = definition;
    if (!command) return "needs-install";
    if (this.#failureOf(definition) !== null) return "failed";
    return this.#signedOut.has(id) ? "needs-sign-in" : "ready";
  }

  #setSignedOut(cliType: CliType, signedOut: boolean): void {
    if (this.#signedOut.has(cliType) === signedOut) return;
    if (signedOut) this.#signedOut.add(cliType);
    else this.#signedOut.delete(cliType);
    this.#options.onListChanged();
  }

  #definition(cliType: CliType): AgentDefinition | undefined {
    return this.#options.catalog.definitions().find(({ id }) => id === cliType);
  }

  async #environment(definition: AgentDefinition): Promise<Readonly<Record<string, string>>> {
    const { inheritedEnv, owner, epoch } = this.#options;
    const path = joinPaths(inheritedEnv["PATH"], await this.#learnLoginPath());
    const marks = { LIMINAL_AGENT: definition.id, [OWNER_VARIABLE]: owner, [RUN_VARIABLE]: epoch };
    return agentEnvironment(inheritedEnv, { PATH: path }, definition.env, marks);
  }

  #identity(key: string): Pick<PoolProcess, "id" | "sessionId"> {
    const own = SessionId.safeParse(key);
    return own.success ? { id: cliTypeOf(own.data), sessionId: own.data } : { id: CliType.parse(key), sessionId: null };
  }
}

/** One agent as clients see it, running or not. */
function describeAgent(
  { id, name, command, installHint, details }: AgentDefinition,
  supervisor: Pick<AgentSupervisor, "status" | "message" | "nextTryAt"> | undefined,
  seen: Pick<AgentInfo, "availability" | "process"> & { readonly signIn: readonly OfferedSignIn[] },
): AgentInfo {
  const { message, nextTryAt } = supervisor ?? {};
  return {
    id,
    name,
    status: supervisor?.status ?? "idle",
    ...seen,
    ...(message !== undefined && { message }),
    ...(nextTryAt !== undefined && { nextTryAt }),
    capabilities: {},
    signIn: seen.signIn.map(publicMethod),
    ...details,
    ...(!command && installHint && { hint: installHint }),
  };
}

const AVAILABLE_SHARE_MIN = 0.08;

/** True when the machine is short of memory: then idle agents are worth more as free memory. */
function isMemoryShort(): boolean {
  return availableBytes() / totalmem() < AVAILABLE_SHARE_MIN;
}

/** Linux counts caches as used in `freemem`, but says elsewhere what could be had. */
function availableBytes(): number {
  if (process.platform !== "linux") return freemem();
  const kilobytes = /^MemAvailable:\s+(\d+) kB/m.exec(readFileSync("/proc/meminfo", "utf8"))?.[1];
  return kilobytes === undefined ? freemem() : Number(kilobytes) * 1024;
}
