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
  ExpectedUse,
  ForgetRequest,
  ForkRequest,
  RejoinedSession,
  RejoinRequest,
} from "../../ports/agents.ts";
import { NO_AGENT_SESSION } from "../../ports/session-log.ts";
import type { AgentLimits } from "../../protocol/conversations.ts";
import { REFUSE, RefusalError } from "../../protocol/errors.ts";
import { CliType, cliTypeOf, SessionId } from "../../protocol/ids.ts";
import { pathThere, splitPlace } from "../../protocol/place-path.ts";
import type { ProcessTopology } from "../../protocol/process-topology.ts";
import type { AgentInfo, OwnProcess } from "../../protocol/server-messages.ts";
import type { AcpAgent } from "../acp/acp-agent.ts";
import type { TraceLine } from "../acp/connection/wire-trace.ts";
import { type AccountNews, afterNews, UNKNOWN_ACCOUNT, withoutPast } from "../acp/limits/account-limits.ts";
import type { SessionTools } from "../acp/mcp-servers.ts";
import { type OfferedSignIn, publicMethod } from "../acp/sign-in-method.ts";
import type { AgentCatalog, AgentDefinition } from "../catalog/agent-definition.ts";
import type { AcpHistoryReader, OfferedForks } from "../history/acp-history-reader.ts";
import { agentEnvironment, joinPaths, loginPath } from "../process/agent-environment.ts";
import type { ProcessHost, SurvivingProcess } from "../process/process-host.ts";
import type { TerminalSpec } from "../process/sign-in-terminals.ts";
import { OWNER_VARIABLE, RUN_VARIABLE } from "../process/sweep-leftovers.ts";
import { AgentSupervisor, readLabel, type SupervisorOptions } from "./agent-supervisor.ts";
import { chooseEvictions, type EvictionLimits } from "./eviction.ts";

/** Loaded with the first use, in that step (decision 149). */
const LATER = {
  reader: (): typeof import("../history/acp-history-reader.ts") => require("../history/acp-history-reader.ts"),
};

const EVICTION_CHECK_MS = 15_000;
/** How long an agent may take to delete its copy of a conversation. */
const FORGET_MS_MAX = 30_000;
/** Limit of sessions without a running process whose last trace is kept. */
const ENDED_TRACES_MAX = 50;

type AgentPoolOptions = Omit<
  SupervisorOptions,
  "definition" | "env" | "sessionId" | "isExpected" | "onTurnCompleted" | "onAccount"
> & {
  readonly catalog: AgentCatalog;
  readonly inheritedEnv: Readonly<Record<string, string | undefined>>;
  /** The mark by which a later run finds processes that this one may leave behind. */
  readonly owner: string;
  readonly limits: EvictionLimits;
  readonly choices: ProcessChoices;
  /** Choices stored earlier. */
  readonly chosen: ReadonlyMap<CliType, ProcessTopology>;
  /** For processes that a later server does not need. */
  readonly readerHost: ProcessHost;
  /** The MCP servers for a session's agent: the user's, and our own unless disabled. */
  readonly tools: (session: Pick<AttachRequest, "sessionId" | "projectId" | "cwd">) => Promise<SessionTools>;
  /** Agents on other machines. */
  readonly places: AgentPlaces;
  /** Why no agent of a session runs on this machine; null if they do. */
  readonly refusesHere?: string | null;
  /** What an earlier server stored about the accounts of agents. */
  readonly knownLimits: ReadonlyMap<CliType, AgentLimits>;
  /** What is known of the account of an agent has changed. */
  readonly onLimits: (cliType: CliType, limits: AgentLimits) => void;
  /** What clients may offer for sessions of an agent. */
  readonly capabilitiesOf: (cliType: CliType) => AgentInfo["capabilities"];
  /** Something in `list` other than a status has changed. */
  readonly onListChanged: () => void;
};

/** Where agents of projects at a place run. */
export interface AgentPlaces {
  /** How the agent is started there; empty for the built-in one, null if it has no command there. */
  command(place: string, cliType: CliType): readonly string[] | null;
  /** Rejects with NotStartableError if there is no such place. */
  host(place: string): Promise<ProcessHost>;
}

/** One running process, for display and limits. */
export interface PoolProcess {
  readonly id: CliType;
  readonly sessionId: SessionId | null;
  readonly pid: number;
  readonly startedAt: number;
  readonly restarts: number;
  readonly busy: boolean;
}

/** All agents of the catalog and their processes; sessions use them through the `Agents` port. */
export class AgentPool implements Agents, AgentHistories {
  readonly #options: AgentPoolOptions;
  /** By agent, or by session if it has its own process. */
  readonly #supervisors = new Map<string, AgentSupervisor>();
  /** Agents that require the user to sign in first. */
  readonly #signedOut = new Set<CliType>();
  /** The sign-in methods offered by each agent's last process, which may have ended. */
  readonly #signIn = new Map<CliType, readonly OfferedSignIn[]>();
  /** Agents whose sign-in is held by the process it happened in: that process serves all sessions. */
  readonly #canSignOut = new Map<CliType, boolean>();
  readonly #signedInInside = new Set<CliType>();
  /** Agents whose last start failed, and why. */
  readonly #failed = new Map<CliType, string>();
  readonly #limits: Map<CliType, AgentLimits>;
  readonly #chosen: Map<CliType, ProcessTopology>;
  readonly #checks: ReturnType<typeof setInterval>;
  /** Announced uses of processes that run or are to be started. */
  readonly #expected = new Set<ExpectedUse | { readonly cliType: CliType; readonly sessionId: null }>();
  readonly #readers = new Set<AcpHistoryReader>();
  /** Which copies of conversations an agent offers, as of its last answer: it is not started to be asked again. */
  readonly #forks = new WeakMap<AgentDefinition, OfferedForks>();
  #stopped = false;
  /** Processes of an earlier server whose output was not read yet. */
  readonly #survivors = new Map<
    string,
    { readonly supervisor: AgentSupervisor; readonly agent: AcpAgent; readonly place: string | null }
  >();
  #loginPath: Promise<string | null> | null = null;
  /** Undefined until the login shell has answered. */
  #knownLoginPath: string | null | undefined;
  /** The list was shown before it was known whether a program exists. */
  #isPathAwaited = false;

  constructor(options: AgentPoolOptions) {
    this.#options = options;
    this.#chosen = new Map(options.chosen);
    this.#limits = new Map(options.knownLimits);
    this.#checks = setInterval(() => this.evict(), Math.min(EVICTION_CHECK_MS, options.limits.idleMs));
    this.#checks.unref();
  }

  expect(use: ExpectedUse): Disposable {
    return this.#expect(use.cliType, use.sessionId);
  }

  /** With null the shared process. */
  #expect(cliType: CliType, sessionId: SessionId | null): Disposable {
    const use = { cliType, sessionId };
    this.#expected.add(use);
    return { [Symbol.dispose]: () => void this.#expected.delete(use) };
  }

  /** A session may be served by its own process or by the shared one, which is known only when it is attached. */
  #isExpected(cliType: CliType, own: SessionId | null): boolean {
    return [...this.#expected].some((use) => (own === null ? use.cliType === cliType : use.sessionId === own));
  }

  async attach(request: AttachRequest): Promise<AgentSession> {
    const { cliType, sessionId, cwd, restore, sink, tryFlush, signal } = request;
    using _ = this.#expect(cliType, sessionId);
    const offered = this.#definition(cliType)?.orchestration !== false;
    const finding = this.#options.tools(request);
    const supervisor = this.#supervisor(cliType, sessionId, cwd);
    // Both need the place. One that cannot be reached is tried once, and what starts the agent says why.
    if (splitPlace(cwd)) await Promise.all([finding, supervisor.ensure()]);
    // First, so that the agent is busy with this request before it can be considered idle.
    const { mcpServers, ownTools } = await finding;
    const agent = await supervisor.ensure();
    try {
      const place = { cwd: pathThere(cwd), sink, tryFlush, signal, mcpServers, ownTools: offered ? ownTools : null };
      const attaching = restore === null ? agent.newSession(place) : agent.restoreSession(restore, place);
      // Only now: this agent is busy, so it is not evicted to make room for itself.
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

  rest(cliType: CliType, sessionId: SessionId): void {
    for (const key of [sessionId, cliType])
      this.#supervisors.get(key)?.evict("one of its conversations continues in a terminal");
  }

  /** Traces of ended single-session processes are kept, up to a limit. */
  #dropOldest(): void {
    const ended = [...this.#supervisors].filter(
      ([key, { status, hasProcess }]) => status === "idle" && !hasProcess && SessionId.safeParse(key).success,
    );
    for (const [key] of ended.slice(0, Math.max(0, ended.length - ENDED_TRACES_MAX))) this.#supervisors.delete(key);
  }

  /**
   * An idle agent is started for this: a deleted conversation must not remain. An uninstalled agent has none, and
   * neither has one that never had the conversation.
   */
  async forget({ cliType, sessionId, cwd, agentSessionId }: ForgetRequest): Promise<void> {
    if (!this.#definition(cliType)?.command) return;
    try {
      if (agentSessionId === NO_AGENT_SESSION) return;
      const supervisor = this.#supervisor(cliType, sessionId, cwd);
      // An agent that has run and does not support deletion need not be started again.
      if (supervisor.offersDelete === false) return;
      using _ = this.#expect(cliType, sessionId);
      const agent = await supervisor.ensure();
      const { promise: late, reject } = Promise.withResolvers<never>();
      const name = this.#definition(cliType)?.name ?? cliType;
      const timer = setTimeout(() => reject(new RefusalError(REFUSE.agentStopped(name))), FORGET_MS_MAX);
      await Promise.race([agent.deleteSession(agentSessionId), late]).finally(() => clearTimeout(timer));
    } finally {
      // The session's own process is no longer needed.
      const own = this.#supervisors.get(sessionId);
      await own?.end();
      // Not before its end: a stop of the server meanwhile waits for all that are listed.
      this.#supervisors.delete(sessionId);
    }
  }

  /** In a separate process that ends with it: an agent may keep a copy locked for as long as its process runs. */
  async fork({ cliType, ...request }: ForkRequest): Promise<string | null> {
    const isOffered = !this.#supervisorsOf(cliType).some(({ offersFork }) => offersFork === false);
    const definition = this.#definition(cliType);
    if (!isOffered || !definition?.command || request.agentSessionId === NO_AGENT_SESSION) return null;
    const known = this.#forks.get(definition);
    // The conversation is on another machine.
    if (splitPlace(request.cwd)) return null;
    if (known === "none" || (known === "whole" && request.anchor !== null)) return null;
    const reader = await this.#reader(cliType);
    const { agentSessionId, offered } = await reader.fork(request).catch(async (error: unknown) => {
      await reader[Symbol.asyncDispose]();
      throw error;
    });
    if (offered !== null) this.#forks.set(definition, offered);
    const ended = reader[Symbol.asyncDispose]();
    // Without a copy nothing is locked, and the end of the process need not be awaited.
    if (agentSessionId === null) ended.catch(this.#options.onError);
    else await ended;
    return agentSessionId;
  }

  /** A separate process, so that reading history does not disturb the one that serves sessions. */
  async openHistory(cliType: CliType): Promise<HistoryReader> {
    const reader = await this.#reader(cliType);
    try {
      await reader.open();
      return reader;
    } catch (error) {
      await reader[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #reader(cliType: CliType): Promise<AcpHistoryReader> {
    const definition = this.#definition(cliType);
    if (!definition) throw new RefusalError(REFUSE.agentUnknown(cliType));
    const env = await this.#environment(definition);
    if (this.#stopped) throw new RefusalError(REFUSE.agentStopped(definition.name));
    const { readerHost: host } = this.#options;
    const reader: AcpHistoryReader = new (LATER.reader().AcpHistoryReader)(
      { ...this.#options, host, definition, env },
      () => this.#readers.delete(reader),
    );
    this.#readers.add(reader);
    return reader;
  }

  /** Resumes processes of an earlier server, one per known agent, and ends the others. */
  async resumeSurvivors(survivors: readonly SurvivingProcess[]): Promise<void> {
    for (const survivor of survivors) await this.#resume(survivor);
  }

  async #resume(survivor: SurvivingProcess): Promise<void> {
    const label = readLabel(survivor.label);
    const known = label && this.#definition(label.cliType) && belongsTo(label, survivor.place) ? label : null;
    // It keeps its topology, whatever is configured for the next process.
    const supervisor = known && this.#keptSupervisor(known.cliType, known.sessionId, known.cwd);
    if (supervisor?.status !== "idle") {
      const abandoned = survivor.abandon();
      if (survivor.place === null) return abandoned;
      // Another machine may never answer: the start of this server does not wait for it.
      abandoned.catch(this.#options.onError);
      return;
    }
    const agent = await supervisor.resume(survivor);
    this.#survivors.set(survivor.id, { supervisor, agent, place: survivor.place });
  }

  /** The connection to a place is lost, with the reason, or back again. Agents there run on. */
  placeCut(place: string, reason: string | null): void {
    for (const supervisor of this.#supervisors.values()) supervisor.placeCut(place, reason);
  }

  survivors(): readonly string[] {
    return [...this.#survivors.keys()];
  }

  rejoin(request: RejoinRequest): RejoinedSession | null {
    const here = { ...request, cwd: pathThere(request.cwd) };
    return this.#survivors.get(request.processId)?.agent.rejoin(here) ?? null;
  }

  catchUp(): void {
    for (const { supervisor, agent, place } of this.#survivors.values()) {
      const hasBegun = this.#catchUp(agent, place);
      if (hasBegun === null) supervisor.end().catch(this.#options.onError);
      else if (!hasBegun) supervisor.evict("it was never used");
      // Its session was ended just before the last server stopped: nothing resumes it.
      else if (supervisor.isOwn && agent.sessionCount === 0) supervisor.end().catch(this.#options.onError);
    }
    this.#survivors.clear();
  }

  /** True if it was ever used; null for what no server of ours has left, which may come from another machine. */
  #catchUp(agent: AcpAgent, place: string | null): boolean | null {
    try {
      return agent.catchUp();
    } catch (error) {
      if (place === null) throw error;
      this.#options.log.warn(`An agent at ${place} is ended, because what it left cannot be read: ${error}`);
      return null;
    }
  }

  /** The agent runs the method itself; a refusal says why it failed. */
  async authenticate(cliType: CliType, methodId: string): Promise<void> {
    await this.#authenticate(cliType, methodId);
    this.#endIdleOwn(cliType);
    this.#setSignedOut(cliType, false);
  }

  async #authenticate(cliType: CliType, methodId: string): Promise<void> {
    using _ = this.#expect(cliType, null);
    await this.#supervisor(cliType, null, this.#options.cwd).authenticate(methodId);
  }

  async #signOut(cliType: CliType): Promise<boolean> {
    using _ = this.#expect(cliType, null);
    return this.#supervisor(cliType, null, this.#options.cwd).signOut();
  }

  /** Signs the agent out; false if it does not offer that. */
  async signOut(cliType: CliType): Promise<boolean> {
    if (!(await this.#signOut(cliType))) return false;
    this.#signedInInside.delete(cliType);
    this.#endIdleOwn(cliType);
    this.#setSignedOut(cliType, true);
    return true;
  }

  /** Signed in outside the process: the next session shows whether it worked. */
  forgetSignedOut(cliType: CliType): void {
    this.#setSignedOut(cliType, false);
  }

  signInMethod(cliType: CliType, methodId: string): OfferedSignIn | null {
    return this.#signInMethods(cliType).find(({ id }) => id === methodId) ?? null;
  }

  /** From any of its processes: signing in does not depend on which one serves a session. */
  #signInMethods(cliType: CliType): readonly OfferedSignIn[] {
    const running = this.#supervisorsOf(cliType).find(({ signInMethods }) => signInMethods.length > 0);
    return running?.signInMethods ?? this.#signIn.get(cliType) ?? [];
  }

  /** The terminal command for a sign-in method: the agent's own command with more arguments, or another one. */
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

  /** Their sessions restart with the next message, in a process that sees the change. */
  #endIdleOwn(cliType: CliType): void {
    for (const supervisor of this.#supervisorsOf(cliType))
      if (supervisor.isOwn) supervisor.evict("its next process uses the new sign-in");
  }

  /** Applies to processes started from now on; running ones continue unchanged. */
  async chooseTopology(cliType: CliType, process: ProcessTopology): Promise<void> {
    await this.#options.choices.chooseProcess(cliType, process);
    this.#chosen.set(cliType, process);
    this.#signedInInside.delete(cliType);
    for (const supervisor of this.#supervisorsOf(cliType))
      if (supervisor.message !== undefined) supervisor.end().catch(this.#options.onError);
    this.#options.onListChanged();
  }

  #topologyOf({ id, process }: AgentDefinition): ProcessTopology {
    return this.#signedInInside.has(id) ? "shared" : (this.#chosen.get(id) ?? process);
  }

  #supervisorsOf(cliType: CliType): readonly AgentSupervisor[] {
    return [...this.#supervisors].flatMap(([key, one]) => (this.#identity(key).id === cliType ? [one] : []));
  }

  list(): readonly AgentInfo[] {
    return this.#options.catalog.definitions().map((definition) => {
      const known = this.#limits.get(definition.id);
      const limits = known && withoutPast(known, this.#options.world.now());
      const described = describeAgent(definition, this.#supervisors.get(definition.id), {
        availability: this.#availability(definition),
        process: this.#topologyOf(definition),
        capabilities: this.#options.capabilitiesOf(definition.id),
        signIn: this.#signInMethods(definition.id),
        ...(this.#canSignOut.get(definition.id) === true && { signOut: true as const }),
      });
      const info = limits ? { ...described, limits } : described;
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

  /** Status of the processes of single sessions, running or not. */
  ownProcesses(): readonly OwnProcess[] {
    return [...this.#supervisors].flatMap(([key, { status, cutMessage, message = cutMessage, nextTryAt }]) => {
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

  /** Ends idle processes of one agent, so that its next start uses the installed version; false if one is busy. */
  release(cliType: CliType): boolean {
    // The failure belongs to the previous version.
    this.#failed.delete(cliType);
    const all = this.#supervisorsOf(cliType);
    for (const supervisor of all) supervisor.evict("another version is to be started next");
    return all.every(({ running }) => running === null);
  }

  /** The next server has the agents. */
  leave(): void {
    clearInterval(this.#checks);
  }

  async stop(): Promise<void> {
    this.leave();
    this.#stopped = true;
    const readers = [...this.#readers].map((reader) => reader[Symbol.asyncDispose]());
    await Promise.all([...readers, ...[...this.#supervisors.values()].map((supervisor) => supervisor.stop())]);
  }

  #supervisor(cliType: CliType, sessionId: SessionId | null, cwd: string): AgentSupervisor {
    const definition = this.#definition(cliType);
    if (!definition) throw new RefusalError(REFUSE.agentUnknown(cliType));
    // A running process is kept, whatever is configured: two would write to the same conversation.
    const hasOwn = sessionId !== null && this.#supervisors.get(sessionId)?.running;
    const { refusesHere = null } = this.#options;
    if (refusesHere !== null && splitPlace(cwd) === null) throw new RefusalError(REFUSE.placeFailed(refusesHere));
    const isOwn = hasOwn || splitPlace(cwd) !== null || this.#topologyOf(definition) === "per-session";
    const own = isOwn ? sessionId : null;
    return this.#keptSupervisor(cliType, own, cwd);
  }

  /** The session's own process, or with null the shared one. */
  #keptSupervisor(cliType: CliType, own: SessionId | null, cwd: string): AgentSupervisor {
    const definition = this.#definition(cliType);
    if (!definition) throw new RefusalError(REFUSE.agentUnknown(cliType));
    const key = own ?? cliType;
    const known = this.#supervisors.get(key);
    if (known) {
      // The session may have moved.
      if (own !== null) known.startIn(cwd);
      return known;
    }
    const supervisor: AgentSupervisor = new AgentSupervisor({
      ...this.#options,
      definition: () => this.#definition(cliType) ?? definition,
      sessionId: own,
      cwd: own === null ? this.#options.cwd : cwd,
      env: () => this.#environment(this.#definition(cliType) ?? definition),
      ...this.#atPlace(cwd, () => this.#definition(cliType) ?? definition),
      onStatus: (change) => {
        if (change.status === "connected") {
          this.#signIn.set(cliType, supervisor.signInMethods);
          this.#canSignOut.set(cliType, supervisor.canSignOut);
        }
        this.#seen(change, supervisor.nextTryAt !== undefined);
        this.#options.onStatus(change);
      },
      // Not at once: a queued message may start the next turn with this event.
      onTurnCompleted: () => void setImmediate(() => this.evict()),
      isExpected: () => this.#isExpected(cliType, own),
      onAccount: (news) => this.#learn(cliType, news),
    });
    this.#supervisors.set(key, supervisor);
    return supervisor;
  }

  /**
   * An agent at a place has the environment of that place, and reads and writes files there by itself: nothing of it is
   * opened on this machine.
   */
  #atPlace(cwd: string, definition: () => AgentDefinition): Partial<SupervisorOptions> {
    const at = splitPlace(cwd);
    if (!at) return {};
    const { places } = this.#options;
    let host: ProcessHost | null = null;
    return {
      isHeld: true,
      guarded: [],
      definition: () => ({
        ...definition(),
        command: places.command(at.place, definition().id),
        serves: { fs: false, terminal: false },
        installHint: `Add its command under places.${at.place}.agents in config.json.`,
      }),
      env: async () => {
        host = await places.host(at.place);
        return { LIMINAL_AGENT: definition().id };
      },
      host: {
        start: (spec) => {
          if (!host) throw new Error("a process is started after its environment is known");
          return host.start(spec);
        },
      },
    };
  }

  /** Sessions of an agent share its account. */
  #learn(cliType: CliType, news: AccountNews): void {
    const known = this.#limits.get(cliType) ?? UNKNOWN_ACCOUNT;
    const limits = afterNews(known, news);
    if (limits === known) return;
    this.#limits.set(cliType, limits);
    this.#options.onLimits(cliType, limits);
  }

  /** An agent counts as working until it is seen to fail, and again once it runs. */
  #seen({ cliType, status, refusal }: AgentStatusChange, isRetried: boolean): void {
    const before = this.#failed.get(cliType);
    if (status === "connected") this.#failed.delete(cliType);
    else if (refusal && !isRetried) this.#failed.set(cliType, refusal.message);
    if (before !== this.#failed.get(cliType)) this.#options.onListChanged();
  }

  /** Why it cannot be started now. A path relative to the session's directory is only checked at start. */
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
    // The login shell's PATH may contain it; unknown until the shell has answered.
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

/**
 * Places are other machines, whose data is not trusted: an agent of one stays its agent, and never serves all sessions.
 */
function belongsTo(
  { cwd, sessionId }: { readonly cwd: string; readonly sessionId: SessionId | null },
  place: string | null,
): boolean {
  return (splitPlace(cwd)?.place ?? null) === place && (place === null || sessionId !== null);
}

/** One agent as clients see it, running or not. */
function describeAgent(
  { id, name, command, installHint, details }: AgentDefinition,
  supervisor: Pick<AgentSupervisor, "status" | "message" | "nextTryAt"> | undefined,
  seen: Pick<AgentInfo, "availability" | "process" | "capabilities" | "signOut"> & {
    readonly signIn: readonly OfferedSignIn[];
  },
): AgentInfo {
  const { message, nextTryAt } = supervisor ?? {};
  return {
    id,
    name,
    status: supervisor?.status ?? "idle",
    ...seen,
    ...(message !== undefined && { message }),
    ...(nextTryAt !== undefined && { nextTryAt }),
    capabilities: seen.capabilities,
    signIn: seen.signIn.map(publicMethod),
    ...details,
    ...(!command && installHint && { hint: installHint }),
  };
}

const AVAILABLE_SHARE_MIN = 0.08;

/** True if the machine is short of memory: idle agents are then evicted earlier. */
function isMemoryShort(): boolean {
  return availableBytes() / totalmem() < AVAILABLE_SHARE_MIN;
}

/** `freemem` on Linux counts caches as used; this reads the available memory instead. */
function availableBytes(): number {
  if (process.platform !== "linux") return freemem();
  const kilobytes = /^MemAvailable:\s+(\d+) kB/m.exec(readFileSync("/proc/meminfo", "utf8"))?.[1];
  return kilobytes === undefined ? freemem() : Number(kilobytes) * 1024;
}
