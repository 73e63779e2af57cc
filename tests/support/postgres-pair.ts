import { PostgresServer } from "./postgres-server.ts";

/** A primary and a standby that has each commit before it is answered. Each keeps its place when they change roles. */
export class PostgresPair implements AsyncDisposable {
  #primary: PostgresServer;
  #standby: PostgresServer;
  /** In the order in which URLs name them. */
  readonly #servers: readonly PostgresServer[];

  private constructor(primary: PostgresServer, standby: PostgresServer) {
    this.#primary = primary;
    this.#standby = standby;
    this.#servers = [primary, standby];
  }

  /** `settings` are given to both as on their command lines: `name=value`. */
  static async start(settings: readonly string[] = []): Promise<PostgresPair> {
    const pair = new PostgresPair(await PostgresServer.start(settings), await PostgresServer.prepare(settings));
    await pair.pairUp();
    return pair;
  }

  get primary(): PostgresServer {
    return this.#primary;
  }

  get standby(): PostgresServer {
    return this.#standby;
  }

  /** A fresh database; its URL names both servers. */
  async createDatabase(): Promise<string> {
    return urlOfAll(await this.createForEach());
  }

  /** A fresh database; for each server the URL that leads to that one alone. */
  async createForEach(): Promise<readonly string[]> {
    const url = new URL(await this.#primary.createDatabase());
    return this.#servers.map(({ socketDir }) => {
      url.searchParams.set("host", socketDir);
      return url.href;
    });
  }

  ask(database: string, statement: string): Promise<readonly Record<string, unknown>[]> {
    return this.#primary.ask(database, statement);
  }

  /** The primary is killed with -9, and the standby takes its place. Nobody follows it yet. */
  async failOver(): Promise<void> {
    await this.#primary.kill("SIGKILL");
    [this.#primary, this.#standby] = [this.#standby, this.#primary];
    await this.#primary.promote();
  }

  /** The other one, whatever it had, follows the primary. */
  async pairUp(): Promise<void> {
    await this.#standby.follow(this.#primary);
    await this.#primary.replicateAlways();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // One that waits for its standby does not stop in order.
    await this.#primary.kill();
    for (const server of this.#servers) await server[Symbol.asyncDispose]();
  }
}

/** One URL for several servers of one database. */
export function urlOfAll(urls: readonly string[]): string {
  const [first = ""] = urls;
  const url = new URL(first);
  url.searchParams.set("host", urls.map((each) => new URL(each).searchParams.get("host")).join(","));
  return url.href;
}
