import { connect, createServer, type Server, type Socket } from "node:net";
import { type TempDir, tempDir } from "./temp-dir.ts";

/** What happens to something that a client sends: it is passed on, lost with the connection, or done without an answer. */
export type Fate = "pass" | "lost" | "unanswered" | "held";

/** Stands between a client and PostgreSQL, and cuts their connections as it is told. */
export class PostgresRelay implements AsyncDisposable {
  readonly #dir: TempDir;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** The URL to use instead. */
  readonly url: string;
  fateOf: (sent: Buffer) => Fate = () => "pass";
  #isCut = false;

  private constructor(dir: TempDir, url: string) {
    this.#dir = dir;
    const real = new URL(url);
    const path = `${real.searchParams.get("host")}/.s.PGSQL.5432`;
    real.searchParams.set("host", dir.path);
    this.url = real.href;
    this.#server = createServer((client) => this.#accept(client, path));
  }

  static async start(url: string): Promise<PostgresRelay> {
    const dir = await tempDir();
    const relay = new PostgresRelay(dir, url);
    await new Promise<void>((resolve) => relay.#server.listen(dir.join(".s.PGSQL.5432"), resolve));
    return relay;
  }

  /** While it is true nothing gets through in either direction. What was sent meanwhile arrives afterwards, as over TCP. */
  set isCut(isCut: boolean) {
    this.#isCut = isCut;
    for (const socket of this.#sockets)
      if (isCut) socket.pause();
      else socket.resume();
  }

  #accept(client: Socket, path: string): void {
    const server = connect(path);
    let isUnanswered = false;
    const cut = () => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on("error", cut);
      socket.on("close", () => {
        this.#sockets.delete(socket);
        cut();
      });
    }
    client.on("data", (bytes: Buffer) => {
      const fate = this.fateOf(bytes);
      if (fate === "held") return;
      if (fate === "lost") return cut();
      isUnanswered ||= fate === "unanswered";
      server.write(bytes);
    });
    server.on("data", (bytes: Buffer) => {
      if (isUnanswered) cut();
      else client.write(bytes);
    });
    if (this.#isCut) for (const socket of [client, server]) socket.pause();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
    await this.#dir[Symbol.asyncDispose]();
  }
}
