import { ignore } from "../../../src/lib/ignore.ts";
import type { AnswerWriter } from "./answer-writer.ts";
import type { ModelRequest } from "./model-request.ts";
import { isHousekeeping, planAnswer } from "./plan-answer.ts";
import { readAnthropic } from "./read-anthropic.ts";
import { readChat } from "./read-chat.ts";
import { readResponses } from "./read-responses.ts";
import { numberedWords, type Step } from "./script.ts";
import { AnthropicWriter } from "./write-anthropic.ts";
import { ChatWriter } from "./write-chat.ts";
import { ResponsesWriter } from "./write-responses.ts";

/** Small, so that texts arrive in many chunks as from a real model. */
const PIECE_CHARS = 7;
const LONG_PIECE_WORDS = 8;

type Hold = {
  readonly reached: PromiseWithResolvers<void>;
  readonly released: PromiseWithResolvers<void>;
  readonly abandoned: PromiseWithResolvers<void>;
};

/**
 * `await using model = startModelServer()`: a model on loopback that does what the newest prompt tells it to (see
 * `script.ts`), or what `plan` says. It speaks the Messages, the Responses and the chat completions API, always
 * streaming, and never asks the clock.
 */
export function startModelServer(plan: Plan = planAnswer): ModelServer {
  return new ModelServer(plan);
}

/** What the model does at a request. */
export type Plan = (request: ModelRequest) => readonly Step[];

/**
 * What befalls the next request instead of an answer: a status, a body of another kind, a connection that breaks, an answer
 * without its end.
 */
export type Mishap =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly body: string; readonly type: string }
  | "drop"
  | "cut";

export class ModelServer implements AsyncDisposable {
  /** What agents asked for the user, oldest first; housekeeping is not among it. */
  readonly requests: ModelRequest[] = [];
  /** The raw requests, with everything besides the conversation. */
  readonly bodies: string[] = [];
  /** Taken one by one, by whatever is asked next. */
  readonly mishaps: Mishap[] = [];
  /** What it answers when asked for its models. */
  readonly listed: object[] = [];
  /** The keys that requests came with. */
  readonly keys = new Set<string>();
  readonly #plan: Plan;
  readonly #holds = new Map<string, Hold>();
  readonly #server: Bun.Server<undefined>;
  #answers = 0;

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      idleTimeout: 0,
      fetch: (request) => this.#answer(request),
    });
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  /** The model has got to `hold: <name>`. */
  untilHeld(name: string): Promise<void> {
    return this.#hold(name).reached.promise;
  }

  /** Lets it go on from there. */
  release(name: string): void {
    this.#hold(name).released.resolve();
  }

  /** The agent hung up while the model was held there. */
  untilAbandoned(name: string): Promise<void> {
    return this.#hold(name).abandoned.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { released } of this.#holds.values()) released.resolve();
    await this.#server.stop(true);
  }

  #hold(name: string): Hold {
    const known = this.#holds.get(name);
    if (known) return known;
    const hold = {
      reached: Promise.withResolvers<void>(),
      released: Promise.withResolvers<void>(),
      abandoned: Promise.withResolvers<void>(),
    };
    this.#holds.set(name, hold);
    return hold;
  }

  async #answer(http: Request): Promise<Response> {
    const { pathname } = new URL(http.url);
    if (http.method !== "POST") return Response.json({ data: this.listed, models: [] });
    if (pathname.endsWith("/count_tokens")) return Response.json({ input_tokens: 1 });
    this.keys.add(http.headers.get("x-api-key") ?? http.headers.get("authorization") ?? "");
    const body = await readBody(http);
    this.bodies.push(JSON.stringify(body));
    const id = String(++this.#answers);
    if (pathname.endsWith("/messages")) {
      const request = readAnthropic(body);
      return this.#stream(request, new AnthropicWriter(id, request.model), http.signal);
    }
    if (pathname.endsWith("/responses")) {
      const request = readResponses(body);
      return this.#stream(request, new ResponsesWriter(id, request.model, request.tools), http.signal);
    }
    if (pathname.endsWith("/chat/completions")) {
      const request = readChat(body);
      return this.#stream(request, new ChatWriter(id, request.model), http.signal);
    }
    return Response.json({ error: { message: `no ${pathname} here` } }, { status: 404 });
  }

  #stream(request: ModelRequest, writer: AnswerWriter, signal: AbortSignal): Response {
    if (!isHousekeeping(request)) this.requests.push(request);
    const mishap = this.mishaps.shift();
    if (mishap && typeof mishap === "object") {
      if ("body" in mishap) return new Response(mishap.body, { headers: { "content-type": mishap.type } });
      const { status, headers = {} } = mishap;
      return Response.json(writer.failure(status, `scripted mishap ${status}`), { status, headers });
    }
    if (mishap) return brokenOff(writer.begin() + writer.say("I was about to"), mishap);
    const steps = this.#plan(request);
    const [first] = steps;
    if (first?.does === "fail")
      return Response.json(writer.failure(first.status, first.message), { status: first.status });
    if (first?.does === "refuse") return Response.json(first.body, { status: first.status, headers: first.headers });
    const pieces = this.#pieces(steps, writer, signal);
    const stream = new ReadableStream<string>({
      pull: async (controller) => {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => {
        pieces.return(undefined).catch(ignore("nobody reads any more"));
      },
    });
    return new Response(stream.pipeThrough(new TextEncoderStream()), {
      headers: { "content-type": "text/event-stream" },
    });
  }

  async *#pieces(steps: readonly Step[], writer: AnswerWriter, signal: AbortSignal): AsyncGenerator<string, undefined> {
    yield writer.begin();
    for (const step of steps) {
      if (step.does === "hold") await this.#wait(step.name, signal);
      else yield* piecesOf(step, writer);
      if (signal.aborted) return;
    }
    yield writer.end();
  }

  async #wait(name: string, signal: AbortSignal): Promise<void> {
    const hold = this.#hold(name);
    signal.addEventListener("abort", () => hold.abandoned.resolve());
    hold.reached.resolve();
    await Promise.race([hold.released.promise, hold.abandoned.promise]);
  }
}

function* piecesOf(step: Exclude<Step, { does: "hold" }>, writer: AnswerWriter): Generator<string, void> {
  switch (step.does) {
    case "say":
      for (const piece of cut(step.text)) yield writer.say(piece);
      return;
    case "think":
      for (const piece of cut(step.text)) yield writer.think(piece);
      return;
    case "long": {
      const words = numberedWords(step.words).split(" ");
      for (let at = 0; at < words.length; at += LONG_PIECE_WORDS)
        yield writer.say((at === 0 ? "" : " ") + words.slice(at, at + LONG_PIECE_WORDS).join(" "));
      return;
    }
    case "tool":
      yield writer.callTool(step.name, step.input);
      return;
    case "fail":
    case "refuse":
      throw new Error("a model fails at once or not at all");
    default:
      step satisfies never;
  }
}

function cut(text: string): string[] {
  return text.match(new RegExp(`[\\s\\S]{1,${PIECE_CHARS}}`, "gu")) ?? [];
}

/** Some text, and then the connection is lost, or closed as if the answer were complete. */
function brokenOff(words: string, how: "drop" | "cut"): Response {
  let said = false;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (!said) controller.enqueue(new TextEncoder().encode(words));
      else if (how === "drop") controller.error(new Error("The scripted model drops the connection."));
      else controller.close();
      said = true;
    },
  });
  return new Response(stream, { headers: { "content-type": "text/event-stream" } });
}

async function readBody(http: Request): Promise<unknown> {
  const bytes = await http.bytes();
  const plain = http.headers.get("content-encoding") === "zstd" ? await Bun.zstdDecompress(bytes) : bytes;
  return JSON.parse(new TextDecoder().decode(plain));
}
