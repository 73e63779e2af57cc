import { ignore } from "../../lib/ignore.ts";
import type {
  AgentSession,
  AgentSink,
  QuestionDesk,
  RejoinedSession,
  RejoinRequest,
  RestoreRequest,
  TryFlush,
} from "../../ports/agents.ts";
import { NO_AGENT_SESSION } from "../../ports/session-log.ts";
import type { World } from "../../ports/world.ts";
import type { UsageLimit } from "../../protocol/conversations.ts";
import { REFUSE, RefusalError } from "../../protocol/errors.ts";
import type { CliType } from "../../protocol/ids.ts";
import type { PromptAbilities } from "../../protocol/session-parts.ts";
import type { ExitReport, ProcessHost, StopUrgency } from "../process/process-host.ts";
import { AcpQuestions } from "./acp-questions.ts";
import { AcpSession, type ClosedSession, type Loss, type StoredPast } from "./acp-session.ts";
import { AcpSessions } from "./acp-sessions.ts";
import { AgentFailureError, asFailure, isSessionGone, refusalOf } from "./agent-refusals.ts";
import { ClientRequests } from "./client-requests.ts";
import { AcpConnection } from "./connection/acp-connection.ts";
import type { AcpFailure, AcpNote } from "./connection/acp-hooks.ts";
import type { WireTrace } from "./connection/wire-trace.ts";
import type { AccountNews } from "./limits/account-limits.ts";
import { type AccountStatus, readAccountLabel, readAccountStatus, readLimit } from "./limits/read-limit.ts";
import type { ReadingClock } from "./limits/time-in-text.ts";
import { acpMcpServers, type SessionTools } from "./mcp-servers.ts";
import { asArray, asObject, asString, type JsonObject, readTime } from "./read-json.ts";
import { type Replay, untilLoadIsSafe } from "./replay.ts";
import { type OfferedSignIn, readSignInMethods } from "./sign-in-method.ts";
import { readAbilities } from "./translate/translate-content.ts";
import { OWN_TERMINAL_CAPABILITIES } from "./translate/translate-update.ts";

interface AcpAgentOptions {
  readonly id: CliType;
  readonly name: string;
  readonly host: ProcessHost;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly epoch: string;
  /** Unique among all processes ever started. */
  readonly processId: string;
  /** Set if the process outlives the server: the data the next server needs. */
  readonly held: { readonly id: string; readonly label: string } | null;
  readonly trace: WireTrace;
  readonly world: World;
  readonly clientVersion: string;
  readonly onTurnCompleted: () => void;
  /** The agent reported something about its account. */
  readonly onAccount?: (news: AccountNews) => void;
  /** It keeps working on a closed session; only ending the process stops it. */
  readonly onUnstoppable: () => void;
  /** It wrote a line that is not a message. */
  readonly onUnreadable?: (text: string) => void;
  readonly desk: QuestionDesk;
  /** Requests that the agent may send us. */
  readonly serves: { readonly fs: boolean; readonly terminal: boolean };
  /** Directories that the agent may not access through us, wherever its sessions work. */
  readonly guarded: readonly string[];
  readonly onError: (error: unknown) => void;
}

/** Connects a session to its agent. */
interface SessionPlace extends Partial<SessionTools> {
  readonly cwd: string;
  readonly sink: AgentSink;
  /** Stores the events passed to the sink; absent if nothing is stored. */
  readonly tryFlush?: TryFlush;
  /** Aborts waiting, not work already started. */
  readonly signal: AbortSignal;
}

const PROTOCOL_VERSION = 1;
/** How long an agent may keep working on a closed session. Agents that stop at all answer within milliseconds. */
export const CLOSE_ANSWER_MS_MAX = 1_000;
/** How long reopening a session waits for the agent to release it. */
const LET_GO_MS_MAX = 5_000;
/** If listing sessions takes longer, the session is loaded instead of resumed. */
const LIST_WAIT_MS_MAX = 5_000;
const LIST_PAGES_MAX = 20;

/** One running agent process and its sessions. All state ends with the process. */
export class AcpAgent {
  readonly #options: AcpAgentOptions;
  readonly #connection: AcpConnection;
  readonly #sessions = new AcpSessions();
  readonly #checkpoints: Checkpoints;
  /** Conversations being closed; reopening one waits for that. */
  readonly #closing = new Map<string, Promise<unknown>>();
  /** Prompts of closed sessions that are not answered yet. */
  readonly #stopping = new Map<string, () => void>();
  /** Prompts of an earlier server in sessions that are not continued. */
  readonly #orphans = new Map<string, string>();
  readonly #questions: AcpQuestions;
  #released: Promise<void> = Promise.resolve();
  #initialized: JsonObject | null = null;
  #capabilities: JsonObject = {};
  #abilities: PromptAbilities = readAbilities({});
  #signInMethods: readonly OfferedSignIn[] = [];
  #agentName = "";

  /** Throws NotStartableError when the command cannot be run at all. */
  constructor(options: AcpAgentOptions) {
    this.#options = options;
    this.#checkpoints = new Checkpoints(() => this.#checkpoint(), options.onError);
    this.#questions = new AcpQuestions({
      ...options,
      sessionOf: ({ sessionId, requestId }) =>
        this.#sessions.rootOf(asString(sessionId) ?? this.#connection.callerOf(requestId) ?? ""),
      subAgentOf: ({ sessionId }) => this.#sessions.subAgentTitle(asString(sessionId) ?? ""),
      sessionNamed: (agentSessionId) => this.#sessions.get(agentSessionId),
      answer: (offset, answer) => this.#connection.answer(offset, answer),
    });
    this.#connection = new AcpConnection({
      ...options,
      hooks: {
        ...this.#sessions.hooks,
        onAccount: (params) => options.onAccount?.({ type: "account", label: readAccountLabel(params) }),
        onPromptAnswer: (key, result, failure) => {
          this.#sessions.hooks.onPromptAnswer(key, result, failure);
          this.#stopping.get(key)?.();
        },
        onPastPrompt: (agentSessionId, key) => {
          if (this.#sessions.get(agentSessionId)) this.#sessions.hooks.onPastPrompt(agentSessionId, key);
          else this.#orphaned(agentSessionId, key);
        },
        onRequest: (method, params) => this.#onRequest(method, params),
        onPermissionRequest: (asked, params) => {
          if (!this.#sessions.onPermissionRequest(asked, params))
            this.#connection.answer(asked.offset, { result: { outcome: { outcome: "cancelled" } } });
        },
        ...this.#questions.hooks,
        onCheckpointDue: () => this.#checkpoints.due(),
        onNote: (note) => this.#restore(note),
        onPastAnswer: (method, params, result) => this.#onPastAnswer(method, params, result),
      },
    });
    this.exited.then(() => this.#checkpoints.end(), options.onError);
  }

  get pid(): number {
    return this.#connection.pid;
  }

  get exited(): Promise<ExitReport> {
    return this.#connection.exited;
  }

  /** A turn, a permission request, a question or another request is open. */
  get isBusy(): boolean {
    return this.#sessions.isAttaching || this.#connection.isBusy;
  }

  get stderrTail(): string {
    return this.#connection.stderrTail;
  }

  /** Name and version from `initialize`, for the log. */
  get about(): string {
    const info = asObject(this.#initialized?.["agentInfo"]);
    const name = asString(info?.["name"]) ?? "an unnamed agent";
    const session = Object.keys(asObject(this.#capabilities["sessionCapabilities"]) ?? {});
    const offered = [...(this.#capabilities["loadSession"] === true ? ["load"] : []), ...session];
    return `${name} ${asString(info?.["version"]) ?? "(no version)"}, supports ${offered.join(", ") || "no session restore"}`;
  }

  /** Rejects with NotStartableError. */
  get started(): Promise<void> {
    return this.#connection.started;
  }

  async initialize(): Promise<void> {
    this.#connection.open();
    const answer = await this.#connection.request("initialize", {
      protocolVersion: PROTOCOL_VERSION,
      clientInfo: { name: "liminal-builder", title: "Liminal Builder", version: this.#options.clientVersion },
      clientCapabilities: clientCapabilities(this.#options.serves),
    });
    if (answer["protocolVersion"] !== PROTOCOL_VERSION)
      throw new Error(`it uses protocol version ${answer["protocolVersion"]}, but only version 1 is supported`);
    this.#applyInitialized(answer);
  }

  #applyInitialized(answer: JsonObject): void {
    this.#initialized = answer;
    this.#capabilities = asObject(answer["agentCapabilities"]) ?? {};
    this.#abilities = readAbilities(answer);
    this.#agentName = asString(asObject(answer["agentInfo"])?.["name"])?.toLowerCase() ?? "";
    this.#signInMethods = readSignInMethods(answer["authMethods"]);
  }

  /** Continues a conversation that an earlier server had with this process. */
  rejoin({ agentSessionId, cwd, sink, tryFlush, ...past }: RejoinRequest): RejoinedSession {
    return this.#register(agentSessionId, { cwd, sink, tryFlush }, past);
  }

  /** Processes the output received while no server ran; false if the process never finished initializing. */
  catchUp(): boolean {
    this.#connection.catchUp();
    this.#sessions.endPast();
    this.#stopOrphans().catch(this.#options.onError);
    this.#connection.open();
    return this.#initialized !== null;
  }

  get signInMethods(): readonly OfferedSignIn[] {
    return this.#signInMethods;
  }

  /** Only for methods of kind `agent`; other methods run outside the protocol. */
  async authenticate(methodId: string): Promise<void> {
    await this.#ask("authenticate", { methodId });
  }

  /** Whether the agent supports signing out. */
  get canSignOut(): boolean {
    return asObject(asObject(this.#capabilities["auth"])?.["logout"]) !== null;
  }

  async signOut(): Promise<void> {
    await this.#ask("logout", {});
  }

  newSession(place: SessionPlace): Promise<AgentSession> {
    return this.#sessions.attaching(() => this.#createSession(place));
  }

  /** Restores a conversation: resumed if supported, otherwise replayed, otherwise started anew. */
  restoreSession(restore: RestoreRequest, place: SessionPlace): Promise<AgentSession> {
    return this.#sessions.attaching(() => this.#restoreSession(restore, place));
  }

  async #createSession(place: SessionPlace): Promise<AcpSession> {
    const { cwd } = place;
    const answer = await this.#ask("session/new", { cwd, mcpServers: this.#mcpServers(place) });
    const agentSessionId = asString(answer["sessionId"]);
    if (agentSessionId === undefined) throw this.#refuse({ code: 0, message: "The agent returned no session id." });
    const session = this.#register(agentSessionId, place);
    session.applyAnswer(answer);
    return session;
  }

  async #restoreSession(restore: RestoreRequest, place: SessionPlace): Promise<AgentSession> {
    const { cwd, sink, signal } = place;
    // The conversation is empty: there is nothing to restore, and some agents fail on such a session.
    if (restore.userMessages === 0) return this.#createSession(place);
    await this.#closing.get(restore.agentSessionId);
    const refusals: RefusalError[] = [];
    for (const origin of await this.#waysToRestore(restore, cwd)) {
      const { name, world } = this.#options;
      if (origin === "loaded")
        await untilLoadIsSafe({ ...restore, name, agentName: this.#agentName, now: world.now(), signal, sink });
      const tried = await this.#tryRestore(origin, restore, place);
      if (tried instanceof RefusalError) refusals.push(tried);
      else if (tried) return afterReplay(tried, origin, sink);
    }
    // The agent may still have it but cannot open it now. Only the user may give it up.
    const [refusal] = refusals;
    if (refusal) throw refusal;
    const session = await this.#createSession(place);
    session.origin = "forgotten";
    return session;
  }

  /** A resume replays nothing, so only a load shows messages added elsewhere. */
  async #waysToRestore(restore: RestoreRequest, cwd: string): Promise<readonly ("resumed" | "loaded")[]> {
    // No agent has it: it was imported from a file or given up by the user.
    if (restore.agentSessionId === NO_AGENT_SESSION) return [];
    const canLoad = this.#capabilities["loadSession"] === true;
    if (!this.#has("resume")) return canLoad ? ["loaded"] : [];
    if (!canLoad) return ["resumed"];
    return (await this.#hasChanged(restore, cwd)) ? ["loaded", "resumed"] : ["resumed", "loaded"];
  }

  /** Whether the agent's copy may have changed since it was last seen; also true if the agent does not report it. */
  async #hasChanged({ agentSessionId, seenAt }: RestoreRequest, cwd: string): Promise<boolean> {
    if (seenAt === null || !this.#has("list")) return true;
    const { promise: late, resolve: giveUp } = Promise.withResolvers<null>();
    const timer = setTimeout(giveUp, LIST_WAIT_MS_MAX, null);
    try {
      const updatedAt = await Promise.race([this.#updatedAt(agentSessionId, cwd), late]);
      return updatedAt === null || latestTime(updatedAt) > seenAt;
    } catch (error) {
      if (error instanceof AgentFailureError) return true;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async #updatedAt(agentSessionId: string, cwd: string): Promise<string | null> {
    let cursor: string | undefined;
    for (let page = 0; page < LIST_PAGES_MAX; page++) {
      const answer = await this.#ask("session/list", cursor === undefined ? { cwd } : { cwd, cursor });
      const listed = asArray(answer["sessions"])?.map(asObject) ?? [];
      const found = listed.find((session) => session?.["sessionId"] === agentSessionId);
      if (found) return readTime(found["updatedAt"]);
      cursor = asString(answer["nextCursor"]);
      if (cursor === undefined) return null;
    }
    return null;
  }

  get offersDelete(): boolean {
    return this.#has("delete");
  }

  get offersFork(): boolean {
    return this.#has("fork");
  }

  /** Deletes the agent's copy of a conversation, if the agent supports that. */
  async deleteSession(agentSessionId: string): Promise<void> {
    await this.#closing.get(agentSessionId);
    if (this.#has("delete")) await this.#ask("session/delete", { sessionId: agentSessionId });
  }

  /** The process has ended or is about to end: notifies every session on it. */
  lose(loss: Loss): void {
    const stored = this.#sessions.lose(loss);
    const released = stored.then((isStored) => (isStored ? this.#connection.release() : undefined));
    this.#released = released.catch(this.#options.onError);
    this.#questions.lose();
  }

  /** Once it is lost: its last output is stored and its holder has ended, or the next server has to store it. */
  get released(): Promise<void> {
    return this.#released;
  }

  /** Number of conversations on this process. */
  get sessionCount(): number {
    return this.#sessions.count;
  }

  async stop(urgency?: StopUrgency): Promise<ExitReport> {
    const exit = await this.#connection.stop(urgency);
    await this.#released;
    return exit;
  }

  /**
   * Null if the agent does not have the conversation; a refusal if it may have it. The session is registered before the
   * request, because agents replay before they answer.
   */
  async #tryRestore(
    origin: "resumed" | "loaded",
    { agentSessionId, userMessages, last }: RestoreRequest,
    place: SessionPlace,
  ): Promise<Replayed | RefusalError | null> {
    const session = this.#register(agentSessionId, place);
    const expected = { userMessages, last: { message: "", answer: "" } };
    const replay = session.startReplay(() => expected);
    const prepare = async () => {
      expected.last = await last();
    };
    const params = { sessionId: agentSessionId, cwd: place.cwd, mcpServers: this.#mcpServers(place) };
    try {
      session.applyAnswer(await this.#ask(origin === "resumed" ? "session/resume" : "session/load", params));
      return { session, replay, prepare };
    } catch (error) {
      this.#sessions.remove(agentSessionId);
      if (!(error instanceof AgentFailureError) || error.refusal.code !== "AGENT_PROTOCOL_ERROR") throw error;
      if (isSessionGone(error.failure, this.#agentName)) return null;
      return new RefusalError(REFUSE.agentSessionRefused(this.#options.name, error.failure.message));
    }
  }

  async #ask(method: string, params: object): Promise<JsonObject> {
    try {
      return await this.#connection.request(method, params);
    } catch (error) {
      const failure = asFailure(error);
      // No answer: the process ended during the request.
      throw failure ? this.#refuse(failure) : new RefusalError(REFUSE.agentStopped(this.#options.name));
    }
  }

  #refuse(failure: AcpFailure): AgentFailureError {
    const methods = this.#signInMethods.map(({ name }) => name);
    return new AgentFailureError(failure, refusalOf(failure, this.#options.name, methods));
  }

  #register(agentSessionId: string, place: Omit<SessionPlace, "signal">, past?: StoredPast): AcpSession {
    const { cwd, sink, tryFlush = async () => true } = place;
    const { held, processId, env, guarded } = this.#options;
    const session = new AcpSession({
      agentSessionId,
      connection: this.#connection,
      sink,
      tryFlush,
      abilities: () => this.#abilities,
      processId: held ? processId : null,
      requestPrefix: processId,
      ...(past && { past }),
      requests: new ClientRequests({
        roots: [cwd],
        guarded,
        env,
        newId: this.#options.world.newId,
        sink,
        serves: this.#options.serves,
        emptyForMissing: this.#agentName.includes("gemini"),
      }),
      answerQuestion: (elicitationId, answer) => this.#questions.answer(elicitationId, answer),
      onClosed: (closed, openPrompts) => this.#closeSession(closed, openPrompts),
      onTurnCompleted: () => {
        this.#options.onAccount?.({ type: "works" });
        this.#options.onTurnCompleted();
      },
      refuse: (failure) => this.#refuse(failure).refusal,
      readLimit: (failure, status) => this.#readLimit(failure, status),
      readAccountStatus: (update) => readAccountStatus(update, () => this.#readingClock()),
      onAccountStatus: ({ windows }) => this.#options.onAccount?.({ type: "windows", windows }),
    });
    this.#sessions.add(session);
    return session;
  }

  /** Agents write times in the zone of their machine, which is ours. */
  #readingClock(): ReadingClock {
    return { now: this.#options.world.now(), zone: new Intl.DateTimeFormat().resolvedOptions().timeZone };
  }

  #readLimit(failure: AcpFailure, status: AccountStatus | null): UsageLimit | null {
    const limit = readLimit(this.#agentName, failure, status, this.#readingClock());
    if (limit) this.#options.onAccount?.({ type: "limited", limit });
    return limit;
  }

  /** Updates about the session are stored until the agent has stopped. Closing it does not wait for that. */
  async #closeSession(session: ClosedSession, openPrompts: readonly string[]): Promise<void> {
    const { agentSessionId } = session;
    if (this.#has("close")) this.#letGo(agentSessionId);
    const isForced = await this.#stopped(openPrompts);
    const content = `${this.#options.name} did not stop when asked, so its process was killed.`;
    if (isForced) session.sink({ type: "notice", severity: "warning", content });
    if (this.#sessions.get(agentSessionId) === session) this.#sessions.remove(agentSessionId);
  }

  #letGo(agentSessionId: string): void {
    const closing = this.#connection
      .request("session/close", { sessionId: agentSessionId })
      .catch(ignore("an agent that no longer has the session holds no resources for it"));
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, LET_GO_MS_MAX);
    const over = Promise.race([closing, late]).finally(() => {
      clearTimeout(timer);
      this.#closing.delete(agentSessionId);
    });
    this.#closing.set(agentSessionId, over);
  }

  /** A cancelled prompt ends with its answer or with the process; true if the process had to be ended. */
  async #stopped(prompts: readonly string[]): Promise<boolean> {
    const open = prompts.filter((key) => this.#connection.isWaitingFor(key));
    if (open.length === 0) return false;
    let isForced = false;
    const answers = open.map((key) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#stopping.set(key, resolve);
      return promise;
    });
    const deadline = setTimeout(() => {
      isForced = true;
      this.#options.onUnstoppable();
    }, CLOSE_ANSWER_MS_MAX);
    await Promise.race([Promise.all(answers), this.exited]);
    clearTimeout(deadline);
    for (const key of open) this.#stopping.delete(key);
    return isForced;
  }

  #orphaned(agentSessionId: string, key: string): void {
    this.#orphans.set(key, agentSessionId);
    this.#connection.expectAnswer(key, agentSessionId);
  }

  /** The server stopped after the session was closed and before its work ended. */
  async #stopOrphans(): Promise<void> {
    const open = [...this.#orphans].filter(([key]) => this.#connection.isWaitingFor(key));
    for (const [, sessionId] of open) this.#connection.notify("session/cancel", { sessionId });
    await this.#stopped(open.map(([key]) => key));
    this.#orphans.clear();
  }

  #mcpServers({ mcpServers = [], ownTools }: SessionPlace): readonly object[] {
    const capabilities = this.#capabilities["mcpCapabilities"];
    const isHeld = this.#options.held !== null;
    return acpMcpServers({ settings: mcpServers, capabilities, own: ownTools ?? null, isHeld });
  }

  #has(capability: string): boolean {
    return asObject(this.#capabilities["sessionCapabilities"])?.[capability] != null;
  }

  async #onRequest(method: string, params: JsonObject): Promise<object> {
    return this.#sessions.onRequest(method, params);
  }

  /**
   * The holder may drop the received lines once they are stored or covered by the note. The note is taken first:
   * it does not cover lines that arrive while the commit is awaited.
   */
  async #checkpoint(): Promise<boolean> {
    if (!this.#initialized || this.#sessions.isAttaching) return false;
    const { initialized, pages } = { initialized: this.#initialized, pages: this.#questions.pages };
    const write = this.#connection.prepareCheckpoint({ initialized, sessions: this.#sessions.notes(), pages });
    const isStored = await this.#sessions.tryFlush();
    if (isStored) write();
    return isStored;
  }

  #restore({ initialized, sessions, pages }: AcpNote): void {
    this.#applyInitialized(initialized);
    this.#sessions.restore(sessions);
    for (const { agentSessionId, prompts } of sessions)
      if (!this.#sessions.get(agentSessionId)) for (const key of prompts) this.#orphaned(agentSessionId, key);
    this.#questions.restore(pages);
  }

  /** An earlier server sent the request; its answer is handled as that server would have done. */
  #onPastAnswer(method: string, params: JsonObject, result: JsonObject): void {
    if (method === "initialize") this.#applyInitialized(result);
    const session = this.#sessions.get(asString(params["sessionId"]) ?? asString(result["sessionId"]) ?? "");
    if (session && (result["configOptions"] !== undefined || method === "session/new")) session.applyAnswer(result);
  }
}

const RETRY_MS = 1_000;

/**
 * Takes a checkpoint when one is due and retries until it succeeds. If another one becomes due meanwhile, it follows:
 * an agent blocked on a full journal sends nothing that would request it again.
 */
class Checkpoints {
  readonly #take: () => Promise<boolean>;
  readonly #onError: (error: unknown) => void;
  #retry: ReturnType<typeof setTimeout> | null = null;
  #isTaking = false;
  #isDueAgain = false;
  #isOver = false;

  /** `take` resolves to whether it succeeded. */
  constructor(take: () => Promise<boolean>, onError: (error: unknown) => void) {
    this.#take = take;
    this.#onError = onError;
  }

  due(): void {
    if (this.#isTaking) this.#isDueAgain = true;
    if (this.#isOver || this.#retry || this.#isTaking) return;
    this.#isTaking = true;
    this.#isDueAgain = false;
    this.#take()
      .then((isTaken) => {
        if (!isTaken) this.#tryLater();
      }, this.#onError)
      .finally(() => {
        this.#isTaking = false;
        if (this.#isDueAgain) this.due();
      });
  }

  #tryLater(): void {
    if (this.#isOver) return;
    this.#retry = setTimeout(() => {
      this.#retry = null;
      this.due();
    }, RETRY_MS).unref();
  }

  /** The process is gone. */
  end(): void {
    this.#isOver = true;
  }
}

/** The client capabilities sent to the agent: only what exists and the user has not disabled. */
function clientCapabilities(serves: { readonly fs: boolean; readonly terminal: boolean }): object {
  return {
    session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
    fs: { readTextFile: serves.fs, writeTextFile: serves.fs },
    terminal: serves.terminal,
    auth: { terminal: true },
    elicitation: { form: {}, url: {} },
    subagents: {},
    _meta: { ...OWN_TERMINAL_CAPABILITIES, "terminal-auth": true },
  };
}

interface Replayed {
  readonly session: AcpSession;
  readonly replay: Replay;
  /** Reads the expected end of the replay; call it before waiting for that end. */
  readonly prepare: () => Promise<void>;
}

/** The replay is passed on as one event. An agent that correctly replays nothing on a resume is not waited for. */
async function afterReplay(
  { session, replay, prepare }: Replayed,
  origin: "resumed" | "loaded",
  sink: AgentSink,
): Promise<AgentSession> {
  if (origin === "loaded" || replay.hasText) {
    await prepare();
    await replay.ended();
  }
  session.endReplay();
  session.origin = origin;
  if (replay.hasText) sink(replay.event);
  return session;
}

const MS_PER_S = 1_000;

/** Some agents round to whole seconds: the time may be anywhere in that second. */
export function latestTime(time: string): number {
  const ms = Date.parse(time);
  return ms % MS_PER_S === 0 ? ms + MS_PER_S - 1 : ms;
}
