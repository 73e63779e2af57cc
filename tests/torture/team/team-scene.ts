import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { CliType, type SessionId } from "../../../src/protocol/ids.ts";
import { FactMessage } from "../../../src/protocol/server-messages.ts";
import { Team } from "../../lifecycle/team.ts";
import { PostgresPair, urlOfAll } from "../../support/postgres-pair.ts";
import { PostgresRelay } from "../../support/postgres-relay.ts";
import { SeededRandom } from "../../support/seeded-random.ts";
import { ROOT, type TestServer } from "../../support/test-server.ts";
import { waitFor } from "../../support/wait-for.ts";
import { signalQuietly } from "../faults/cut-off.ts";
import { readAgentRecords } from "../scene/agent-record.ts";
import { User } from "../scene/user.ts";
import { type AgentTurn, History, type LoggedFact, type Outcome } from "./history.ts";
import { TeamClient } from "./team-client.ts";

const AGENT = join(ROOT, "tests/torture/inside/torture-agent.ts");
/** The connection to the machine of the agents goes through programs that can be stopped. */
const LINE = ["/bin/sh", "-c", 'cat | "$0" "$@" | cat'];
/** Small, so that journals are cut many times in a run. */
const JOURNAL_BYTES = "50000";
const FACTS_READ_MAX = 100_000;

export interface TeamSize {
  readonly servers: number;
  readonly sessions: number;
  readonly agents: number;
  readonly readers: number;
}

/** A team of servers on a replicated database, a machine with agents, and everyone who reads and writes. */
export class TeamScene implements AsyncDisposable {
  readonly team: Team;
  readonly pair: PostgresPair;
  readonly history = new History();
  readonly sessions: SessionId[] = [];
  readonly readers: TeamClient[] = [];
  /** By server, its ways to the servers of the database. */
  readonly #wires: readonly (readonly PostgresRelay[])[];
  readonly #records: readonly string[];
  readonly #owned: AsyncDisposableStack;
  readonly #logs = new Map<string, LoggedFact[]>();
  #user: User<TeamClient> | null = null;
  #starts = 0;

  private constructor(
    team: Team,
    pair: PostgresPair,
    wires: TeamScene["wires"],
    records: readonly string[],
    owned: AsyncDisposableStack,
  ) {
    this.team = team;
    this.pair = pair;
    this.#wires = wires;
    this.#records = records;
    this.#owned = owned;
    this.#starts = team.servers.length;
  }

  static async open(root: string, size: TeamSize, seed: string): Promise<TeamScene> {
    await using owned = new AsyncDisposableStack();
    const records = join(root, "records");
    mkdirSync(records);
    const cliTypes = Array.from({ length: size.agents }, (_, nth) => CliType.parse(`agent-${nth}`));
    const recordOf = (cliType: CliType) => join(records, `${cliType}.jsonl`);
    const agents = Object.fromEntries(
      cliTypes.map((cliType) => [
        cliType,
        {
          name: `Torture ${cliType}`,
          process: "shared" as const,
          command: process.execPath,
          args: [AGENT, recordOf(cliType)],
          permissions: "ask" as const,
          orchestration: false,
        },
      ]),
    );
    const pair = owned.use(await PostgresPair.start());
    const wires: PostgresRelay[][] = [];
    const urlOf = async (url: string) => {
      const own = await Promise.all(singleUrls(url).map((each) => PostgresRelay.start(each)));
      for (const wire of own) owned.use(wire);
      wires.push(own);
      return urlOfAll(own.map((wire) => wire.url));
    };
    const env = { LIMINAL_JOURNAL_BYTES: JOURNAL_BYTES };
    const team = owned.use(await Team.start(pair, { size: size.servers, env, urlOf, through: LINE, agents }));
    const scene = new TeamScene(team, pair, wires, cliTypes.map(recordOf), owned.move());
    try {
      await scene.#openClients(size, seed);
      await scene.#createSessions(size, cliTypes);
    } catch (error) {
      await scene[Symbol.asyncDispose]();
      throw error;
    }
    return scene;
  }

  get wires(): readonly (readonly PostgresRelay[])[] {
    return this.#wires;
  }

  get user(): User<TeamClient> {
    if (!this.#user) throw new Error("nobody is there yet");
    return this.#user;
  }

  get starts(): number {
    return this.#starts;
  }

  get clients(): readonly TeamClient[] {
    return [...this.readers, this.user.reader];
  }

  /** All servers that do not run are started again; then one works, and all pass on to it. */
  async restore(): Promise<void> {
    for (const server of this.team.servers)
      if (!server.isRunning) {
        await server.start();
        this.#starts += 1;
      }
    await waitFor(
      () => Promise.all(this.team.servers.map(isServing)),
      (serving) => serving.every(Boolean),
      "all servers to serve",
    );
  }

  /** From its database, and from the machine of the agents too if that is said; both ways. */
  cutOff(server: TestServer, { fromAgents }: { readonly fromAgents: boolean }): () => void {
    const wires = this.#wires[this.team.servers.indexOf(server)] ?? [];
    const line = fromAgents
      ? server.processes.alive().flatMap(({ pid, commandLine }) => (commandLine.trim() === "cat" ? [pid] : []))
      : [];
    for (const pid of line) signalQuietly(pid, "SIGSTOP");
    for (const wire of wires) wire.isCut = true;
    return () => {
      for (const wire of wires) wire.isCut = false;
      for (const { pid } of server.processes.alive()) if (line.includes(pid)) signalQuietly(pid, "SIGCONT");
    };
  }

  /** Reads on in the logs, with nothing between the database and this. */
  async readLogs(): Promise<void> {
    const cursors = this.sessions.map((id) => `('${id}', ${this.#logs.get(id)?.at(-1)?.seq ?? 0})`);
    const rows = await this.pair.ask(
      this.team.database,
      `SELECT s.id, f.seq, f.json FROM (VALUES ${cursors.join(", ")}) AS c(id, seq)
       JOIN session s ON s.id = c.id JOIN fact f ON f.session_key = s.key AND f.seq > c.seq
       ORDER BY s.key, f.seq LIMIT ${FACTS_READ_MAX}`,
    );
    for (const { id, seq, json } of rows) {
      const log = this.#logs.get(String(id)) ?? [];
      this.#logs.set(String(id), log);
      // As readers have it: with its members in the order of the protocol.
      const fact = FactMessage.safeParse(JSON.parse(String(json))).data;
      log.push({ seq: Number(seq), json: fact ? JSON.stringify(fact) : String(json) });
    }
  }

  outcome(): Outcome {
    const turns = [...readAgentRecords(this.#records)].map(([turn, { answers, ...recorded }]): [string, AgentTurn] => [
      turn,
      { ...recorded, answers: answers.length },
    ]);
    return {
      logs: this.#logs,
      turns: new Map(turns),
      shown: this.clients.flatMap((client) =>
        this.sessions.map((sessionId) => ({ client: client.name, sessionId, state: client.state(sessionId) })),
      ),
    };
  }

  /** Who has not read all that the logs have; null: nobody. */
  behind(): string | null {
    for (const sessionId of this.sessions) {
      const last = this.#logs.get(sessionId)?.at(-1)?.seq ?? 0;
      const late = this.clients.find((client) => client.state(sessionId).seq !== last);
      if (late) return `${late.name} stays at ${late.state(sessionId).seq} of ${last} in ${sessionId}`;
    }
    return null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.readers) client.close();
    this.#user?.reader.close();
    for (const wire of this.#wires.flat()) wire.isCut = false;
    await this.#owned[Symbol.asyncDispose]();
  }

  async #openClients(size: TeamSize, seed: string): Promise<void> {
    const { servers } = this.team;
    const token = servers[0]?.token ?? "";
    const options = (name: string) => ({
      ...{ name, history: this.history, token, random: new SeededRandom(`${seed}/${name}`) },
      ports: () => servers.filter(({ isRunning }) => isRunning).map(({ port }) => port),
    });
    for (let nth = 0; nth < size.readers; nth += 1) this.readers.push(await TeamClient.open(options(`reader ${nth}`)));
    const own = await TeamClient.open({
      ...options("user"),
      onChange: (sessionId, state) => this.user.changed(sessionId, state),
    });
    this.#user = new User(own);
  }

  async #createSessions(size: TeamSize, cliTypes: readonly CliType[]): Promise<void> {
    for (let nth = 0; nth < size.sessions; nth += 1) {
      const cliType = cliTypes[nth % cliTypes.length];
      if (cliType === undefined) throw new Error("there are no agents");
      const sessionId = await this.user.create("box:~/app", cliType);
      this.sessions.push(sessionId);
      for (const client of this.clients) client.follow(sessionId);
    }
  }
}

function singleUrls(url: string): readonly string[] {
  return (new URL(url).searchParams.get("host") ?? "").split(",").map((dir) => {
    const single = new URL(url);
    single.searchParams.set("host", dir);
    return single.href;
  });
}

async function isServing(server: TestServer): Promise<boolean> {
  try {
    return (await server.fetch("/healthz", { signal: AbortSignal.timeout(1_000) })).ok;
  } catch {
    // It stands still, or has no server to pass on to; it is asked again.
    return false;
  }
}
