import type { Subscription } from "../fanout/subscription.ts";
import type { SessionId } from "../protocol/ids.ts";
import type { PlainServerMessage } from "../protocol/server-messages.ts";
import { SECURITY_HEADERS } from "./plain-pages.ts";
import type { ConnectionDeps } from "./socket-connection.ts";

/** Proxies close connections that are silent for longer. */
const KEEP_ALIVE_MS = 15_000;
const BUFFER_BYTES_MAX = 1024 * 1024;

interface SessionEventsOptions {
  readonly deps: Pick<ConnectionDeps, "feed" | "sessions" | "onError">;
  readonly sessionId: SessionId;
  /** The last seq that the reader has. */
  readonly after: number | undefined;
  readonly limit: number | undefined;
  readonly onEnd: () => void;
}

/**
 * A session as server-sent events: what the socket sends to a follower, with the seq of each fact as the event's id. A
 * reader that returns with the last id gets everything after it.
 */
export class SessionEvents {
  readonly #options: SessionEventsOptions;
  readonly #body: ReadableStream<Uint8Array>;
  readonly #encoder = new TextEncoder();
  readonly #listening: Disposable;
  readonly #keepAlive: ReturnType<typeof setInterval>;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  #subscription: Subscription | null = null;

  /** Null: there is no such session. */
  static async open(options: SessionEventsOptions): Promise<SessionEvents | null> {
    const { deps, sessionId, after, limit } = options;
    const start = await deps.sessions.open(sessionId, after, limit);
    return start && new SessionEvents(options, start);
  }

  private constructor(options: SessionEventsOptions, start: StartMessage) {
    this.#options = options;
    this.#body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#subscription?.pump(),
        cancel: () => this.end(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: BUFFER_BYTES_MAX }),
    );
    this.#listening = options.deps.feed.hub.onBroadcast((batch) => {
      for (const broadcast of batch)
        if (broadcast.kind === "message" && broadcast.message.type === "session:deleted")
          this.#deleted(broadcast.message);
    });
    this.#keepAlive = setInterval(() => this.#write(": waiting\n\n"), KEEP_ALIVE_MS);
    this.#follow(start);
  }

  get response(): Response {
    const headers = {
      ...SECURITY_HEADERS,
      "Content-Type": "text/event-stream; charset=utf-8",
      "Cache-Control": "no-store",
      "X-Accel-Buffering": "no",
    };
    return new Response(this.#body, { headers });
  }

  /** Closes the connection. The reader may return with its last id. */
  end(): void {
    const controller = this.#controller;
    if (controller === null) return;
    this.#controller = null;
    clearInterval(this.#keepAlive);
    this.#listening[Symbol.dispose]();
    this.#subscription?.[Symbol.dispose]();
    this.#options.onEnd();
    try {
      controller.close();
    } catch (error) {
      // The reader has closed it.
      if (!(error instanceof TypeError)) throw error;
    }
  }

  /** `session:resumed` has the current state of the session; its facts are still to come, so it has no id. */
  #follow(start: StartMessage): void {
    const { deps, sessionId, after } = this.#options;
    const isResumed = start.type === "session:resumed";
    this.#subscription?.[Symbol.dispose]();
    this.#subscription = deps.feed.follow({
      sessionId,
      after: isResumed ? (after ?? start.seq) : start.seq,
      ready: () => (this.#controller?.desiredSize ?? 0) > 0,
      send: ({ seq, type, json }) => this.#write(`id: ${seq}\nevent: ${type}\ndata: ${json}\n\n`),
      onGap: () => void this.#startOver().catch(deps.onError),
    });
    const id = isResumed ? "" : `id: ${start.seq}\n`;
    this.#write(`${id}event: ${start.type}\ndata: ${JSON.stringify(start)}\n\n`);
    this.#subscription.pump();
  }

  /** The reader was slower than facts are kept. */
  async #startOver(): Promise<void> {
    const { deps, sessionId, limit } = this.#options;
    const start = await deps.sessions.open(sessionId, undefined, limit);
    if (this.#controller === null) return;
    if (start) this.#follow(start);
    else this.end();
  }

  #deleted(message: Extract<PlainServerMessage, { type: "session:deleted" }>): void {
    if (message.sessionId !== this.#options.sessionId) return;
    this.#write(`event: ${message.type}\ndata: ${JSON.stringify(message)}\n\n`);
    this.end();
  }

  #write(text: string): void {
    this.#controller?.enqueue(this.#encoder.encode(text));
  }
}

type StartMessage = NonNullable<Awaited<ReturnType<ConnectionDeps["sessions"]["open"]>>>;
