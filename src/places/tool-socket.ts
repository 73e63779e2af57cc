import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { TOOL_RELAY_SOCKET } from "../protocol/tool-server.ts";
import { type FromRunner, type FromServer, TOKEN_CHARS_MAX, TOOL_CALL_CHARS_MAX, type ToolRelay } from "./contract.ts";

type ToolCall = Extract<FromRunner, { type: "tools:call" | "tools:cancel" }>;
type ToolAnswer = Extract<FromServer, { type: "tools:answer" }>;

interface Call {
  /** Null until the first piece of the answer has come. */
  pieces: ReadableStreamDefaultController<Uint8Array> | null;
  readonly answered: PromiseWithResolvers<Response>;
}

interface ToolSocketParts {
  /** Of this server on this machine. */
  readonly dir: string;
  /** Starts `liminal mcp`. */
  readonly relay: ToolRelay;
  readonly send: (message: ToolCall) => void;
}

/**
 * Where agents of this machine reach our tools: a socket for this user alone, whose calls the runner passes on to the
 * server. It says nothing about who calls; the server judges the token of each call.
 */
export class ToolSocket {
  readonly #parts: ToolSocketParts;
  readonly #calls = new Map<number, Call>();
  #count = 0;

  /** A directory of its own: a fence lets in the directory, and each runner makes its own socket in there. */
  static directory(dir: string): string {
    return join(dir, "m");
  }

  /** No other runner serves this server: what lies there is of one that was killed. */
  constructor(parts: ToolSocketParts) {
    this.#parts = parts;
    const directory = ToolSocket.directory(parts.dir);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    rmSync(this.#path, { force: true });
    Bun.serve({
      unix: this.#path,
      fetch: (request, server) => {
        // Agents wait for other agents for minutes without traffic.
        server.timeout(request, 0);
        return this.#serve(request);
      },
    });
    chmodSync(this.#path, 0o600);
  }

  /** How an agent is led here. Shorter than the path of a holder's socket. */
  get relay(): ToolRelay {
    const { command, env } = this.#parts.relay;
    return { command, env: { ...env, [TOOL_RELAY_SOCKET]: this.#path } };
  }

  answered({ id, status, text, isLast }: ToolAnswer): void {
    const call = this.#calls.get(id);
    if (!call) return;
    if (call.pieces === null) {
      const body = new ReadableStream<Uint8Array>({
        start: (pieces) => {
          call.pieces = pieces;
        },
        cancel: () => this.#cancel(id),
      });
      call.answered.resolve(new Response(body, { status }));
    }
    if (text !== "") call.pieces?.enqueue(new TextEncoder().encode(text));
    if (!isLast) return;
    this.#calls.delete(id);
    call.pieces?.close();
  }

  get #path(): string {
    return join(ToolSocket.directory(this.#parts.dir), "s");
  }

  async #serve(request: Request): Promise<Response> {
    const [, token = ""] = /^Bearer (.+)$/.exec(request.headers.get("Authorization") ?? "") ?? [];
    const body = request.method === "POST" ? await request.text() : "";
    if (body === "" || body.length > TOOL_CALL_CHARS_MAX || token.length > TOKEN_CHARS_MAX)
      return refused(`A call of a tool has at most ${TOOL_CALL_CHARS_MAX} characters. Make it shorter.`);
    const id = ++this.#count;
    const call: Call = { pieces: null, answered: Promise.withResolvers<Response>() };
    this.#calls.set(id, call);
    request.signal.addEventListener("abort", () => this.#cancel(id));
    this.#parts.send({ type: "tools:call", id, token, body });
    return call.answered.promise;
  }

  /** The caller has gone. */
  #cancel(id: number): void {
    const call = this.#calls.get(id);
    if (!call) return;
    this.#calls.delete(id);
    this.#parts.send({ type: "tools:cancel", id });
    call.answered.resolve(new Response());
  }
}

const INVALID_REQUEST = -32_600;

/** In the form in which the tools answer, so that the caller does not try again. */
function refused(message: string): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code: INVALID_REQUEST, message } });
}
