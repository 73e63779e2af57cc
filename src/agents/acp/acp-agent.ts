import type { AgentSession, AgentSink } from "../../ports/agents.ts";
import { RefusalError } from "../../protocol/errors.ts";
import type { Json } from "../../protocol/json.ts";
import type { ExitReport } from "../process/agent-process.ts";
import { AcpConnection, type AcpFailure } from "./acp-connection.ts";
import { AcpSession } from "./acp-session.ts";
import { asFailure, refusalOf } from "./agent-refusals.ts";
import { asArray, asObject, asString, type JsonObject } from "./read-json.ts";
import type { WireTrace } from "./wire-trace.ts";

const PROTOCOL_VERSION = 1;
/** Agents may speak in a session before its id has reached us; this much is held for it. */
const EARLY_UPDATES_MAX = 1_000;

interface AcpAgentOptions {
  readonly name: string;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly epoch: string;
  readonly trace: WireTrace;
  readonly newId: () => string;
  readonly clientVersion: string;
}

/** One running agent process with its sessions. Nothing here outlives the process. */
export class AcpAgent {
  readonly #options: AcpAgentOptions;
  readonly #connection: AcpConnection;
  readonly #sessions = new Map<string, AcpSession>();
  #early: { agentSessionId: string; update: Json }[] = [];
  #capabilities: JsonObject = {};
  #signInMethods: readonly string[] = [];

  /** Throws NotStartableError when the command cannot be run at all. */
  constructor(options: AcpAgentOptions) {
    this.#options = options;
    const { command, cwd, env, epoch, trace } = options;
    this.#connection = new AcpConnection({
      command,
      cwd,
      env,
      epoch,
      trace,
      hooks: {
        onUpdate: (agentSessionId, update) => this.#onUpdate(agentSessionId, update),
        onPermissionRequest: (key, params) => this.#onPermissionRequest(key, params),
        onPermissionWithdrawn: (key) => void this.#some((session) => session.onPermissionWithdrawn(key)),
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

  get sessionCount(): number {
    return this.#sessions.size;
  }

  async initialize(): Promise<void> {
    await this.#connection.open();
    const answer = await this.#connection.request("initialize", {
      protocolVersion: PROTOCOL_VERSION,
      clientInfo: { name: "liminal-builder", title: "Liminal Builder", version: this.#options.clientVersion },
      clientCapabilities: { session: { configOptions: { boolean: {} }, notices: {} } },
    });
    if (answer["protocolVersion"] !== PROTOCOL_VERSION)
      throw new Error(`it speaks protocol version ${answer["protocolVersion"]}, and only version 1 is known here`);
    this.#capabilities = asObject(answer["agentCapabilities"]) ?? {};
    this.#signInMethods = (asArray(answer["authMethods"]) ?? []).flatMap(
      (method) => asString(asObject(method)?.["name"]) ?? [],
    );
  }

  async newSession(cwd: string, sink: AgentSink): Promise<AgentSession> {
    const answer = await this.#ask("session/new", { cwd, mcpServers: [] });
    const agentSessionId = asString(answer["sessionId"]);
    if (agentSessionId === undefined) throw this.#refuse({ code: 0, message: "The agent gave its new session no id." });
    const session = this.#register(agentSessionId, sink);
    session.applyAnswer(answer);
    return session;
  }

  /** Goes on with a conversation: resumed where the agent can, replayed where it must, else begun anew. */
  async restoreSession(agentSessionId: string, cwd: string, sink: AgentSink): Promise<AgentSession> {
    const params = { sessionId: agentSessionId, cwd, mcpServers: [] };
    if (this.#has("resume")) {
      const resumed = await this.#tryRestore("session/resume", "resumed", params, sink);
      if (resumed) return resumed;
    }
    if (this.#capabilities["loadSession"] === true) {
      const loaded = await this.#tryRestore("session/load", "loaded", params, sink);
      if (loaded) return loaded;
    }
    const session = await this.newSession(cwd, sink);
    if (session instanceof AcpSession) session.origin = "forgotten";
    return session;
  }

  /** The process is gone: every session that was on it hears so. */
  lose(reason: string): void {
    for (const session of this.#sessions.values()) session.onLost(reason);
    this.#sessions.clear();
  }

  stop(): Promise<ExitReport> {
    return this.#connection.stop();
  }

  /** Registered before the request: agents that replay do so before they answer. */
  async #tryRestore(
    method: "session/resume" | "session/load",
    origin: AgentSession["origin"],
    params: { sessionId: string; cwd: string; mcpServers: readonly never[] },
    sink: AgentSink,
  ): Promise<AgentSession | null> {
    const session = this.#register(params.sessionId, sink);
    session.startReplay();
    try {
      session.applyAnswer(await this.#ask(method, params));
    } catch (error) {
      this.#sessions.delete(params.sessionId);
      if (error instanceof RefusalError && error.refusal.code === "AGENT_PROTOCOL_ERROR") return null;
      throw error;
    }
    session.origin = origin;
    return session;
  }

  async #ask(method: string, params: object): Promise<JsonObject> {
    try {
      return await this.#connection.request(method, params);
    } catch (error) {
      const failure = asFailure(error);
      throw failure ? this.#refuse(failure) : error;
    }
  }

  #refuse(failure: AcpFailure): RefusalError {
    return new RefusalError(refusalOf(failure, this.#options.name, this.#signInMethods));
  }

  #register(agentSessionId: string, sink: AgentSink): AcpSession {
    const session = new AcpSession({
      agentName: this.#options.name,
      agentSessionId,
      connection: this.#connection,
      sink,
      newId: this.#options.newId,
      canClose: this.#has("close"),
      onClosed: () => this.#sessions.delete(agentSessionId),
    });
    this.#sessions.set(agentSessionId, session);
    const early = this.#early.filter((one) => one.agentSessionId === agentSessionId);
    this.#early = this.#early.filter((one) => one.agentSessionId !== agentSessionId);
    for (const { update } of early) session.onUpdate(update);
    return session;
  }

  #has(capability: string): boolean {
    return asObject(this.#capabilities["sessionCapabilities"])?.[capability] != null;
  }

  #onUpdate(agentSessionId: string, update: Json): void {
    const session = this.#sessions.get(agentSessionId);
    if (session) session.onUpdate(update);
    else if (this.#early.length < EARLY_UPDATES_MAX) this.#early.push({ agentSessionId, update });
  }

  #onPermissionRequest(key: string, params: JsonObject): void {
    const session = this.#sessions.get(asString(params["sessionId"]) ?? "");
    if (session) session.onPermissionRequest(key, params);
    else this.#connection.answerPermission(key, { outcome: "cancelled" });
  }

  #some(matches: (session: AcpSession) => boolean): boolean {
    return [...this.#sessions.values()].some(matches);
  }
}
