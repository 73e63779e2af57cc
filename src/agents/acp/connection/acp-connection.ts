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
const REQUEST_CANCELLED = -32800;
const INVALID_REQUEST = -32600;
const INTERNAL_ERROR = -32603;
/** Takes as long as the command it waits for; the agent may give up waiting. */
const WAIT_FOR_EXIT = "terminal/wait_for_exit";

/** The agent answered a request of ours with an error. */
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

/** One agent process and the JSON-RPC peer that speaks with it. Every line is handled before the next one is read. */
export class AcpConnection {
  readonly #options: AcpConnectionOptions;
  readonly #process: HostedProcess;
  readonly #stderr = new StderrTail();
  readonly #prompts = new Set<string>();
  /** Which of the agent's sessions our open requests are about, by their id on the wire. */
  readonly #callers = new Map<Json, string>();
  /** Requests of the agent's without an answer, by the line they came in: agents may use an id again. */
  readonly #asked = new Map<number, JsonObject>();
  /** What an earlier server said; its requests may be answered long after we came. */
  #past: JournalReplay | null = null;
  #isCatchingUp = false;
  #lastLine = 0;
  #charsSinceCheckpoint = 0;
  /** Lines sent to the agent by this server. */
  #sentCount = 0;
  /** Requests of ours that wait for an answer, by their id. */
  readonly #requests = new Map<string, OpenRequest>();
  #requestCount = 0;
  /** Requests of the agent's that came before `open`; null from then on. */
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

  /** The last of what it wrote to stderr so far. */
  get stderrTail(): string {
    return this.#stderr.lastLines();
  }

  /** The last line that was handed on. */
  get lastLine(): number {
    return this.#lastLine;
  }

  /** Hears what was said under an earlier server, in order; from here on the process is ours. */
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
   * Takes a note of the present state. The returned function hands it to the holder; call it when everything received
   * before the note is stored. A later server then needs only the note and the lines that came or went after it.
   */
  prepareCheckpoint(note: Pick<AcpNote, "initialized" | "sessions" | "pages">): () => void {
    const asked = [...this.#asked].map(([offset, message]) => ({ offset, message }));
    const whole: AcpNote = { version: 1, asked, ...note };
    const [json, lastLine, sentCount] = [JSON.stringify(whole), this.#lastLine, this.#sentCount];
    this.#charsSinceCheckpoint = 0;
    return () => this.#process.checkpoint(lastLine, json, this.#sentCount - sentCount);
  }

  /** The process has ended and all it said is stored. */
  release(): Promise<void> {
    return this.#process.release();
  }

  /** From here on requests of the agent's are served, those that came before first. */
  open(): void {
    const early = this.#early ?? [];
    this.#early = null;
    for (const { message, offset } of early) this.#serve(message, offset);
  }

  /** Something is under way that ending the process would break. */
  get isBusy(): boolean {
    const isUserAsked = [...this.#asked.values()].some(({ method }) => method === PERMISSION || method === QUESTION);
    return this.#requests.size > 0 || this.#prompts.size > 0 || isUserAsked;
  }

  /** Any request but a prompt. Rejects with RpcError, or with another error when the process is gone. */
  request(method: string, params: object): Promise<JsonObject> {
    if (this.#hasEnded) return Promise.reject(closed());
    const id = `${this.#options.epoch}-${this.#requestCount++}`;
    if ("sessionId" in params && typeof params.sessionId === "string") this.#callers.set(id, params.sessionId);
    const answer = new Promise<JsonObject>((resolve, reject) => this.#requests.set(id, { resolve, reject }));
    this.#send({ jsonrpc: "2.0", id, method, params });
    return answer;
  }

  /** Sends a prompt; its end comes through `onPromptAnswer` with the returned key, after its last update. */
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

  /** An earlier server has sent this prompt. */
  expectAnswer(key: string, agentSessionId: string): void {
    this.#prompts.add(key);
    this.#callers.set(key, agentSessionId);
  }

  /** That prompt was sent and has no answer yet. */
  isWaitingFor(key: string): boolean {
    return this.#prompts.has(key);
  }

  /** Asks the agent to give up a prompt that a plain cancel did not end. */
  cancelPrompt(key: string): void {
    if (this.#prompts.has(key)) this.notify("$/cancel_request", { requestId: key });
  }

  notify(method: string, params: object): void {
    this.#send({ jsonrpc: "2.0", method, params });
  }

  /** The agent still waits for an answer to the request in this line. */
  isAsked(offset: number): boolean {
    return this.#asked.has(offset);
  }

  /** Answers the request in this line, with its id exactly as it came; one that has its answer gets no other. */
  answer(offset: number, answer: { readonly result: object } | { readonly error: object }): void {
    const asked = this.#asked.get(offset);
    if (!asked) return;
    this.#asked.delete(offset);
    this.#send({ jsonrpc: "2.0", id: asked["id"] ?? null, ...answer });
  }

  /** The session that an open request of ours is about. */
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

  /** An answer to a request that this run never sent is kept in the trace and goes no further. */
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

  /** The agent takes a request back; it still gets its answer. What is quickly done is done all the same. */
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

/** What a connection needs: how the agent's process is started, and who receives what it says. */
interface AcpConnectionOptions {
  readonly host: ProcessHost;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Tells answers to this run of the server from answers to an earlier one. */
  readonly epoch: string;
  /** For a process that outlives the server. */
  readonly held: NonNullable<ProcessSpec["held"]> | null;
  readonly trace: WireTrace;
  /** A line that is no message; the trace has it. */
  readonly onUnreadable?: (text: string) => void;
  readonly hooks: AcpHooks;
}
