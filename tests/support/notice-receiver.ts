import { waitFor } from "./wait-for.ts";

export interface ReceivedNotice {
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
  /** When it arrived, on the clock of `performance.now()`. */
  readonly atMs: number;
}

/** What the receiver answers: a status, a redirect to an address, or nothing until it is closed. */
type Reply = number | { readonly redirect: string } | "hang";

/** A real HTTP server on loopback that keeps what is posted to it. */
export class NoticeReceiver implements AsyncDisposable {
  readonly received: ReceivedNotice[] = [];
  readonly #server: Bun.Server<undefined>;
  readonly #closing = Promise.withResolvers<void>();
  /** The answers to the next requests; then 200. */
  replies: Reply[] = [];

  constructor(port = 0) {
    this.#server = Bun.serve({
      port,
      hostname: "127.0.0.1",
      fetch: async (request) => {
        const { pathname, search } = new URL(request.url);
        const atMs = performance.now();
        this.received.push({ path: pathname + search, headers: request.headers, body: await request.text(), atMs });
        const reply = this.replies.shift() ?? 200;
        if (reply === "hang") {
          await this.#closing.promise;
          return new Response(null, { status: 503 });
        }
        if (typeof reply === "object")
          return new Response(null, { status: 307, headers: { location: reply.redirect } });
        return new Response("an answer that nobody reads", { status: reply });
      },
    });
  }

  get port(): number {
    return Number(this.#server.port);
  }

  url(path = "/topic"): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  async until(count: number): Promise<readonly ReceivedNotice[]> {
    return waitFor(
      () => this.received,
      ({ length }) => length >= count,
      `${count} notices`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.resolve();
    await this.#server.stop(true);
  }
}
