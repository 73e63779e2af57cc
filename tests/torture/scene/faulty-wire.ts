import { connect, createServer, type Server, type Socket } from "node:net";
import { z } from "zod";

/** A slow wire takes one piece, then nothing for this long. */
const SLOW_EVERY_MS = 100;

type WireMode = "whole" | "slow" | "stalled";

/** A real TCP connection between a client and the server that can be slowed, stalled and cut in the middle of a frame. */
export class FaultyWire {
  readonly #server: Server;
  readonly #target: () => number;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #mode: WireMode = "whole";
  #ticking: ReturnType<typeof setInterval> | undefined;

  private constructor(target: () => number) {
    this.#target = target;
    this.#server = createServer((client) => this.#join(client));
  }

  static async open(target: () => number): Promise<FaultyWire> {
    const wire = new FaultyWire(target);
    await new Promise<void>((resolve) => wire.#server.listen(0, "127.0.0.1", resolve));
    return wire;
  }

  get port(): number {
    return z.object({ port: z.int() }).parse(this.#server.address()).port;
  }

  set mode(mode: WireMode) {
    this.#mode = mode;
    clearInterval(this.#ticking);
    if (mode === "slow") this.#ticking = setInterval(() => this.#resume(), SLOW_EVERY_MS);
    if (mode === "whole") this.#resume();
    else for (const [, server] of this.#pairs) server.pause();
  }

  cut(): void {
    for (const [client, server] of this.#pairs) {
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
    this.#pairs.clear();
  }

  close(): void {
    clearInterval(this.#ticking);
    this.cut();
    this.#server.close();
  }

  #join(client: Socket): void {
    const port = this.#target();
    const server = connect(port, "127.0.0.1");
    const pair = [client, server] as const;
    this.#pairs.add(pair);
    const part = () => {
      this.#pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    client.once("data", (head) => {
      server.write(this.#readdressed(head, port));
      client.on("data", (bytes) => server.write(bytes));
    });
    server.on("data", (bytes) => {
      if (!client.write(bytes) || this.#mode !== "whole") server.pause();
    });
    client.on("drain", () => {
      if (this.#mode === "whole") server.resume();
    });
    for (const socket of pair) {
      socket.on("error", part);
      socket.on("close", part);
    }
    if (this.#mode !== "whole") server.pause();
  }

  /** The server only answers to its own name, which is not the one the client has called. */
  #readdressed(head: Uint8Array | string, port: number): Buffer {
    const text = Buffer.from(head).toString("latin1");
    return Buffer.from(text.replace(`127.0.0.1:${this.port}`, `127.0.0.1:${port}`), "latin1");
  }

  #resume(): void {
    for (const [, server] of this.#pairs) server.resume();
  }
}
