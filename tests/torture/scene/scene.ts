import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CliType, cliTypeOf, type SessionId } from "../../../src/protocol/ids.ts";
import { SeededRandom } from "../../support/seeded-random.ts";
import { ROOT } from "../../support/test-server.ts";
import { LogFollower } from "./log-follower.ts";
import { PrivateDisk } from "./private-disk.ts";
import { Reader } from "./reader.ts";
import { makeTortureDirs, type TortureDirs } from "./torture-dirs.ts";
import { TortureServer } from "./torture-server.ts";
import { User } from "./user.ts";
import { Witness } from "./witness.ts";

const AGENT = join(ROOT, "tests/torture/inside/torture-agent.ts");
const RETRIES = 20;
const RETRY_MS = 200;
const POLL_MS = 400;
const SETTLE_MS_MAX = 180_000;
const LOOK_AGAIN_MS = 25;

export interface SceneSize {
  readonly sessions: number;
  readonly agents: number;
  readonly readers: number;
}

/** One server, its agents and sessions, everyone who reads, and all that is written down about them. */
export class Scene {
  readonly dirs: TortureDirs;
  readonly server: TortureServer;
  readonly disk: PrivateDisk | null;
  readonly #seed: string;
  readonly witness = new Witness();
  readonly follower: LogFollower;
  readonly agents: readonly CliType[];
  readonly sessions: SessionId[] = [];
  readonly readers: Reader[] = [];
  readonly #size: SceneSize;
  #user: User | null = null;
  #polling: ReturnType<typeof setInterval> | undefined;
  /** While the database cannot be read, or must not. */
  isStoreHidden = false;
  /** The run is to end: nobody waits for anything any more. */
  isGivenUp: () => boolean = () => false;
  /** Damage that only a fault explains. */
  readonly #excused: RegExp[] = [];

  private constructor(dirs: TortureDirs, size: SceneSize, seed: string) {
    this.dirs = dirs;
    this.#size = size;
    this.#seed = seed;
    this.disk = PrivateDisk.mount(dirs.data);
    this.server = new TortureServer(dirs);
    this.follower = new LogFollower(join(dirs.data, "liminal.db"), this.witness);
    this.agents = Array.from({ length: size.agents }, (_, index) => CliType.parse(`agent-${index}`));
  }

  /** With one session; `createAll` makes the others. */
  static async open(root: string, size: SceneSize, seed: string): Promise<Scene> {
    const scene = new Scene(await makeTortureDirs(root), size, seed);
    await scene.#configure();
    await scene.server.start();
    await scene.#openReaders();
    await scene.#createSessions(1);
    scene.#polling = setInterval(() => scene.#poll(), POLL_MS);
    return scene;
  }

  async createAll(): Promise<void> {
    await this.#createSessions(this.#size.sessions);
  }

  get user(): User {
    if (!this.#user) throw new Error("nobody is there yet");
    return this.#user;
  }

  recordOf(cliType: CliType): string {
    return join(this.dirs.records, `${cliType}.jsonl`);
  }

  sessionsOf(cliType: CliType): readonly SessionId[] {
    return this.sessions.filter((sessionId) => cliTypeOf(sessionId) === cliType);
  }

  /** The processes of one agent itself, its holder left out. */
  agentPids(cliType: CliType): readonly number[] {
    const record = this.recordOf(cliType);
    return this.server.processes
      .alive()
      .filter(({ commandLine }) => commandLine.includes(AGENT) && commandLine.includes(record))
      .map(({ pid }) => pid);
  }

  holderPids(): readonly number[] {
    return this.server.processes
      .alive()
      .filter(({ commandLine }) => commandLine.includes("agents/holder/main.ts"))
      .map(({ pid }) => pid);
  }

  /** Words in the server's log that a fault of ours calls for. */
  excuse(pattern: RegExp): void {
    this.#excused.push(pattern);
  }

  get excused(): readonly RegExp[] {
    return this.#excused;
  }

  /** All turns have ended and all is answered; says what stands in the way after a long time. */
  async settle(): Promise<string | null> {
    return this.until(() => this.user.unsettled(this.sessions));
  }

  /** Looks until there is nothing in the way; what still is, after a long time. */
  async until(obstacle: () => string | null, msMax = SETTLE_MS_MAX): Promise<string | null> {
    const deadline = performance.now() + msMax;
    for (;;) {
      const found = obstacle();
      if (found === null || performance.now() > deadline || this.isGivenUp()) return found;
      await Bun.sleep(LOOK_AGAIN_MS);
    }
  }

  /** Nobody reads any more; the server goes on. */
  leave(): void {
    clearInterval(this.#polling);
    for (const reader of this.readers) reader.close();
    this.#user?.reader.close();
  }

  /** Everything ends, whatever state it is in. */
  async close(): Promise<void> {
    this.leave();
    if (this.server.isRunning) await this.server.stop();
    this.server.processes[Symbol.dispose]();
    this.disk?.unmount();
  }

  async #configure(): Promise<void> {
    await mkdir(this.dirs.data, { recursive: true, mode: 0o700 });
    const agents = Object.fromEntries(
      this.agents.map((cliType) => [
        cliType,
        {
          name: `Torture ${cliType}`,
          process: "shared",
          command: process.execPath,
          args: [AGENT, this.recordOf(cliType)],
          retryMs: Array.from({ length: RETRIES }, () => RETRY_MS),
          permissions: "ask",
          orchestration: false,
        },
      ]),
    );
    const pool = { processesMax: 2 * this.agents.length };
    await writeFile(join(this.dirs.data, "config.json"), JSON.stringify({ agents, pool }));
  }

  async #openReaders(): Promise<void> {
    const { server, witness } = this;
    const options = (name: string) => ({ name, server, witness, random: new SeededRandom(`${this.#seed}/${name}`) });
    for (let index = 0; index < this.#size.readers; index++)
      this.readers.push(await Reader.open(options(`reader ${index}`)));
    const own = await Reader.open({
      ...options("user"),
      onChange: (sessionId, state) => this.user.changed(sessionId, state),
    });
    this.#user = new User(own);
  }

  async #createSessions(count: number): Promise<void> {
    while (this.sessions.length < count) {
      const cliType = this.agents[this.sessions.length % this.agents.length];
      if (cliType === undefined) throw new Error("there are no agents");
      const sessionId = await this.user.create(this.dirs.work, cliType);
      this.sessions.push(sessionId);
      for (const reader of [...this.readers, this.user.reader]) reader.follow(sessionId);
    }
  }

  #poll(): void {
    if (!this.isStoreHidden) this.follower.poll();
  }
}
