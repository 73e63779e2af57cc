import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { anotherTalk, type Talk } from "../integration/talk.ts";
import type { SocketClient } from "../support/socket-client.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";
import { type AgentSetting, guideWith, START, TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";

/** What a team needs of its database: one server, or a primary and a standby. */
interface TeamDatabase {
  /** The URL of a fresh one. */
  createDatabase(): Promise<string>;
  ask(database: string, statement: string): Promise<readonly Record<string, unknown>[]>;
}

const TOKEN = "a-token-that-all-servers-of-the-team-share";

interface TeamOptions {
  readonly size?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** How a server reaches the database at this URL; directly if it is not given. */
  readonly urlOf?: (url: string, nth: number) => Promise<string>;
  /** Another program than this one, for some of the servers. */
  readonly commandOf?: (nth: number) => readonly string[];
  /** The agents at the machine; `recorded` writes down what it sends. */
  readonly agents?: Readonly<Record<string, AgentSetting>>;
  /** Words before the command that leads to the machine: what the connection goes through. */
  readonly through?: readonly string[];
  /** As config.json says how the machine is reached, if not by such a command. Its home has a directory `app`. */
  readonly reachedBy?: object;
  /** More of config.json. */
  readonly config?: object;
}

/** Servers on one database, and a machine that all of them reach by a command. */
export class Team implements AsyncDisposable {
  readonly servers: readonly TestServer[];
  readonly url: string;
  readonly #dir: TempDir;
  readonly #database: TeamDatabase;

  private constructor(dir: TempDir, database: TeamDatabase, url: string, servers: readonly TestServer[]) {
    this.#dir = dir;
    this.#database = database;
    this.url = url;
    this.servers = servers;
  }

  /** All of them run. */
  static async start(database: TeamDatabase, options: TeamOptions = {}): Promise<Team> {
    const team = await Team.prepare(database, options);
    for (const server of team.servers) await server.start();
    return team;
  }

  static async prepare(
    database: TeamDatabase,
    { size = 2, env = {}, urlOf = async (url) => url, agents, commandOf = () => START, ...options }: TeamOptions = {},
  ): Promise<Team> {
    const { through = [], reachedBy, config = {} } = options;
    const [dir, url] = [await tempDir(), await database.createDatabase()];
    const there = dir.join("there");
    mkdirSync(join(there, "app"), { recursive: true });
    const all = agents ?? { recorded: guideWith() };
    const wordsOf = ({ command, args = [] }: AgentSetting) => [
      "/usr/bin/env",
      `LIMINAL_GUIDE_RECORD=${dir.join("record")}`,
      command,
      ...args,
    ];
    const box = {
      ...(reachedBy ?? {
        kind: "command",
        command: [...through, "/usr/bin/env", `HOME=${there}`, ...START, "runner"],
      }),
      agents: Object.fromEntries(Object.entries(all).map(([cliType, agent]) => [cliType, wordsOf(agent)])),
    };
    const servers = [];
    for (let nth = 0; nth < size; nth += 1)
      servers.push(
        await TestServer.prepare({
          command: commandOf(nth),
          env: {
            LIMINAL_DATABASE_URL: await urlOf(url, nth),
            LIMINAL_TOKEN: TOKEN,
            LIMINAL_REPLICA_HOST: "127.0.0.1",
            ...env,
          },
          prepare: (dataDir) =>
            writeFileSync(join(dataDir, "config.json"), JSON.stringify({ ...config, agents: all, places: { box } })),
        }),
      );
    return new Team(dir, database, url, servers);
  }

  /** What the agents at the place say that they sent. */
  get record(): string {
    return this.#dir.join("record");
  }

  get database(): string {
    return new URL(this.url).pathname.slice(1);
  }

  async owner(): Promise<{ readonly epoch: number; readonly name: string | null }> {
    const [row] = await this.#database.ask(this.database, "SELECT epoch, name FROM owner");
    return { epoch: Number(row?.["epoch"]), name: row?.["name"] === null ? null : String(row?.["name"]) };
  }

  async epoch(): Promise<number> {
    return (await this.owner()).epoch;
  }

  /** The one that works, by the word of the database. */
  async worker(): Promise<TestServer> {
    const { name } = await this.owner();
    const found = this.servers.find((server) => server.isRunning && name?.endsWith(`(process ${server.pid})`));
    if (!found) throw new Error(`no server of the team is ${name}`);
    return found;
  }

  /** It has taken the database; it can be asked soon after that. */
  async untilWorks(server: TestServer): Promise<void> {
    await waitFor(
      () => this.owner(),
      ({ name }) => name?.endsWith(`(process ${server.pid})`) === true,
      "another server that works",
    );
  }

  /** One that stands by. */
  async standby(): Promise<TestServer> {
    const worker = await this.worker();
    const found = this.servers.find((server) => server.isRunning && server !== worker);
    if (!found) throw new Error("all of the team work");
    return found;
  }

  /** A client, as soon as that server has one to ask. */
  async connect(server: TestServer): Promise<SocketClient> {
    const client = await waitFor(
      () => server.connect().catch((error: unknown) => String(error)),
      (connected) => typeof connected !== "string",
      "a server that works",
    );
    if (typeof client === "string") throw new Error(client);
    return client;
  }

  /** A first session at the place. */
  async talk(server: TestServer, cliType = "recorded"): Promise<Talk> {
    const client = await this.connect(server);
    const { projects } = await client.next("hello", () => true, 0);
    const known = projects[0]?.id;
    const id = known ?? (await client.ask("project:added", { type: "project:add", path: "box:~/app" })).project.id;
    return anotherTalk(client, id, cliType);
  }

  /** Agents live on without their servers: they are ended with the test. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.servers) if (server.isRunning) await server.stop();
    for (const server of this.servers)
      for (const { pid } of server.processes.alive())
        try {
          process.kill(pid, "SIGTERM");
        } catch (error) {
          if (!(error instanceof Error) || Reflect.get(error, "code") !== "ESRCH") throw error;
        }
    for (const server of this.servers) await server[Symbol.asyncDispose]();
    await this.#dir[Symbol.asyncDispose]();
  }
}
