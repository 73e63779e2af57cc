import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { at, isMessage, type Message, parseObject, RpcFailure, updateOf } from "./message.ts";

/** How the client answers a request of the agent's; throwing an `RpcFailure` answers with an error. */
export type Responder = (params: Message, id: unknown) => unknown;

const MAIN = join(import.meta.dir, "../../builtin-agent/main.ts");
const METHOD_NOT_FOUND = -32601;

type Waiting = { matches: (message: Message) => boolean; resolve: (message: Message) => void };
type Pending = { resolve: (result: unknown) => void; reject: (error: Error) => void };

/** The real process, spoken to in raw JSON-RPC lines; disposing ends it and proves that it is gone. */
export class AgentDriver implements AsyncDisposable {
  readonly cwd: string;
  readonly directory: string;
  readonly #child: Bun.Subprocess<"pipe", "pipe", "pipe">;
  /** Every line exactly as it was read, junk included. */
  readonly lines: string[] = [];
  readonly messages: Message[] = [];
  readonly responders = new Map<string, Responder>();
  readonly #waiting = new Set<Waiting>();
  readonly #pending = new Map<string, Pending>();
  readonly #reading: Promise<void>;
  readonly #stderr: Promise<string>;
  #stderrText = "";
  readonly #stderrWaiting = new Set<() => void>();
  #lastId = 0;
  #disposed = false;

  constructor(options: { directory: string; cwd?: string; flags?: string[]; env?: Record<string, string> }) {
    this.directory = options.directory;
    this.cwd = options.cwd ?? join(options.directory, "project");
    mkdirSync(this.cwd, { recursive: true });
    this.#child = Bun.spawn([process.execPath, MAIN, ...(options.flags ?? [])], {
      cwd: options.directory,
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: options.directory,
        LIMINAL_GUIDE_DIR: join(options.directory, ".guide"),
        ...options.env,
      },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    this.#reading = this.#read();
    this.#stderr = this.#readStderr();
  }

  get pid(): number {
    return this.#child.pid;
  }

  get exited(): Promise<number> {
    return this.#child.exited;
  }

  /** All of stderr, once the process has ended. */
  get stderr(): Promise<string> {
    return this.#stderr;
  }

  async initialize(clientCapabilities: object = {}): Promise<Message> {
    return this.request("initialize", { protocolVersion: 1, clientCapabilities });
  }

  /** Initializes and opens a session in the driver's cwd. */
  async open(clientCapabilities: object = {}): Promise<string> {
    await this.initialize(clientCapabilities);
    return this.newSession();
  }

  async newSession(): Promise<string> {
    const answer = await this.request("session/new", { cwd: this.cwd, mcpServers: [] });
    return String(answer["sessionId"]);
  }

  /** Resolves with the prompt's result; `text` may also be ready-made content blocks. */
  prompt(sessionId: string, text: string | object[]): Promise<Message> {
    const prompt = typeof text === "string" ? [{ type: "text", text }] : text;
    return this.request("session/prompt", { sessionId, prompt });
  }

  async request(method: string, params: object): Promise<Message> {
    return this.requestWithId(++this.#lastId, method, params);
  }

  async requestWithId(id: string | number, method: string, params: object): Promise<Message> {
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(JSON.stringify(id), { resolve, reject });
    });
    this.send({ jsonrpc: "2.0", id, method, params });
    const result = await answer;
    return isMessage(result) ? result : {};
  }

  notify(method: string, params: object): void {
    this.send({ jsonrpc: "2.0", method, params });
  }

  send(message: object): void {
    this.sendLine(JSON.stringify(message));
  }

  /** After disposal there is no reader, so a late answer is dropped. */
  sendLine(line: string): void {
    if (this.#disposed) return;
    this.#child.stdin.write(`${line}\n`);
    this.#child.stdin.flush();
  }

  /** The first message, past or future, that matches; rejects when the process ends without it. */
  waitFor(matches: (message: Message) => boolean, from = 0): Promise<Message> {
    const found = this.messages.slice(from).find(matches);
    if (found) return Promise.resolve(found);
    return new Promise((resolve, reject) => {
      this.#waiting.add({ matches, resolve });
      this.#reading.then(() => reject(new Error("The agent ended before that message.")), reject);
    });
  }

  waitForStderr(pattern: RegExp): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (pattern.test(this.#stderrText)) resolve();
      };
      this.#stderrWaiting.add(look);
      look();
      this.#stderr.then(() => reject(new Error("The agent ended before that was on stderr.")), reject);
    });
  }

  waitForUpdate(kind: string, from = 0): Promise<Message> {
    return this.waitFor((message) => updateOf(message)?.["sessionUpdate"] === kind, from);
  }

  /** Resolves once the process has ended and everything it wrote has been read. */
  async ended(): Promise<number> {
    const code = await this.#child.exited;
    await this.#reading;
    return code;
  }

  /** The updates from a position of `messages` on. */
  updates(from = 0): Message[] {
    return this.messages
      .slice(from)
      .map(updateOf)
      .filter((update) => update !== undefined);
  }

  /** The text of one kind of chunk, joined. */
  text(from = 0, kind = "agent_message_chunk"): string {
    return this.updates(from)
      .filter((update) => update["sessionUpdate"] === kind)
      .map((update) => at(update, "content", "text") ?? "")
      .join("");
  }

  /** Each tool call's updates folded into its last state, in order of appearance. */
  tools(from = 0): Message[] {
    const calls = new Map<unknown, Message>();
    for (const update of this.updates(from)) {
      if (!String(update["sessionUpdate"]).startsWith("tool_call")) continue;
      calls.set(update["toolCallId"], { ...calls.get(update["toolCallId"]), ...update });
    }
    return [...calls.values()];
  }

  /** Answers permission questions with this option, or cancels them. */
  answerPermissions(optionId: string | "cancelled"): Message[] {
    const asked: Message[] = [];
    this.responders.set("session/request_permission", (params) => {
      asked.push(params);
      return { outcome: optionId === "cancelled" ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
    });
    return asked;
  }

  closeStdin(): void {
    this.#child.stdin.end();
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill("SIGKILL");
    await this.#child.exited;
    await this.#reading;
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest: string[] = [];
    for await (const chunk of this.#child.stdout) {
      const pieces = decoder.decode(chunk, { stream: true }).split("\n");
      for (const piece of pieces.slice(0, -1)) {
        this.#take([...rest, piece].join(""));
        rest = [];
      }
      rest.push(pieces.at(-1) ?? "");
    }
  }

  async #readStderr(): Promise<string> {
    const decoder = new TextDecoder();
    for await (const chunk of this.#child.stderr) {
      this.#stderrText += decoder.decode(chunk, { stream: true });
      for (const look of this.#stderrWaiting) look();
    }
    return this.#stderrText;
  }

  #take(line: string): void {
    this.lines.push(line);
    const message = parseObject(line);
    if (!message) return;
    this.messages.push(message);
    for (const waiting of this.#waiting) {
      if (!waiting.matches(message)) continue;
      this.#waiting.delete(waiting);
      waiting.resolve(message);
    }
    if (typeof message["method"] !== "string") this.#settle(message);
    else if ("id" in message) this.#respond(message["method"], message);
  }

  #settle(message: Message): void {
    const key = JSON.stringify(message["id"]);
    const pending = this.#pending.get(key);
    this.#pending.delete(key);
    const { error } = message;
    if (!isMessage(error)) pending?.resolve(message["result"]);
    else pending?.reject(new RpcFailure(Number(error["code"]), String(error["message"]), error["data"]));
  }

  #respond(method: string, message: Message): void {
    const { id } = message;
    const responder = this.responders.get(method);
    const params = isMessage(message["params"]) ? message["params"] : {};
    const missing = () => {
      throw new RpcFailure(METHOD_NOT_FOUND, `Method not found: ${method}`);
    };
    Promise.resolve()
      .then(() => (responder ?? missing)(params, id))
      .then((result) => {
        if (result !== NO_ANSWER) this.send({ jsonrpc: "2.0", id, result });
      })
      .catch((error: unknown) => {
        const { code, message: text } = error instanceof RpcFailure ? error : new RpcFailure(-32603, String(error));
        this.send({ jsonrpc: "2.0", id, error: { code, message: text } });
      });
  }
}

/** A responder returns this to leave the request open. */
export const NO_ANSWER = Symbol("no answer");
