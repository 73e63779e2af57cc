import {
  API_OPERATIONS,
  ApiError,
  type ApiErrorCode,
  type ApiOperation,
  isInQuery,
  type OperationId,
  type OperationInput,
  type OperationOutput,
  pathParametersOf,
} from "../protocol/http-api.ts";

interface LiminalClientOptions {
  /** For example `http://127.0.0.1:3000`. */
  readonly origin: string;
  /** From `liminal tokens create`. */
  readonly token: string;
  /** Instead of the global one: for another certificate, for example. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

interface CallOptions {
  /** Makes the call act once, also when it is repeated. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

/** A refusal of the server: a message for people, a code for programs. */
export class LiminalApiError extends Error {
  override readonly name = "LiminalApiError";
  readonly status: number;
  readonly code: ApiErrorCode | "UNKNOWN";
  readonly details: string | undefined;

  constructor(status: number, { error, code, details }: Partial<ApiError>) {
    super(error ?? `The server answered with ${status}.`);
    this.status = status;
    this.code = code ?? "UNKNOWN";
    this.details = details;
  }
}

type FollowedMessage = OperationOutput<"followSession">;
type OrdinaryId = Exclude<OperationId, "followSession">;

const RECONNECT_MS: readonly number[] = [0, 500, 1_000, 2_000, 5_000];

/** The HTTP API, typed by the table it is made of. Works in Node, Bun, Deno and browsers. */
export class LiminalClient {
  readonly #options: LiminalClientOptions;

  constructor(options: LiminalClientOptions) {
    this.#options = options;
  }

  /** One operation by its name, for example `call("sendMessage", { sessionId, content: "Hello" })`. */
  async call<Id extends OrdinaryId>(
    id: Id,
    input: OperationInput<Id>,
    { idempotencyKey, signal }: CallOptions = {},
  ): Promise<OperationOutput<Id>> {
    const headers = { ...(idempotencyKey !== undefined && { "Idempotency-Key": idempotencyKey }) };
    const response = await this.#send(id, Object.fromEntries(Object.entries(input as object)), headers, signal);
    // The server derives it from the same table.
    return (await response.json()) as OperationOutput<Id>;
  }

  /**
   * A session from its history on, or from `after`, across lost connections: nothing is lost or repeated.
   * `session:history` replaces everything before it. Ends when the session is deleted.
   */
  async *follow(
    input: OperationInput<"followSession">,
    { signal }: Pick<CallOptions, "signal"> = {},
  ): AsyncGenerator<FollowedMessage, undefined> {
    let last = input.after;
    for (let failures = 0; !signal?.aborted; failures += 1) {
      try {
        const headers = last === undefined ? {} : { "Last-Event-ID": String(last) };
        const response = await this.#send("followSession", { ...input, after: undefined }, headers, signal);
        for await (const { id, data } of eventsIn(response)) {
          failures = 0;
          if (id !== null) last = id;
          // The server derives it from the same table.
          const message = data as FollowedMessage;
          yield message;
          if (message.type === "session:deleted") return undefined;
        }
      } catch (error) {
        if (signal?.aborted) return undefined;
        if (error instanceof LiminalApiError && error.status < 500) throw error;
        if (failures >= RECONNECT_MS.length) throw error;
      }
      const waitMs = RECONNECT_MS[Math.min(failures, RECONNECT_MS.length - 1)] ?? 0;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
    return undefined;
  }

  async #send(
    id: OperationId,
    input: Record<string, unknown>,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    const operation: ApiOperation = API_OPERATIONS[id];
    const inPath = pathParametersOf(operation.path);
    const path = operation.path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(String(input[name])));
    const rest = Object.entries(input).filter(([name, value]) => !inPath.includes(name) && value !== undefined);
    const query = isInQuery(operation) ? queryOf(rest) : "";
    const send = this.#options.fetch ?? fetch;
    const response = await send(`${this.#options.origin}${path}${query}`, {
      method: operation.method,
      headers: {
        Authorization: `Bearer ${this.#options.token}`,
        ...(!isInQuery(operation) && { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(!isInQuery(operation) && { body: JSON.stringify(Object.fromEntries(rest)) }),
      ...(signal && { signal }),
    });
    if (response.ok) return response;
    const refusal = ApiError.safeParse(await response.json().catch(() => null));
    throw new LiminalApiError(response.status, refusal.data ?? {});
  }
}

function queryOf(fields: readonly (readonly [string, unknown])[]): string {
  const words = new URLSearchParams();
  for (const [name, value] of fields) for (const one of [value].flat()) words.append(name, String(one));
  return words.size === 0 ? "" : `?${words}`;
}

/** Server-sent events as the standard has them, each with JSON in one line. */
async function* eventsIn({ body }: Response): AsyncGenerator<{ readonly id: number | null; readonly data: unknown }> {
  if (body === null) return;
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        const id = /^id: (\d+)$/m.exec(block)?.[1];
        if (data !== undefined) yield { id: id === undefined ? null : Number(id), data: JSON.parse(data) };
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
