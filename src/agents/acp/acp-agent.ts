import { ignore } from "../../lib/ignore.ts";
import type { AgentSession, AgentSink, QuestionDesk, RestoreRequest } from "../../ports/agents.ts";
import { NO_AGENT_SESSION } from "../../ports/session-log.ts";
import type { World } from "../../ports/world.ts";
import { REFUSE, RefusalError } from "../../protocol/errors.ts";
import type { CliType } from "../../protocol/ids.ts";
import type { Json } from "../../protocol/json.ts";
import type { PromptAbilities } from "../../protocol/session-parts.ts";
import type { ExitReport, ProcessHost } from "../process/process-host.ts";
import { type OfferedSignIn, readSignInMethods } from "../sign-in/sign-in-method.ts";
import { AcpConnection, type AcpFailure } from "./acp-connection.ts";
import { AcpQuestions } from "./acp-questions.ts";
import { AcpSession } from "./acp-session.ts";
import { afterReplay, type Replayed } from "./after-replay.ts";
import { asFailure, refusalOf } from "./agent-refusals.ts";
import { clientCapabilities } from "./client-capabilities.ts";
import { ClientRequestError, ClientRequests } from "./client-requests.ts";
import { EarlyMail } from "./early-mail.ts";
import { acpMcpServers, type McpServerSetting } from "./mcp-servers.ts";
import { readAbilities } from "./prompt-abilities.ts";
import { asObject, asString, type JsonObject } from "./read-json.ts";
import type { SessionPlace } from "./session-place.ts";
import { untilLoadIsSafe } from "./until-load-is-safe.ts";
import type { WireTrace } from "./wire-trace.ts";

const PROTOCOL_VERSION = 1;
const METHOD_NOT_FOUND = -32601;

interface AcpAgentOptions {
  readonly id: CliType;
  readonly name: string;
  readonly host: ProcessHost;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly epoch: string;
  readonly trace: WireTrace;
  readonly world: World;
  readonly clientVersion: string;
  readonly onTurnCompleted: () => void;
  readonly mcpServers: readonly McpServerSetting[];
  readonly desk: QuestionDesk;
  /** What the agent may ask us to do for it. */
  readonly serves: { readonly fs: boolean; readonly terminal: boolean };
}

/** One running agent process with its sessions. Nothing here outlives the process. */
export class AcpAgent {
  readonly #options: AcpAgentOptions;
  readonly #connection: AcpConnection;
  readonly #sessions = new Map<string, AcpSession>();
  /** Conversations the agent is about to let go of: one that is wanted again waits for that. */
  readonly #closing = new Map<string, Promise<unknown>>();
  readonly #questions: AcpQuestions;
  readonly #early = new EarlyMail<AcpSession>();
  #capabilities: JsonObject = {};
  #abilities: PromptAbilities = readAbilities({});
  #signInMethods: readonly OfferedSignIn[] = [];
  #agentName = "";
  #attachCount = 0;

  /** Throws NotStartableError when the command cannot be run at all. */
  constructor(options: AcpAgentOptions) {
    this.#options = options;
    this.#questions = new AcpQuestions({
      ...options,
      sessionOf: ({ sessionId, requestId }) =>
        this.#sessions.get(asString(sessionId) ?? this.#connection.callerOf(requestId) ?? ""),
      answer: (key, answer) => this.#connection.answerQuestion(key, answer),
    });
    this.#connection = new AcpConnection({
      ...options,
      hooks: {
        onUpdate: (agentSessionId, update) => this.#onUpdate(agentSessionId, update),
        onRequest: (method, params) => this.#onRequest(method, params),
        onPermissionRequest: (key, params) => this.#onPermissionRequest(key, params),
        onPermissionWithdrawn: (key) => void this.#some((session) => session.onPermissionWithdrawn(key)),
        ...this.#questions.hooks,
        onPromptAnswer: (key, result, failure) =>
          void this.#some((session) => session.onPromptAnswer(key, result, failure)),
      },
    });
  }

  get pid(): number {
    return this.#connection.pid;
  }

  get exited(): Promise<ExitReport> {
    return this.#connection.exited;
  }

  /** A turn, a question or a request is under way. */
  get isBusy(): boolean {
    return this.#attachCount > 0 || this.#connection.isBusy;
  }

  async initialize(): Promise<void> {
    await this.#connection.open();
    const answer = await this.#connection.request("initialize", {
      protocolVersion: PROTOCOL_VERSION,
      clientInfo: { name: "liminal-builder", title: "Liminal Builder", version: this.#options.clientVersion },
      clientCapabilities: clientCapabilities(this.#options.serves),
    });
    if (answer["protocolVersion"] !== PROTOCOL_VERSION)
      throw new Error(`it speaks protocol version ${answer["protocolVersion"]}, and only version 1 is known here`);
    this.#capabilities = asObject(answer["agentCapabilities"]) ?? {};
    this.#abilities = readAbilities(answer);
    this.#agentName = asString(asObject(answer["agentInfo"])?.["name"])?.toLowerCase() ?? "";
    this.#signInMethods = readSignInMethods(answer["authMethods"]);
  }

  get signInMethods(): readonly OfferedSignIn[] {
    return this.#signInMethods;
  }

  /** Only for methods of kind `agent`: the others are walked outside the protocol. */
  async authenticate(methodId: string): Promise<void> {
    await this.#ask("authenticate", { methodId });
  }

  newSession(place: SessionPlace): Promise<AgentSession> {
    return this.#attaching(() => this.#createSession(place));
  }

  /** Goes on with a conversation: resumed where the agent can, replayed where it must, else begun anew. */
  restoreSession(restore: RestoreRequest, place: SessionPlace): Promise<AgentSession> {
    return this.#attaching(() => this.#restoreSession(restore, place));
  }

  /** Between the requests of one attachment the process must not look idle. */
  async #attaching(attach: () => Promise<AgentSession>): Promise<AgentSession> {
    this.#attachCount++;
    try {
      return await attach();
    } finally {
      this.#attachCount--;
      if (this.#attachCount === 0) this.#early.clear();
    }
  }

  async #createSession(place: SessionPlace): Promise<AcpSession> {
    const { cwd, sink } = place;
    const answer = await this.#ask("session/new", { cwd, mcpServers: this.#mcpServers(place) });
    const agentSessionId = asString(answer["sessionId"]);
    if (agentSessionId === undefined) throw this.#refuse({ code: 0, message: "The agent gave its new session no id." });
    const session = this.#register(agentSessionId, cwd, sink);
    session.applyAnswer(answer);
    return session;
  }

  async #restoreSession(restore: RestoreRequest, place: SessionPlace): Promise<AgentSession> {
    const { cwd, sink, signal } = place;
    // Nothing was said in it yet: there is nothing to bring back, and some agents fail on such a session.
    if (restore.userMessages === 0) return this.#createSession(place);
    await this.#closing.get(restore.agentSessionId);
    const params = { sessionId: restore.agentSessionId, cwd, mcpServers: this.#mcpServers(place) };
    // One that no agent knows: it was read from a file.
    const isKnown = restore.agentSessionId !== NO_AGENT_SESSION;
    const resumed =
      isKnown && this.#has("resume") ? await this.#tryRestore("session/resume", params, restore, sink) : null;
    if (resumed) return afterReplay(resumed, "resumed", sink);
    if (isKnown && this.#capabilities["loadSession"] === true) {
      const { name, world } = this.#options;
      await untilLoadIsSafe({ ...restore, name, agentName: this.#agentName, now: world.now(), signal, sink });
      const loaded = await this.#tryRestore("session/load", params, restore, sink);
      if (loaded) return afterReplay(loaded, "loaded", sink);
    }
    const session = await this.#createSession(place);
    session.origin = "forgotten";
    return session;
  }

  /** Deletes its own copy of a conversation, where it offers that. */
  async deleteSession(agentSessionId: string): Promise<void> {
    await this.#closing.get(agentSessionId);
    if (this.#has("delete")) await this.#ask("session/delete", { sessionId: agentSessionId });
  }

  /** The process is gone, or is about to be: every session that was on it hears so. */
  lose(reason: string, state: "crashed" | "idle"): void {
    for (const session of this.#sessions.values()) session.onLost(reason, state);
    this.#sessions.clear();
    this.#questions.lose();
  }

  stop(): Promise<ExitReport> {
    return this.#connection.stop();
  }

  /** Registered before the request: agents that replay do so before they answer. */
  async #tryRestore(
    method: "session/resume" | "session/load",
    params: { sessionId: string; cwd: string; mcpServers: readonly object[] },
    { userMessages, last }: RestoreRequest,
    sink: AgentSink,
  ): Promise<Replayed | null> {
    const session = this.#register(params.sessionId, params.cwd, sink);
    const replay = session.startReplay(() => ({ userMessages, last: last() }));
    try {
      session.applyAnswer(await this.#ask(method, params));
      return { session, replay };
    } catch (error) {
      this.#sessions.delete(params.sessionId);
      if (error instanceof RefusalError && error.refusal.code === "AGENT_PROTOCOL_ERROR") return null;
      throw error;
    }
  }

  async #ask(method: string, params: object): Promise<JsonObject> {
    try {
      return await this.#connection.request(method, params);
    } catch (error) {
      const failure = asFailure(error);
      // No answer at all: the process went away in the middle of it.
      throw failure ? this.#refuse(failure) : new RefusalError(REFUSE.agentStopped(this.#options.name));
    }
  }

  #refuse(failure: AcpFailure): RefusalError {
    const methods = this.#signInMethods.map(({ name }) => name);
    return new RefusalError(refusalOf(failure, this.#options.name, methods));
  }

  #register(agentSessionId: string, cwd: string, sink: AgentSink): AcpSession {
    const session = new AcpSession({
      agentSessionId,
      connection: this.#connection,
      abilities: this.#abilities,
      sink,
      newId: this.#options.world.newId,
      requests: new ClientRequests({
        roots: [cwd],
        env: this.#options.env,
        newId: this.#options.world.newId,
        sink,
        serves: this.#options.serves,
        emptyForMissing: this.#agentName.includes("gemini"),
      }),
      answerQuestion: (elicitationId, answer) => this.#questions.answer(elicitationId, answer),
      onClosed: (closed) => this.#closeSession(closed),
      onTurnCompleted: this.#options.onTurnCompleted,
      refuse: (failure) => this.#refuse(failure).refusal,
    });
    this.#sessions.set(agentSessionId, session);
    this.#early.deliverTo(agentSessionId, session);
    return session;
  }

  #closeSession({ agentSessionId }: AcpSession): void {
    this.#sessions.delete(agentSessionId);
    if (!this.#has("close")) return;
    const closing = this.#connection
      .request("session/close", { sessionId: agentSessionId })
      .catch(ignore("an agent that does not know the session any more holds nothing for it"))
      .finally(() => this.#closing.delete(agentSessionId));
    this.#closing.set(agentSessionId, closing);
  }

  #mcpServers({ ownTools }: SessionPlace): readonly object[] {
    return acpMcpServers(this.#options.mcpServers, this.#capabilities["mcpCapabilities"], ownTools ?? null);
  }

  #has(capability: string): boolean {
    return asObject(this.#capabilities["sessionCapabilities"])?.[capability] != null;
  }

  #onUpdate(agentSessionId: string, update: Json): void {
    const session = this.#sessions.get(agentSessionId);
    if (session) session.onUpdate(update);
    else if (this.#attachCount > 0) this.#early.hold(agentSessionId, (late) => late.onUpdate(update));
  }

  async #onRequest(method: string, params: JsonObject): Promise<object> {
    const session = this.#sessions.get(asString(params["sessionId"]) ?? "");
    if (!session) throw new ClientRequestError(METHOD_NOT_FOUND, `Method not found: ${method}`);
    return session.onRequest(method, params);
  }

  #onPermissionRequest(key: string, params: JsonObject): void {
    const agentSessionId = asString(params["sessionId"]) ?? "";
    const session = this.#sessions.get(agentSessionId);
    if (session) session.onPermissionRequest(key, params);
    else if (this.#attachCount > 0) this.#early.hold(agentSessionId, (late) => late.onPermissionRequest(key, params));
    else this.#connection.answerPermission(key, { outcome: "cancelled" });
  }

  #some(matches: (session: AcpSession) => boolean): boolean {
    return [...this.#sessions.values()].some(matches);
  }
}
