import { ignore } from "../../lib/ignore.ts";
import type { HistorySink } from "../../ports/agent-history.ts";
import type { World } from "../../ports/world.ts";
import { REFUSE, RefusalError } from "../../protocol/errors.ts";
import type { Json } from "../../protocol/json.ts";
import { AcpSession } from "../acp/acp-session.ts";
import { asFailure, refusalOf } from "../acp/agent-refusals.ts";
import { ClientRequestError, ClientRequests } from "../acp/client-requests.ts";
import { AcpConnection } from "../acp/connection/acp-connection.ts";
import { NO_PAST } from "../acp/connection/acp-hooks.ts";
import { WireTrace } from "../acp/connection/wire-trace.ts";
import { asObject, asString, type JsonObject, readTime } from "../acp/read-json.ts";
import { SubAgents } from "../acp/sub-agents.ts";
import { readAbilities } from "../acp/translate/translate-content.ts";
import type { AgentDefinition } from "../catalog/agent-definition.ts";
import { NotStartableError, type ProcessHost } from "../process/process-host.ts";

/** By the name and the first version that a test with the real agent has proven. */
const CUTS_FORKS_FROM: ReadonlyMap<string, string> = new Map([
  ["@agentclientprotocol/claude-agent-acp", "0.99.0"],
  ["@agentclientprotocol/codex-acp", "2.6.0"],
]);
const METHOD_NOT_FOUND = -32601;
const SERVES_NOTHING = { fs: false, terminal: false };

export interface HistoryProcessOptions {
  readonly definition: AgentDefinition;
  readonly world: World;
  readonly host: ProcessHost;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly epoch: string;
  readonly clientVersion: string;
  readonly startTimeoutMs: number;
}

/** The process ended during a load; another one may succeed. */
export class ReaderGoneError extends Error {
  override readonly name = "ReaderGoneError";
}

interface Reading {
  readonly session: AcpSession;
  readonly end: ReplayEnd;
  at: string | null;
}

/** An agent process that only lists and loads sessions: it is offered nothing and receives no prompt. */
export class HistoryProcess {
  readonly #options: HistoryProcessOptions;
  readonly #connection: AcpConnection;
  readonly #readings = new Map<string, Reading>();
  readonly #subAgents = new SubAgents<AcpSession>();
  readonly gone: Promise<never>;
  #capabilities: JsonObject = {};
  #agent = { name: "", version: "0.0.0" };
  #abilities = readAbilities({});

  private constructor(options: HistoryProcessOptions, command: readonly string[]) {
    this.#options = options;
    this.#connection = new AcpConnection({
      ...options,
      command,
      held: null,
      trace: new WireTrace(options.world.now),
      hooks: {
        onUpdate: (agentSessionId, update) => this.#onUpdate(agentSessionId, update),
        ...NO_PAST,
        onAccount: ignore("no turn is run here"),
        onPermissionRequest: ({ offset }) =>
          this.#connection.answer(offset, { result: { outcome: { outcome: "cancelled" } } }),
        onPermissionWithdrawn: ignore("answered on arrival"),
        onQuestion: ({ offset }) => this.#connection.answer(offset, { result: { action: "decline" } }),
        onQuestionWithdrawn: ignore("answered on arrival"),
        onQuestionCompleted: ignore("no page is opened here"),
        onRequest: (method) => Promise.reject(new ClientRequestError(METHOD_NOT_FOUND, `Method not found: ${method}`)),
        onPromptAnswer: ignore("nothing is prompted here"),
      },
    });
    this.gone = this.#connection.exited.then(() => Promise.reject(new ReaderGoneError("the agent stopped")));
    this.gone.catch(ignore("each waiting caller gets the error"));
  }

  /** `onSpawned` receives the process before it has answered, so that it can be ended at any time. */
  static async start(
    options: HistoryProcessOptions,
    onSpawned: (process: HistoryProcess) => void,
  ): Promise<HistoryProcess> {
    const { name, command, installHint } = options.definition;
    if (!command) throw new RefusalError(REFUSE.agentNotInstalled(name, installHint));
    let started: HistoryProcess;
    try {
      started = new HistoryProcess(options, command);
    } catch (error) {
      if (!(error instanceof NotStartableError)) throw error;
      throw new RefusalError(REFUSE.agentNotInstalled(name, error.message));
    }
    onSpawned(started);
    try {
      await withDeadline(Promise.race([started.#initialize(), started.gone]), options.startTimeoutMs);
      return started;
    } catch (error) {
      const { stderrTail } = await started.stop();
      const reason = error instanceof Error ? error.message : String(error);
      throw new RefusalError(REFUSE.agentNotConnected(name, [reason, stderrTail].filter(Boolean).join("\n")));
    }
  }

  can(capability: "list" | "resume" | "close" | "fork"): boolean {
    return asObject(this.#capabilities["sessionCapabilities"])?.[capability] != null;
  }

  /** Its copies end with the turn of a message that is named; others would copy all of it, without an error. */
  get cutsForks(): boolean {
    const from = CUTS_FORKS_FROM.get(this.#agent.name);
    return from !== undefined && Bun.semver.order(this.#agent.version, from) >= 0;
  }

  get canLoad(): boolean {
    return this.#capabilities["loadSession"] === true;
  }

  /** Rejects with a RefusalError if the agent refuses, and with ReaderGoneError if the process has ended. */
  async ask(method: string, params: object): Promise<JsonObject> {
    try {
      return await Promise.race([this.#connection.request(method, params), this.gone]);
    } catch (error) {
      const failure = asFailure(error);
      if (failure) throw new RefusalError(refusalOf(failure, this.#options.definition.name, []));
      throw new ReaderGoneError("the agent stopped");
    }
  }

  /** Registered before the request, because agents replay before they answer. Replayed events go to `sink`. */
  async load(agentSessionId: string, cwd: string, sink: HistorySink): Promise<{ untilQuiet: () => Promise<void> }> {
    const reading: Reading = { end: new ReplayEnd(), at: null, session: this.#session(agentSessionId, sink) };
    this.#readings.set(agentSessionId, reading);
    try {
      const answer = await this.ask("session/load", { sessionId: agentSessionId, cwd, mcpServers: [] });
      reading.at = null;
      reading.session.applyAnswer(answer);
    } catch (error) {
      this.#readings.delete(agentSessionId);
      throw error;
    }
    return {
      untilQuiet: async () => {
        await Promise.race([reading.end.quiet(), this.gone]);
        this.#readings.delete(agentSessionId);
        this.#subAgents.forget(agentSessionId);
        if (this.can("close"))
          this.ask("session/close", { sessionId: agentSessionId }).catch(ignore("its resources end with the process"));
      },
    };
  }

  stop() {
    return this.#connection.stop();
  }

  async #initialize(): Promise<void> {
    this.#connection.open();
    const answer = await this.#connection.request("initialize", {
      protocolVersion: 1,
      clientInfo: { name: "liminal-builder", title: "Liminal Builder", version: this.#options.clientVersion },
      clientCapabilities: {
        session: { configOptions: { boolean: {} } },
        fs: { readTextFile: false, writeTextFile: false },
        terminal: false,
        subagents: {},
        _meta: { terminal_output: true },
      },
    });
    const info = asObject(answer["agentInfo"]);
    this.#agent = { name: asString(info?.["name"]) ?? "", version: asString(info?.["version"]) ?? "0.0.0" };
    this.#capabilities = asObject(answer["agentCapabilities"]) ?? {};
    this.#abilities = readAbilities(answer);
  }

  #onUpdate(agentSessionId: string, update: Json): void {
    const child = this.#subAgents.find(agentSessionId);
    const reading = this.#readings.get(child?.root.agentSessionId ?? agentSessionId);
    if (!reading) return;
    reading.at = updateTime(update);
    if (child) this.#subAgents.onUpdate(child, update);
    else if (!this.#subAgents.read(reading.session, agentSessionId, update)) reading.session.onUpdate(update);
  }

  #session(agentSessionId: string, sink: HistorySink): AcpSession {
    const { world, env, definition } = this.#options;
    const onEvent: EventSink = (event) => {
      const reading = this.#readings.get(agentSessionId);
      if (!reading) return;
      if (!SURROUNDINGS.has(event.type)) reading.end.received();
      sink(event, reading.at);
    };
    return new AcpSession({
      agentSessionId,
      connection: this.#connection,
      sink: onEvent,
      ...{ processId: null, requestPrefix: agentSessionId, tryFlush: async () => true },
      requests: new ClientRequests({
        ...{ roots: [], guarded: [], env, newId: world.newId, sink: onEvent },
        serves: SERVES_NOTHING,
        emptyForMissing: false,
      }),
      abilities: () => this.#abilities,
      answerQuestion: ignore("every question was declined on arrival"),
      onClosed: ignore("closed by the reading itself"),
      onTurnCompleted: ignore("no turn is run here"),
      refuse: (failure) => refusalOf(failure, definition.name, []),
      readLimit: () => null,
      readAccountStatus: () => null,
      onAccountStatus: ignore("no turn is run here"),
    });
  }
}

type EventSink = (event: Parameters<HistorySink>[0]) => void;

/** Events that agents send around a replay, whether it continues or not. */
const SURROUNDINGS: ReadonlySet<string> = new Set([
  "abilities",
  "options",
  "option-chosen",
  "commands",
  "usage",
  "title",
]);

async function withDeadline<Value>(work: Promise<Value>, ms: number): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${ms / 1_000} s`)), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Agents do not report the end of a replay, and some continue after their response. No output for this long is the end. */
const QUIET_MS = 150;
/** An agent that has sent nothing by the time it responds may start only then. */
const FIRST_OUTPUT_MS = 1_500;
const WAIT_MS_MAX = 30_000;

/** Detects when an agent has replayed the whole conversation. */
class ReplayEnd {
  #hasOutput = false;
  #onOutput: () => void = () => undefined;

  received(): void {
    this.#hasOutput = true;
    this.#onOutput();
  }

  /** Call it once the agent has responded. */
  quiet(): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(quiet);
        clearTimeout(limit);
        this.#onOutput = () => undefined;
        resolve();
      };
      let quiet = setTimeout(finish, this.#hasOutput ? QUIET_MS : FIRST_OUTPUT_MS);
      const limit = setTimeout(finish, WAIT_MS_MAX);
      this.#onOutput = () => {
        clearTimeout(quiet);
        quiet = setTimeout(finish, QUIET_MS);
      };
    });
  }
}

/** The time of a replayed message, if present. The protocol has no field for it, so agents choose one. */
function updateTime(update: Json): string | null {
  const body = asObject(update);
  return readTime(asObject(body?.["_meta"])?.["timestamp"]) ?? readTime(body?.["timestamp"]);
}
