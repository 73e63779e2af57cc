import { isObject, type JsonObject, parseJson } from "./json.ts";
import type { LineWriter } from "./lines.ts";
import { ClientRefusal, RPC_CODE, RpcError } from "./rpc-error.ts";

// Why not the SDK's connection: importing it costs 60-120 ms of CPU and 25 MB at start (a bare Bun process: 6 ms and
// 15 MB), and the scenarios need exact bytes, odd ids and broken frames, so only the SDK's types are used.

/** An id as JSON-RPC allows it, null included. */
export type RequestId = string | number | null;

/** The answer to a request; `afterwards` runs once it is written. */
export type Answer = { readonly result: unknown; readonly afterwards?: () => void } | "answered";

/** The agent behind the wire. */
export type Receiver = {
  request(method: string, params: JsonObject, id: RequestId): Answer | Promise<Answer>;
  notification(method: string, params: JsonObject): void;
};

type Pending = { resolve: (result: unknown) => void; reject: (error: Error) => void };

/** JSON-RPC over lines: dispatches in wire order, answers each request once, correlates our own requests. */
export class Connection {
  readonly writer: LineWriter;
  readonly #receiver: Receiver;
  readonly #report: (error: unknown) => void;
  readonly #pending = new Map<string, Pending>();
  #lastId = 0;
  /** Turns the number of our request into its id. */
  idOf: (count: number) => RequestId = (count) => count;

  constructor(writer: LineWriter, receiver: Receiver, report: (error: unknown) => void) {
    this.writer = writer;
    this.#receiver = receiver;
    this.#report = report;
  }

  receive(line: string): void {
    const parsed = parseJson(line);
    if (!parsed.ok) this.respondError(null, new RpcError(RPC_CODE.parse, "Parse error"));
    else if (!isObject(parsed.value)) this.respondError(null, new RpcError(RPC_CODE.invalidRequest, "Invalid request"));
    else this.#receiveObject(parsed.value);
  }

  notify(method: string, params: unknown): void {
    this.#send({ method, params });
  }

  /** An abort cancels the request at the peer and rejects at once; a late answer is ignored. */
  request(method: string, params: unknown, options: { signal?: AbortSignal; id?: RequestId } = {}): Promise<unknown> {
    const { signal } = options;
    this.#lastId += 1;
    const id = options.id === undefined ? this.idOf(this.#lastId) : options.id;
    const key = JSON.stringify(id);
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const withdraw = () => {
        this.#pending.delete(key);
        this.notify("$/cancel_request", { requestId: id });
        reject(signal?.reason);
      };
      const forget = () => signal?.removeEventListener("abort", withdraw);
      signal?.addEventListener("abort", withdraw, { once: true });
      this.#pending.set(key, {
        resolve: (result) => {
          forget();
          resolve(result);
        },
        reject: (error) => {
          forget();
          reject(error);
        },
      });
      this.#send({ id, method, params });
    });
  }

  respond(id: RequestId, result: unknown): void {
    this.#send({ id, result });
  }

  respondError(id: RequestId, error: RpcError): void {
    const { code, message, data } = error;
    this.#send({ id, error: data === undefined ? { code, message } : { code, message, data } });
  }

  #receiveObject(message: JsonObject): void {
    const { method, id } = message;
    const params = isObject(message["params"]) ? message["params"] : {};
    if (typeof method !== "string") this.#settle(message);
    else if (id === undefined) this.#notified(method, params);
    else if (typeof id === "string" || typeof id === "number" || id === null) this.#dispatch(method, params, id);
    else this.respondError(null, new RpcError(RPC_CODE.invalidRequest, "Invalid request id"));
  }

  /** A notification cannot be refused, so a failure is only reported. */
  #notified(method: string, params: JsonObject): void {
    try {
      this.#receiver.notification(method, params);
    } catch (error) {
      this.#report(error);
    }
  }

  #dispatch(method: string, params: JsonObject, id: RequestId): void {
    try {
      const answer = this.#receiver.request(method, params, id);
      if (answer instanceof Promise) {
        answer.then(
          (later) => this.#deliver(id, later),
          (error: unknown) => this.#refuse(id, error),
        );
      } else {
        this.#deliver(id, answer);
      }
    } catch (error) {
      this.#refuse(id, error);
    }
  }

  #deliver(id: RequestId, answer: Answer): void {
    if (answer === "answered") return;
    this.respond(id, answer.result);
    answer.afterwards?.();
  }

  #refuse(id: RequestId, error: unknown): void {
    if (error instanceof RpcError) {
      this.respondError(id, error);
      return;
    }
    this.#report(error);
    const details = error instanceof Error ? error.message : String(error);
    this.respondError(id, new RpcError(RPC_CODE.internal, "Internal error", { details }));
  }

  #settle(message: JsonObject): void {
    const key = JSON.stringify(message["id"] ?? null);
    const pending = this.#pending.get(key);
    if (!pending) return;
    this.#pending.delete(key);
    const { error } = message;
    if (!isObject(error)) {
      pending.resolve(message["result"]);
      return;
    }
    const code = typeof error["code"] === "number" ? error["code"] : RPC_CODE.internal;
    const text = typeof error["message"] === "string" ? error["message"] : "The client answered with an error.";
    pending.reject(new ClientRefusal(code, text));
  }

  #send(message: object): void {
    this.writer.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}
