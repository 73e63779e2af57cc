import { SCENARIOS } from "../scenarios/catalog.ts";
import type { Quirks, Scenario } from "../scenarios/scenario.ts";
import { changeConfig, configOptions } from "../sessions/config-options.ts";
import { leakyReplay } from "../sessions/replay.ts";
import type { Session } from "../sessions/session.ts";
import type { StoredUpdate } from "../sessions/session-record.ts";
import { AVAILABLE_COMMANDS, MODEL_COMMANDS } from "../skills/catalog.ts";
import { permissionOptions } from "../turn/ask-permission.ts";
import { Client, parseCapabilities } from "../turn/client.ts";
import type { RunningCommands } from "../turn/running-commands.ts";
import { Turn } from "../turn/turn.ts";
import type { Answer, Connection, Receiver, RequestId } from "../wire/connection.ts";
import { type JsonObject, objectAt, stringAt } from "../wire/json.ts";
import { requiredPrompt, requiredString } from "../wire/params.ts";
import { invalidParams, RPC_CODE, RpcError } from "../wire/rpc-error.ts";
import type { World } from "../world.ts";
import { type Feature, initializeResult, SIGN_IN } from "./features.ts";
import type { OpenSessions } from "./open-sessions.ts";
import { type ModelBackend, runTurn, type Script } from "./run-turn.ts";

/** The model that answers prompts, if one is set. */
type GuideModel = {
  readonly isSet: boolean;
  readonly mayBeSet: boolean;
  open(): Promise<ModelBackend | undefined>;
};

/** What the guide is built from. */
type GuideParts = {
  readonly world: World;
  readonly sessions: OpenSessions;
  readonly commands: RunningCommands;
  readonly quirks: Quirks;
  readonly without: ReadonlySet<Feature>;
  readonly scenarios: readonly Scenario[];
  readonly model: GuideModel;
  readonly report: (error: unknown) => void;
};

/** The agent's side of ACP: one method each, answered in wire order. */
export class Guide implements Receiver {
  readonly #parts: GuideParts;
  readonly #connection: () => Connection;
  readonly #script: Script;
  #client: Client | undefined;
  #signedIn = false;

  constructor(parts: GuideParts, connection: () => Connection) {
    this.#parts = parts;
    this.#connection = connection;
    this.#script = {
      flagged: parts.scenarios,
      byPrompt: (name) => this.#switchOn(name),
      model: () => parts.model.open(),
      report: parts.report,
    };
  }

  request(method: string, params: JsonObject, id: RequestId): Answer | Promise<Answer> {
    if (method === "initialize") return this.#initialize(params);
    const client = this.#client;
    if (!client) throw new RpcError(RPC_CODE.invalidRequest, "The first request must be initialize.");
    switch (method) {
      case "authenticate":
        return this.#authenticate(params);
      case "session/new":
        return this.#new(client, params);
      case "session/load":
        return this.#offered("load", method, () => this.#load(client, params));
      case "session/resume":
        return this.#offered("resume", method, () => this.#resume(client, params));
      case "session/list":
        return this.#offered("list", method, () => ({ result: this.#parts.sessions.list(params) }));
      case "session/close":
        return this.#offered("close", method, () => this.#close(params));
      case "session/delete":
        return this.#offered("delete", method, () => this.#delete(params));
      case "session/set_mode":
        return this.#offered("modes", method, () => this.#setMode(client, params));
      case "session/set_config_option":
        return this.#offered("config", method, () => this.#setConfigOption(client, params));
      case "session/prompt":
        return this.#prompt(client, params, id);
      case "_session/steering":
        return this.#offered("steering", method, () => this.#steer(client, params, id));
      default:
        throw methodNotFound(method);
    }
  }

  /** Unknown notifications are ignored, as the protocol requires. */
  notification(method: string, params: JsonObject): void {
    if (method === "$/cancel_request") this.#parts.sessions.findByRequest(params["requestId"])?.turn?.cancel();
    if (method !== "session/cancel") return;
    const turn = this.#parts.sessions.find(params)?.turn;
    if (turn && !turn.deaf) turn.cancel();
  }

  #initialize(params: JsonObject): Answer {
    const { quirks, without, model } = this.#parts;
    if (quirks.silentInitialize) return "answered";
    if (quirks.refusedInitialize) throw new RpcError(RPC_CODE.internal, "The guide refuses to start, as asked.");
    this.#client = new Client(this.#connection(), parseCapabilities(params));
    return { result: initializeResult(without, quirks, model.mayBeSet) };
  }

  #authenticate(params: JsonObject): Answer {
    if (!this.#parts.quirks.authRequired || requiredString(params, "methodId") !== SIGN_IN.id) {
      throw invalidParams("There is no such sign-in method.");
    }
    this.#signedIn = true;
    return DONE;
  }

  #new(client: Client, params: JsonObject): Answer {
    const { sessions, quirks } = this.#parts;
    this.#demandSignIn();
    if (quirks.refusedNew) throw new RpcError(RPC_CODE.internal, "No session today, as asked.");
    const session = sessions.create(params);
    const result = { sessionId: session.id, ...sessions.settings(session, this.#withBoolean(client)) };
    if (quirks.updateBeforeNew) this.#announce(client, session);
    return { result, afterwards: () => this.#afterNew(client, session) };
  }

  #afterNew(client: Client, session: Session): void {
    if (!this.#parts.quirks.updateBeforeNew) this.#announce(client, session);
    if (!this.#parts.quirks.permissionAfterNew) return;
    const toolCall = { toolCallId: "before-any-turn", title: "Index this directory" };
    const request = { sessionId: session.id, toolCall, options: permissionOptions("execute") };
    client.connection.request("session/request_permission", request).catch(this.#parts.report);
  }

  #load(client: Client, params: JsonObject): Answer {
    this.#demandSignIn();
    const { session, history } = this.#parts.sessions.restore(params);
    const { leakyReplay: leaky, replayAfterAnswer: late } = this.#parts.quirks;
    const shown = leaky ? leakyReplay(history) : history;
    const before = late ? 0 : leaky ? 1 : shown.length;
    const send = (updates: readonly StoredUpdate[]) => {
      client.connection.writer.together(() => {
        for (const update of updates) client.connection.notify("session/update", { sessionId: session.id, update });
      });
    };
    send(shown.slice(0, before));
    return this.#restored(client, session, () => send(shown.slice(before)));
  }

  #resume(client: Client, params: JsonObject): Answer {
    if (this.#parts.quirks.replayOnResume) return this.#load(client, params);
    this.#demandSignIn();
    return this.#restored(client, this.#parts.sessions.restore(params).session, () => undefined);
  }

  #restored(client: Client, session: Session, afterwards: () => void): Answer {
    return {
      result: this.#parts.sessions.settings(session, this.#withBoolean(client)),
      afterwards: () => {
        afterwards();
        this.#announce(client, session);
      },
    };
  }

  #close(params: JsonObject): Answer {
    this.#parts.sessions.close(params);
    return DONE;
  }

  #delete(params: JsonObject): Answer {
    this.#parts.sessions.delete(params);
    return DONE;
  }

  #setMode(client: Client, params: JsonObject): Answer {
    const session = this.#parts.sessions.get(params);
    session.configure(changeConfig(session.config, "mode", requiredString(params, "modeId")));
    const options = configOptions(session.config, this.#withBoolean(client));
    const tell = () => client.update(session.id, { sessionUpdate: "config_option_update", configOptions: options });
    return this.#parts.without.has("config") ? DONE : { result: {}, afterwards: tell };
  }

  #setConfigOption(client: Client, params: JsonObject): Answer {
    const session = this.#parts.sessions.get(params);
    const configId = requiredString(params, "configId");
    session.configure(changeConfig(session.config, configId, params["value"]));
    const { mode } = session.config;
    const result = { configOptions: configOptions(session.config, this.#withBoolean(client)) };
    if (configId !== "mode" || this.#parts.without.has("modes")) return { result };
    const tell = () => client.update(session.id, { sessionUpdate: "current_mode_update", currentModeId: mode });
    return { result, afterwards: tell };
  }

  async #prompt(client: Client, params: JsonObject, requestId: RequestId): Promise<Answer> {
    const session = this.#parts.sessions.get(params);
    const prompt = requiredPrompt(params);
    if (session.turn?.deaf) {
      session.turn.cancel();
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (session.turn) throw new RpcError(RPC_CODE.invalidRequest, "A turn is already running.");
    const { world, commands, model } = this.#parts;
    // The user has set or removed the model since.
    if (session.isForModel !== model.isSet) this.#announce(client, session);
    return runTurn(new Turn({ world, client, session, commands, requestId, prompt }), this.#script);
  }

  /**
   * A message for the running turn. Without one it starts a turn that no prompt owns, unless the client asked to send
   * the prompt itself; the adapters of Claude Code and Codex do the same.
   */
  #steer(client: Client, params: JsonObject, requestId: RequestId): Answer {
    const session = this.#parts.sessions.get(params);
    const prompt = requiredPrompt(params);
    const { turn } = session;
    if (!turn || turn.deaf) {
      if (isPromptRequired(params)) return { result: { outcome: "promptRequired", reason: "noRunningTurn" } };
      const { world, commands, report } = this.#parts;
      const unowned = new Turn({ world, client, session, commands, requestId, prompt });
      const afterwards = () => void runTurn(unowned, this.#script).catch(report);
      return { result: { outcome: "startedNewTurn" }, afterwards };
    }
    // Its output follows the answer, as a model's output does.
    return { result: { outcome: "injected" }, afterwards: () => turn.steer(prompt) };
  }

  #announce(client: Client, session: Session): void {
    if (this.#parts.without.has("commands")) return;
    const { isSet } = this.#parts.model;
    session.isForModel = isSet;
    const availableCommands = isSet ? MODEL_COMMANDS : AVAILABLE_COMMANDS;
    client.update(session.id, { sessionUpdate: "available_commands_update", availableCommands });
  }

  /** The only boolean option is about simulated thoughts; a model has its own. */
  #withBoolean({ capabilities }: Client): boolean {
    return capabilities.booleanOptions && !this.#parts.model.isSet;
  }

  #switchOn(name: string): Scenario | undefined {
    const scenario = SCENARIOS.find((known) => known.name === name);
    Object.assign(this.#parts.quirks, scenario?.quirks);
    return scenario;
  }

  #demandSignIn(): void {
    if (this.#parts.quirks.authRequired && !this.#signedIn) {
      throw new RpcError(RPC_CODE.authRequired, "Authentication required", { authMethods: [SIGN_IN] });
    }
  }

  #offered(feature: Feature, method: string, answer: () => Answer): Answer {
    if (this.#parts.without.has(feature)) throw methodNotFound(method);
    return answer();
  }
}

/** The empty result of most methods. */
const DONE: Answer = { result: {} };

function methodNotFound(method: string): RpcError {
  return new RpcError(RPC_CODE.methodNotFound, `Method not found: ${method}`, { method });
}

function isPromptRequired(params: JsonObject): boolean {
  return stringAt(objectAt(objectAt(params, "_meta"), "steering"), "idleBehavior") === "promptRequired";
}
