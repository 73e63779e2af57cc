import { ignore } from "../../../lib/ignore.ts";
import type { Json } from "../../../protocol/json.ts";
import { StderrTail } from "../../process/agent-process.ts";
import type {
  ExitReport,
  HostedProcess,
  PastLine,
  ProcessHost,
  ProcessSpec,
  StopUrgency,
} from "../../process/process-host.ts";
import { ClientRequestError } from "../client-requests.ts";
import { asObject, asString, type JsonObject } from "../read-json.ts";
import { type AcpHooks, AcpNote } from "./acp-hooks.ts";
import { JournalReplay } from "./journal-replay.ts";
import { failureOf, parseMessage, promptKey, STEERING, steerKey } from "./wire-message.ts";
import type { WireTrace } from "./wire-trace.ts";

const PERMISSION = "session/request_permission";
const QUESTION = "elicitation/create";
const ACCOUNT = "_auth/status_update";
const REQUEST_CANCELLED = -32800;
const INVALID_REQUEST = -32600;
const INTERNAL_ERROR = -32603;
/** Takes as long as the command; the agent may stop waiting. */
const WAIT_FOR_EXIT = "terminal/wait_for_exit";

/** The agent answered our request with an error. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  readonly data: Json | undefined;

  constructor(code: number, message: string, data: Json | undefined) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

interface OpenRequest {
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: Error) => void;
}

/** One agent process and its JSON-RPC peer. Each line is handled before the next one is read. */
export class AcpConnection {
  readonly #options: AcpConnectionOptions;
  readonly #process: HostedProcess;
  readonly #stderr = new StderrTail();
  readonly #prompts = new Set<string>();
  /** The agent session of each open request of ours, by wire id. */
  readonly #callers = new Map<Json, string>();
  /** Open requests of the agent, by the line they came in: agents may reuse an id. */
  readonly #asked = new Map<number, JsonObject>();
  /** What an earlier server sent; its requests may be answered long after we attached. */
  #past: JournalReplay | null = null;
  #isCatchingUp = false;
  #lastLine = 0;
  #charsSinceCheckpoint = 0;
  /** Lines sent to the agent by this server. */
  #sentCount = 0;
  /** Our open requests, by id. */
  readonly #requests = new Map<string, OpenRequest>();
  #requestCount = 0;
  /** Agent requests received before `open`; null afterwards. */
  #early: { readonly message: JsonObject; readonly offset: number }[] | null = [];
  #hasEnded = false;

  constructor(options: AcpConnectionOptions) {
    this.#options = options;
    this.#process = options.host.start({
      command: options.command,
      cwd: options.cwd,
      env: options.env,
      ...(options.held && { held: options.held }),
      onLine: (line, offset) => this.#receive(line, offset),
      onStderr: (text) => {
        this.#stderr.push(text);
        options.trace.record("stderr", text);
      },
      onTooLong: (bytes) => this.#unreadable(`dropped a line of ${bytes} bytes, over the limit`),
    });
    this.exited.then(() => this.#endRequests()).catch(ignore("`exited` never rejects"));
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** Rejects with NotStartableError. */
  get started(): Promise<void> {
    return this.#process.started;
  }

  get exited(): Promise<ExitReport> {
    return this.#process.exited;
  }

  /** The last part of its stderr so far. */
  get stderrTail(): string {
    return this.#stderr.lastLines();
  }

  /** The last line that was handled. */
  get lastLine(): number {
    return this.#lastLine;
  }

  /** Processes the lines of an earlier server in order; afterwards this server owns the process. */
  catchUp(): void {
    const lines = this.#process.takePast();
    this.#past = new JournalReplay(lines);
    this.#isCatchingUp = true;
    for (const line of lines) {
      if (line.direction === "in") this.#receive(line.text, line.offset);
      else if (line.direction === "out") this.#past.recall(line.text, this.#options.hooks);
      else this.#readNote(line);
    }
    this.#isCatchingUp = false;
  }

  /**
   * Records the current state. The returned function passes it to the holder; call it once everything received before is
   * stored. A later server then needs only the note and the lines after it.
   */
  prepareCheckpoint(note: Pick<AcpNote, "initialized" | "sessions" | "pages">): () => void {
    const asked = [...this.#asked].map(([offset, message]) => ({ offset, message }));
    const whole: AcpNote = { version: 1, asked, ...note };
    const [json, lastLine, sentCount] = [JSON.stringify(whole), this.#lastLine, this.#sentCount];
    this.#charsSinceCheckpoint = 0;
    return () => this.#process.checkpoint(lastLine, json, this.#sentCount - sentCount);
  }

  /** The process has ended and all of its output is stored. */
  release(): Promise<void> {
    return this.#process.release();
  }

  /** From here on requests of the agent are served, buffered ones first. */
  open(): void {
    const early = this.#early ?? [];
    this.#early = null;
    for (const { message, offset } of early) this.#serve(message, offset);
  }

  /** Work is open that would be lost if the process ended. */
  get isBusy(): boolean {
    const isUserAsked = [...this.#asked.values()].some(({ method }) => method === PERMISSION || method === QUESTION);
    return this.#requests.size > 0 || this.#prompts.size > 0 || isUserAsked;
  }

  /** Any request except a prompt. Rejects with RpcError, or with another error if the process has ended. */
  request(method: string, params: object): Promise<JsonObject> {
    if (this.#hasEnded) return Promise.reject(closed());
    const id = `${this.#options.epoch}-${this.#requestCount++}`;
    if ("sessionId" in params && typeof params.sessionId === "string") this.#callers.set(id, params.sessionId);
    const answer = new Promise<JsonObject>((resolve, reject) => this.#requests.set(id, { resolve, reject }));
    this.#send({ jsonrpc: "2.0", id, method, params });
    return answer;
  }

  /** Sends a prompt; its end is reported through `onPromptAnswer` with the returned key, after its last update. */
  prompt(agentSessionId: string, turnId: string, prompt: readonly object[]): string {
    return this.#askInOrder(agentSessionId, promptKey(this.#options.epoch, turnId), "session/prompt", { prompt });
  }

  /**
   * A message for the running turn; answered like a prompt. `promptRequired` keeps an idle agent from starting a turn
   * that no prompt of ours owns. Adapters read it from `_meta.steering` and ignore it anywhere else.
   */
  steer(agentSessionId: string, commandId: string, prompt: readonly object[]): string {
    const params = { prompt, _meta: { steering: { idleBehavior: "promptRequired" } } };
    return this.#askInOrder(agentSessionId, steerKey(this.#options.epoch, commandId), STEERING, params);
  }

  /** An earlier server sent this prompt. */
  expectAnswer(key: string, agentSessionId: string): void {
    this.#prompts.add(key);
    this.#callers.set(key, agentSessionId);
  }

  /** The prompt was sent and is not answered yet. */
  isWaitingFor(key: string): boolean {
    return this.#prompts.has(key);
  }

  /** Asks the agent to abort a prompt that a plain cancel did not end. */
  cancelPrompt(key: string): void {
    if (this.#prompts.has(key)) this.notify("$/cancel_request", { requestId: key });
  }

  notify(method: string, params: object): void {
    this.#send({ jsonrpc: "2.0", method, params });
  }

  /** The request in this line is not answered yet. */
  isAsked(offset: number): boolean {
    return this.#asked.has(offset);
  }

  /** Answers the request in this line with its unchanged id; only the first answer is sent. */
  answer(offset: number, answer: { readonly result: object } | { readonly error: object }): void {
    const asked = this.#asked.get(offset);
    if (!asked) return;
    this.#asked.delete(offset);
    this.#send({ jsonrpc: "2.0", id: asked["id"] ?? null, ...answer });
  }

  /** The session of one of our open requests. */
  callerOf(requestId: Json | undefined): string | undefined {
    return requestId === undefined ? undefined : this.#callers.get(requestId);
  }

  stop(urgency?: StopUrgency): Promise<ExitReport> {
    return this.#process.stop(urgency);
  }

  #askInOrder(agentSessionId: string, id: string, method: string, params: object): string {
    this.expectAnswer(id, agentSessionId);
    this.#send({ jsonrpc: "2.0", id, method, params: { sessionId: agentSessionId, ...params } });
    return id;
  }

  #receive(line: string, offset: number): void {
    this.#lastLine = offset;
    const text = line.trim();
    if (text === "") return;
    const message = parseMessage(text);
    if (message) {
      this.#options.trace.record("in", text);
      this.#route(message, offset);
    } else this.#unreadable(text);
    this.#charsSinceCheckpoint += text.length;
    if (!this.#isCatchingUp && this.#charsSinceCheckpoint >= this.#process.checkpointBytes)
      this.#options.hooks.onCheckpointDue();
  }

  #unreadable(text: string): void {
    this.#options.trace.record("junk", text);
    if (!this.#isCatchingUp) this.#options.onUnreadable?.(text);
  }

  #route(message: JsonObject, offset: number): void {
    const { hooks } = this.#options;
    const { id, method } = message;
    const params = asObject(message["params"]);
    if (method === "session/update" && id === undefined) {
      const update = params?.["update"];
      const agentSessionId = asString(params?.["sessionId"]);
      if (agentSessionId !== undefined && update !== undefined) hooks.onUpdate(agentSessionId, update);
      return;
    }
    if (method === ACCOUNT && id === undefined) {
      if (params) hooks.onAccount(params);
      return;
    }
    const key = JSON.stringify(id ?? null);
    const isAnswered = method !== undefined && id !== undefined && (this.#past?.takeAnswer(key) ?? false);
    if (method !== undefined && id !== undefined && !isAnswered) this.#asked.set(offset, message);
    if (method === PERMISSION && id !== undefined && params) {
      hooks.onPermissionRequest({ offset, isAnswered }, params);
      return;
    }
    if (method === QUESTION && id !== undefined) {
      hooks.onQuestion({ offset, isAnswered }, params ?? {});
      return;
    }
    if (method === "elicitation/complete" && id === undefined) {
      hooks.onQuestionCompleted(asString(params?.["elicitationId"]) ?? "");
      return;
    }
    if (method === undefined && id !== undefined) this.#callers.delete(id);
    if (method === "terminal/create") this.#past?.noteTerminalRequest(key, params);
    if (isAnswered) return;
    if (method === "$/cancel_request") {
      this.#withdraw(params?.["requestId"]);
      return;
    }
    if (method === undefined && typeof id === "string" && this.#prompts.delete(id)) {
      hooks.onPromptAnswer(id, asObject(message["result"]), failureOf(message["error"]));
      return;
    }
    if (method === undefined) {
      if (!this.#past?.isAnsweredBy(message, hooks)) this.#takeAnswer(message);
    } else if (id !== undefined) {
      if (this.#early) this.#early.push({ message, offset });
      else this.#serve(message, offset);
    }
  }

  /** An answer to a request that this run never sent stays in the trace and goes no further. */
  #takeAnswer(message: JsonObject): void {
    const id = asString(message["id"]) ?? "";
    const request = this.#requests.get(id);
    if (!request) return;
    this.#requests.delete(id);
    const error = asObject(message["error"]);
    if (error) {
      const code = typeof error["code"] === "number" ? error["code"] : 0;
      request.reject(new RpcError(code, asString(error["message"]) ?? "", error["data"]));
    } else request.resolve(asObject(message["result"]) ?? {});
  }

  #serve(message: JsonObject, offset: number): void {
    const method = asString(message["method"]);
    if (method === undefined) {
      this.answer(offset, { error: { code: INVALID_REQUEST, message: "Invalid request" } });
      return;
    }
    this.#options.hooks.onRequest(method, asObject(message["params"]) ?? {}).then(
      (result) => this.answer(offset, { result }),
      (error: unknown) => this.answer(offset, { error: errorOf(error) }),
    );
  }

  #endRequests(): void {
    this.#hasEnded = true;
    for (const { reject } of this.#requests.values()) reject(closed());
    this.#requests.clear();
    this.#asked.clear();
  }

  /** The agent cancels a request; it is still answered. Short operations complete anyway. */
  #withdraw(requestId: Json | undefined): void {
    if (requestId === undefined) return;
    const key = JSON.stringify(requestId);
    const asked = [...this.#asked].find(([, { id, method }]) => {
      const isLong = method === PERMISSION || method === QUESTION || method === WAIT_FOR_EXIT;
      return isLong && JSON.stringify(id) === key;
    });
    if (!asked) return;
    const [offset, { method, params }] = asked;
    this.answer(offset, { error: { code: REQUEST_CANCELLED, message: "Request cancelled" } });
    if (method === PERMISSION) this.#options.hooks.onPermissionWithdrawn(offset, asObject(params) ?? {});
    else if (method === QUESTION) this.#options.hooks.onQuestionWithdrawn(offset);
  }

  #readNote({ text, offset }: PastLine): void {
    const note = AcpNote.parse(JSON.parse(text));
    this.#lastLine = offset;
    this.#options.hooks.onNote(note);
    for (const asked of note.asked) this.#route(asked.message, asked.offset);
  }

  #send(message: object): void {
    const line = JSON.stringify(message);
    this.#options.trace.record("out", line);
    this.#sentCount += 1;
    this.#process.write(line);
  }
}

function closed(): Error {
  return new Error("the connection to the agent is closed");
}

function errorOf(error: unknown): object {
  if (error instanceof ClientRequestError) return { code: error.code, message: error.message };
  const details = error instanceof Error ? error.message : String(error);
  return { code: INTERNAL_ERROR, message: "Internal error", data: { details } };
}

/** How the agent process is started, and who receives its output. */
interface AcpConnectionOptions {
  readonly host: ProcessHost;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Distinguishes answers to this run of the server from answers to an earlier one. */
  readonly epoch: string;
  /** For a process that outlives the server. */
  readonly held: NonNullable<ProcessSpec["held"]> | null;
  readonly trace: WireTrace;
  /** A line that is not a message; the trace has it. */
  readonly onUnreadable?: (text: string) => void;
  readonly hooks: AcpHooks;
}
