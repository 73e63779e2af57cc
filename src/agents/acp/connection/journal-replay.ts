import type { PastLine } from "../../process/process-host.ts";
import { asObject, asString, type JsonObject } from "../read-json.ts";
import type { AcpHooks } from "./acp-hooks.ts";
import { parseMessage, STEERING } from "./wire-message.ts";

/** A request that an earlier server sent. */
interface PastRequest {
  readonly method: string;
  readonly params: JsonObject;
}

/** What an earlier server sent on a connection: its answers, and its requests that may still be answered. */
export class JournalReplay {
  /** Number of answered requests per id: agents may reuse an id. */
  readonly #answers = new Map<string, number>();
  readonly #requests = new Map<string, PastRequest>();
  /** `terminal/create` requests by id: the answer names the terminal. */
  readonly #terminalRequests = new Map<string, string>();

  constructor(lines: readonly PastLine[]) {
    for (const { direction, text } of lines) {
      const message = direction === "out" ? parseMessage(text) : null;
      if (message?.["id"] === undefined || message["method"] !== undefined) continue;
      const key = JSON.stringify(message["id"]);
      this.#answers.set(key, (this.#answers.get(key) ?? 0) + 1);
    }
  }

  /** True once per answer to requests with this id. */
  takeAnswer(key: string): boolean {
    const left = this.#answers.get(key) ?? 0;
    if (left > 0) this.#answers.set(key, left - 1);
    return left > 0;
  }

  /** Processes a line that an earlier server sent. */
  recall(line: string, hooks: AcpHooks): void {
    const message = parseMessage(line);
    if (!message) return;
    const id = asString(message["id"]);
    const method = asString(message["method"]);
    const params = asObject(message["params"]) ?? {};
    const agentSessionId = asString(params["sessionId"]) ?? "";
    if (method === "session/prompt" && id !== undefined) hooks.onPastPrompt(agentSessionId, id);
    else if (method === STEERING && id !== undefined) hooks.onPastSteer(agentSessionId, id);
    else if (method === "session/cancel") hooks.onPastCancel(agentSessionId);
    else if (method !== undefined && id !== undefined) this.#requests.set(id, { method, params });
    const terminal = method === undefined ? this.#terminalOf(message) : null;
    if (terminal) hooks.onPastTerminal(terminal.agentSessionId, terminal.terminalId);
  }

  /** True for an answer to a request of an earlier server. */
  isAnsweredBy(message: JsonObject, hooks: AcpHooks): boolean {
    const id = asString(message["id"]) ?? "";
    const request = this.#requests.get(id);
    if (!request) return false;
    this.#requests.delete(id);
    const result = asObject(message["result"]);
    if (result) hooks.onPastAnswer(request.method, request.params, result);
    return true;
  }

  noteTerminalRequest(key: string, params: JsonObject | null): void {
    this.#terminalRequests.set(key, asString(params?.["sessionId"]) ?? "");
  }

  /** The terminal named in our answer. */
  #terminalOf(answer: JsonObject): { agentSessionId: string; terminalId: string } | null {
    const agentSessionId = this.#terminalRequests.get(JSON.stringify(answer["id"]));
    const terminalId = asString(asObject(answer["result"])?.["terminalId"]);
    return agentSessionId === undefined || terminalId === undefined ? null : { agentSessionId, terminalId };
  }
}
