import type { FromRunner, FromServer } from "./contract.ts";

/** Answers a call of our tools as `POST /mcp` would, for the session of the token and for nobody else. */
export type ServeTools = (call: {
  readonly token: string;
  readonly body: string;
  /** The caller does not wait any more. */
  readonly signal: AbortSignal;
}) => Promise<Response>;

type ToolCall = Extract<FromRunner, { type: "tools:call" | "tools:cancel" }>;

/** A place may send as many calls as it likes; each one costs memory here. */
const CALLS_MAX = 200;
const TOO_MANY = 503;

interface ToolCallsParts {
  readonly serve: ServeTools;
  readonly send: (answer: Extract<FromServer, { type: "tools:answer" }>) => void;
  readonly onError: (error: unknown) => void;
}

/** The calls of our tools that came through one connection to a place. They end with it, and their callers repeat them. */
export class ToolCalls {
  readonly #parts: ToolCallsParts;
  readonly #open = new Map<number, AbortController>();

  constructor(parts: ToolCallsParts) {
    this.#parts = parts;
  }

  received(call: ToolCall): void {
    if (call.type === "tools:cancel") this.#open.get(call.id)?.abort();
    // Without an answer of ours in it, the caller tries again.
    else if (this.#open.size >= CALLS_MAX || this.#open.has(call.id))
      this.#parts.send({ type: "tools:answer", id: call.id, status: TOO_MANY, text: "", isLast: true });
    else this.#answer(call).catch(this.#parts.onError);
  }

  /** The connection is lost. */
  cut(): void {
    for (const call of this.#open.values()) call.abort();
  }

  async #answer({ id, token, body }: Extract<ToolCall, { type: "tools:call" }>): Promise<void> {
    const { serve, send } = this.#parts;
    const call = new AbortController();
    const { signal } = call;
    this.#open.set(id, call);
    let status = TOO_MANY;
    try {
      const response = await serve({ token, body, signal });
      status = response.status;
      const decoder = new TextDecoder();
      for await (const bytes of response.body ?? [])
        send({ type: "tools:answer", id, status, text: decoder.decode(bytes, { stream: true }), isLast: false });
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#open.delete(id);
      send({ type: "tools:answer", id, status, text: "", isLast: true });
    }
  }
}
