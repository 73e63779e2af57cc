import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CliType, cliTypeOf, type SessionId } from "../../../src/protocol/ids.ts";
import { SeededRandom } from "../../support/seeded-random.ts";
import { ROOT } from "../../support/test-server.ts";
import { FarMachine } from "./far-machine.ts";
import { LogFollower } from "./log-follower.ts";
import { PrivateDisk } from "./private-disk.ts";
import { Reader } from "./reader.ts";
import { makeTortureDirs, type TortureDirs } from "./torture-dirs.ts";
import { TortureServer } from "./torture-server.ts";
import { User } from "./user.ts";
import { Witness } from "./witness.ts";
import { Workshop } from "./workshop.ts";

const AGENT = join(ROOT, "tests/torture/inside/torture-agent.ts");
/** Of a hundred sessions, ten. */
const FAR_SHARE = 0.1;
const FAR_SESSIONS_MIN = 2;
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
  /** The one that writes files in the workshop. */
  readonly workAgent: CliType;
  /** The one that runs on another machine, a process for each session. */
  readonly farAgent: CliType;
  readonly sessions: SessionId[] = [];
  readonly readers: Reader[] = [];
  readonly #size: SceneSize;
  #user: User<Reader> | null = null;
  #workshop: Promise<Workshop> | null = null;
  #far: Promise<FarMachine> | null = null;
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
    this.workAgent = CliType.parse(`agent-${size.agents}`);
    this.farAgent = CliType.parse(`agent-${size.agents + 1}`);
  }

  /** With one session; `createAll` makes the others. */
  static async open(root: string, size: SceneSize, seed: string): Promise<Scene> {
    const scene = new Scene(await makeTortureDirs(root), size, seed);
    try {
      await scene.#configure();
      await scene.server.start();
      await scene.#openReaders();
      await scene.#createSessions(1);
    } catch (error) {
      await scene.close();
      throw error;
    }
    scene.#polling = setInterval(() => scene.#poll(), POLL_MS);
    return scene;
  }

  async createAll(): Promise<void> {
    await this.#createSessions(this.#size.sessions);
  }

  get user(): User<Reader> {
    if (!this.#user) throw new Error("nobody is there yet");
    return this.#user;
  }

  /** Opened with the first fault that needs it. */
  workshop(): Promise<Workshop> {
    this.#workshop ??= Workshop.open(this, this.workAgent, this.#seed);
    return this.#workshop;
  }

  /** Null before the first fault that needs it. */
  get openWorkshop(): Promise<Workshop> | null {
    return this.#workshop;
  }

  /** Opened with the first fault that needs it, with sessions that everyone follows from then on. */
  farMachine(): Promise<FarMachine> {
    this.#far ??= this.#openFar();
    return this.#far;
  }

  /** Null before the first fault that needs it. */
  get openFarMachine(): Promise<FarMachine> | null {
    return this.#far;
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

  terminalHolderPids(): readonly number[] {
    return this.server.processes
      .alive()
      .filter(({ commandLine }) => commandLine.includes("terminals/holder/main.ts"))
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
  async until(
    obstacle: () => string | null | Promise<string | null>,
    msMax = SETTLE_MS_MAX,
    lookAgainMs = LOOK_AGAIN_MS,
  ): Promise<string | null> {
    const deadline = performance.now() + msMax;
    for (;;) {
      const found = await obstacle();
      if (found === null || performance.now() > deadline || this.isGivenUp()) return found;
      await Bun.sleep(lookAgainMs);
    }
  }

  /** Nobody reads any more; the server goes on. */
  async leave(): Promise<void> {
    clearInterval(this.#polling);
    (await this.#workshop)?.leave();
    for (const reader of this.readers) reader.close();
    this.#user?.reader.close();
  }

  /** Everything ends, whatever state it is in. */
  async close(): Promise<void> {
    await this.leave();
    if (this.server.isRunning) await this.server.stop();
    await (await this.#far)?.[Symbol.asyncDispose]();
    this.server.processes[Symbol.dispose]();
    this.disk?.unmount();
  }

  async #configure(): Promise<void> {
    await mkdir(this.dirs.data, { recursive: true, mode: 0o700 });
    const agents = Object.fromEntries(
      [...this.agents, this.workAgent, this.farAgent].map((cliType) => [
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
    const pool = { processesMax: 2 * (this.agents.length + 1 + this.#farSessions) };
    const command = [process.execPath, AGENT, this.recordOf(this.farAgent)];
    const places = FarMachine.settings(this.dirs, this.farAgent, command);
    await writeFile(join(this.dirs.data, "config.json"), JSON.stringify({ agents, pool, places }));
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
      await this.#createSession(this.dirs.work, cliType);
    }
  }

  async #createSession(path: string, cliType: CliType): Promise<SessionId> {
    const sessionId = await this.user.create(path, cliType);
    this.sessions.push(sessionId);
    for (const reader of [...this.readers, this.user.reader]) reader.follow(sessionId);
    return sessionId;
  }

  get #farSessions(): number {
    return Math.max(FAR_SESSIONS_MIN, Math.round(this.#size.sessions * FAR_SHARE));
  }

  async #openFar(): Promise<FarMachine> {
    const machine = await FarMachine.open(this.dirs, this.farAgent, this.server.marks);
    while (machine.sessions.length < this.#farSessions)
      machine.sessions.push(await this.#createSession(machine.project, this.farAgent));
    return machine;
  }

  #poll(): void {
    if (!this.isStoreHidden) this.follower.poll();
  }
}
