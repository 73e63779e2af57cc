import type { AnyMessage, ClientConnection } from "@agentclientprotocol/sdk";
import { ignore } from "../../lib/ignore.ts";
import type { Json } from "../../protocol/json.ts";
import type { ExitReport, HostedProcess, ProcessHost } from "../process/process-host.ts";
import { ClientRequestError } from "./client-requests.ts";
import { failureMessage } from "./failure-message.ts";
import { asObject, asString, type JsonObject } from "./read-json.ts";
import type { WireTrace } from "./wire-trace.ts";

const REQUEST_CANCELLED = -32800;

export interface AcpFailure {
  readonly code: number;
  readonly message: string;
}

/** What must be heard in the order of the wire; all of it is called synchronously, line by line. */
export interface AcpHooks {
  onUpdate(agentSessionId: string, update: Json): void;
  onPermissionRequest(key: string, params: JsonObject): void;
  onPermissionWithdrawn(key: string): void;
  onQuestion(key: string, params: JsonObject): void;
  onQuestionWithdrawn(key: string): void;
  /** `name` is the agent's own for the page that was visited. */
  onQuestionCompleted(name: string): void;
  /** A request of the agent's; a ClientRequestError becomes its answer. */
  onRequest(method: string, params: JsonObject): Promise<object>;
  onPromptAnswer(key: string, result: JsonObject | null, failure: AcpFailure | null): void;
}

interface AcpConnectionOptions {
  readonly host: ProcessHost;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Tells answers to this run of the server from answers to an earlier one. */
  readonly epoch: string;
  readonly trace: WireTrace;
  readonly hooks: AcpHooks;
}

/**
 * One agent process and the JSON-RPC with it. Requests and their answers go through the official SDK; updates, prompt
 * answers and permission requests are taken from the raw lines, where their order is still the agent's own.
 */
export class AcpConnection {
  readonly #options: AcpConnectionOptions;
  readonly #process: HostedProcess;
  readonly #prompts = new Set<string>();
  /** Open permission requests by the text of their id, so that the answer repeats the id exactly as it came. */
  readonly #permissions = new Map<string, Json>();
  /** Open questions to the user, likewise. */
  readonly #questions = new Map<string, Json>();
  /** Which of the agent's sessions our open requests are about, by their id on the wire. */
  readonly #callers = new Map<Json, string>();
  /** What the SDK will read. It fills from the first line on: an agent may ask before the SDK is loaded. */
  readonly #readable: ReadableStream<AnyMessage>;
  #inbound: ReadableStreamDefaultController<AnyMessage> | null = null;
  #sdk: ClientConnection | null = null;
  #promptCount = 0;
  #requestsOpen = 0;

  constructor(options: AcpConnectionOptions) {
    this.#options = options;
    this.#readable = new ReadableStream({
      start: (controller) => {
        this.#inbound = controller;
      },
    });
    this.#process = options.host.start({
      command: options.command,
      cwd: options.cwd,
      env: options.env,
      onLine: (line) => this.#receive(line),
      onStderr: (text) => options.trace.record("stderr", text),
      onTooLong: (bytes) => options.trace.record("junk", `a line of ${bytes} bytes was over the limit and dropped`),
    });
    this.exited.then(() => this.#sdk?.close()).catch(ignore("`exited` never rejects"));
  }

  get pid(): number {
    return this.#process.pid;
  }

  get exited(): Promise<ExitReport> {
    return this.#process.exited;
  }

  /** The SDK is loaded with the first agent, not with the server: it is the largest module we have. */
  async open(): Promise<void> {
    const acp = await import("@agentclientprotocol/sdk");
    const writable = new WritableStream<AnyMessage>({ write: (message) => this.#send(this.#outgoing(message)) });
    this.#sdk = acp
      .client({ name: "liminal-builder" })
      .onRequest("*", async ({ method, params }) => {
        try {
          return await this.#options.hooks.onRequest(method, asObject(params) ?? {});
        } catch (error) {
          if (error instanceof ClientRequestError) throw new acp.RequestError(error.code, error.message);
          throw error;
        }
      })
      .onNotification("*", ignore("extension notifications are allowed and mean nothing to us"))
      .connect({ readable: this.#readable, writable });
  }

  /** Something is under way that ending the process would break. */
  get isBusy(): boolean {
    return this.#requestsOpen > 0 || this.#prompts.size > 0 || this.#permissions.size > 0 || this.#questions.size > 0;
  }

  /** Any request but a prompt. Rejects with the SDK's RequestError, or when the process is gone. */
  async request(method: string, params: object): Promise<JsonObject> {
    if (!this.#sdk) throw new Error("the connection is not open");
    this.#requestsOpen++;
    try {
      return asObject(await this.#sdk.agent.request(method, params)) ?? {};
    } finally {
      this.#requestsOpen--;
    }
  }

  /** Sends a prompt; its end comes through `onPromptAnswer` with the returned key, after its last update. */
  prompt(agentSessionId: string, prompt: readonly object[]): string {
    return this.#askInOrder(agentSessionId, "session/prompt", { prompt });
  }

  /** A message for the turn that runs; answered like a prompt. A turn that is over is left to us to start anew. */
  steer(agentSessionId: string, prompt: readonly object[]): string {
    return this.#askInOrder(agentSessionId, "_session/steering", { prompt, idleBehavior: "promptRequired" });
  }

  /** Asks the agent to give up a prompt that a plain cancel did not end. */
  cancelPrompt(key: string): void {
    if (this.#prompts.has(key)) this.notify("$/cancel_request", { requestId: key });
  }

  notify(method: string, params: object): void {
    this.#send({ jsonrpc: "2.0", method, params });
  }

  answerPermission(key: string, outcome: object): void {
    const id = this.#permissions.get(key);
    if (id === undefined) return;
    this.#permissions.delete(key);
    this.#send({ jsonrpc: "2.0", id, result: { outcome } });
  }

  answerQuestion(key: string, answer: { readonly result: object } | { readonly error: object }): void {
    const id = this.#questions.get(key);
    if (id === undefined) return;
    this.#questions.delete(key);
    this.#send({ jsonrpc: "2.0", id, ...answer });
  }

  /** The session that an open request of ours is about. */
  callerOf(requestId: Json | undefined): string | undefined {
    return requestId === undefined ? undefined : this.#callers.get(requestId);
  }

  stop(): Promise<ExitReport> {
    return this.#process.stop();
  }

  #askInOrder(agentSessionId: string, method: string, params: object): string {
    const id = `${this.#options.epoch}-p${++this.#promptCount}`;
    this.#prompts.add(id);
    this.#callers.set(id, agentSessionId);
    this.#send({ jsonrpc: "2.0", id, method, params: { sessionId: agentSessionId, ...params } });
    return id;
  }

  #receive(line: string): void {
    const text = line.trim();
    if (text === "") return;
    const message = parseMessage(text);
    this.#options.trace.record(message ? "in" : "junk", text);
    if (message) this.#route(message);
  }

  #route(message: JsonObject): void {
    const { hooks } = this.#options;
    const { id, method } = message;
    const params = asObject(message["params"]);
    if (method === "session/update" && id === undefined) {
      const update = params?.["update"];
      const agentSessionId = asString(params?.["sessionId"]);
      if (agentSessionId !== undefined && update !== undefined) hooks.onUpdate(agentSessionId, update);
      return;
    }
    if (method === "session/request_permission" && id !== undefined && params) {
      const key = JSON.stringify(id);
      this.#permissions.set(key, id);
      hooks.onPermissionRequest(key, params);
      return;
    }
    if (method === "elicitation/create" && id !== undefined) {
      const key = JSON.stringify(id);
      this.#questions.set(key, id);
      hooks.onQuestion(key, params ?? {});
      return;
    }
    if (method === "elicitation/complete" && id === undefined) {
      hooks.onQuestionCompleted(asString(params?.["elicitationId"]) ?? "");
      return;
    }
    if (method === undefined && id !== undefined) this.#callers.delete(id);
    if (method === "$/cancel_request" && this.#withdraw(params?.["requestId"])) return;
    if (method === undefined && typeof id === "string" && this.#prompts.delete(id)) {
      hooks.onPromptAnswer(id, asObject(message["result"]), failureOf(message["error"]));
      return;
    }
    const incoming = this.#incoming(message);
    if (incoming) this.#inbound?.enqueue(incoming);
  }

  /** The agent takes a request for permission or a question back; it still gets its answer. */
  #withdraw(requestId: Json | undefined): boolean {
    if (requestId === undefined) return false;
    const key = JSON.stringify(requestId);
    const isPermission = this.#permissions.delete(key);
    if (!isPermission && !this.#questions.delete(key)) return false;
    const error = { code: REQUEST_CANCELLED, message: "Request cancelled" };
    this.#send({ jsonrpc: "2.0", id: requestId, error });
    if (isPermission) this.#options.hooks.onPermissionWithdrawn(key);
    else this.#options.hooks.onQuestionWithdrawn(key);
    return true;
  }

  /** Our requests carry `<epoch>-<n>` on the wire and `n` inside the SDK. */
  #outgoing(message: AnyMessage): object {
    if ("method" in message && "id" in message) {
      const id = `${this.#options.epoch}-${message.id}`;
      const agentSessionId = asString(asObject(message.params)?.["sessionId"]);
      if (agentSessionId !== undefined) this.#callers.set(id, agentSessionId);
      return { ...message, id };
    }
    const params = "method" in message && message.method === "$/cancel_request" ? asObject(message.params) : null;
    if (!params) return message;
    return { ...message, params: { requestId: `${this.#options.epoch}-${params["requestId"]}` } };
  }

  /** Null for an answer to a question this run never asked: it is kept in the trace and goes no further. */
  #incoming(message: JsonObject): AnyMessage | null {
    if (message["method"] !== undefined) return message as unknown as AnyMessage;
    const prefix = `${this.#options.epoch}-`;
    const id = asString(message["id"]);
    if (!id?.startsWith(prefix)) return null;
    const number = Number(id.slice(prefix.length));
    // A second answer to a prompt has an id of ours that the SDK never gave.
    return Number.isInteger(number) ? ({ ...message, id: number } as unknown as AnyMessage) : null;
  }

  #send(message: object): void {
    const line = JSON.stringify(message);
    this.#options.trace.record("out", line);
    this.#process.write(line);
  }
}

function parseMessage(text: string): JsonObject | null {
  if (!text.startsWith("{")) return null;
  try {
    return asObject(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function failureOf(error: Json | undefined): AcpFailure | null {
  const failure = asObject(error);
  if (!failure) return null;
  const code = failure["code"];
  return {
    code: typeof code === "number" ? code : 0,
    message: failureMessage(asString(failure["message"]) ?? "The agent gave no reason.", failure["data"]),
  };
}
