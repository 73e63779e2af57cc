import { SeededRandom } from "../support/seeded-random.ts";
import type { Fault, FaultOutcome } from "./faults/fault.ts";
import { FAULTS } from "./faults/fault-table.ts";
import { untilChance } from "./faults/moments.ts";
import type { Invariant } from "./invariants/invariant.ts";
import { AFTER_ROUND, AFTER_STOP } from "./invariants/invariant-table.ts";
import { type LoadReport, measureLoad } from "./load/measure-load.ts";
import { PeakMemory, pssBytes } from "./load/server-memory.ts";
import { lossesNoticed } from "./scene/losses-noticed.ts";
import { Scene, type SceneSize } from "./scene/scene.ts";
import type { Verb } from "./scene/user.ts";

const FAULTS_PER_ROUND_MAX = 3;
const QUEUED_SHARE = 0.2;
const ORDINARY: readonly Verb[] = ["say", "say", "say", "tool", "tool", "ask", "stall"];

export interface TortureOrders {
  readonly seed: string;
  readonly minutes: number;
  /** Ends after so many rounds, if that is earlier. */
  readonly roundsMax: number;
  readonly faults: readonly Fault[];
  readonly size: SceneSize;
  /** How long each part of the load is measured; 0 leaves it out. */
  readonly loadMs: number;
  readonly root: string;
  readonly say: (line: string) => void;
  readonly isStopped: () => boolean;
}

export interface TortureReport {
  readonly rounds: number;
  readonly injected: ReadonlyMap<string, number>;
  readonly skipped: ReadonlyMap<string, string>;
  readonly breaches: readonly { readonly kind: Invariant["breach"]; readonly what: string }[];
  readonly commandsAcknowledged: number;
  readonly commandsRefused: number;
  readonly factsAcknowledged: number;
  readonly factsChecked: number;
  readonly turns: number;
  readonly serverStarts: number;
  readonly gaps: number;
  /** Of the workspace: how many a kill met in the middle, and how many were just over. */
  readonly steps: { readonly cutOff: number; readonly over: number };
  readonly peakBytes: number;
  readonly settledBytes: number;
  readonly load: LoadReport | null;
  readonly serverLog: string;
}

/** Rounds of work and faults until the time is over, each followed by every invariant. */
export class Torture {
  readonly #orders: TortureOrders;
  readonly #random: SeededRandom;
  readonly #injected = new Map<string, number>();
  readonly #skipped = new Map<string, string>();
  readonly #breaches: { kind: Invariant["breach"]; what: string }[] = [];
  #deck: Fault[] = [];
  #rounds = 0;

  constructor(orders: TortureOrders) {
    this.#orders = orders;
    this.#random = new SeededRandom(`${orders.seed}/faults`);
  }

  async run(): Promise<TortureReport> {
    const { root, size, seed, loadMs } = this.#orders;
    const deadline = performance.now() + this.#orders.minutes * 60_000;
    const scene = await Scene.open(root, size, seed);
    scene.isGivenUp = this.#orders.isStopped;
    using peak = new PeakMemory(() => (scene.server.isRunning ? scene.server.pid : null));
    try {
      const load = loadMs > 0 ? await measureLoad(scene, loadMs) : null;
      for (const what of load?.breaches ?? []) this.#breaches.push({ kind: "memory", what });
      await scene.createAll();
      await this.#check(scene, AFTER_ROUND);
      while (this.#continues(deadline)) await this.#round(scene);
      const settledBytes = await settled(scene);
      await this.#finish(scene);
      const steps = (await scene.openWorkshop)?.steps ?? { cutOff: 0, over: 0 };
      return { ...this.#counts(scene), steps, load, peakBytes: peak.bytes, settledBytes, serverLog: scene.server.log };
    } finally {
      await scene.close();
    }
  }

  #continues(deadline: number): boolean {
    const { roundsMax, isStopped } = this.#orders;
    return performance.now() < deadline && this.#rounds < roundsMax && this.#breaches.length === 0 && !isStopped();
  }

  async #round(scene: Scene): Promise<void> {
    this.#rounds += 1;
    scene.user.round = this.#rounds;
    this.#work(scene);
    const names: string[] = [];
    for (let count = this.#random.between(1, FAULTS_PER_ROUND_MAX); count > 0; count--) {
      await untilChance({ scene, random: this.#random });
      const fault = this.#draw();
      names.push(await this.#inject(scene, fault));
    }
    const stuck = await scene.settle();
    // A round that was broken off proves nothing; what is left behind is looked at all the same.
    if (this.#orders.isStopped()) return;
    if (stuck !== null) this.#breaches.push({ kind: "other", what: `does not come to rest: ${stuck}` });
    await lossesNoticed(scene.server);
    await this.#check(scene, AFTER_ROUND);
    this.#orders.say(`round ${this.#rounds}: ${names.join(", ")}`);
  }

  /** Every session has something to do, some have more behind it. */
  #work({ user, sessions }: Scene): void {
    for (const sessionId of sessions) {
      user.send(sessionId, this.#random.pick(ORDINARY), this.#random.between(5, 60), this.#random.between(1, 60));
      if (this.#random.fraction() < QUEUED_SHARE) user.send(sessionId, "say", this.#random.between(1, 20), 10);
    }
  }

  /** Its name, as the line of the round has it. */
  async #inject(scene: Scene, fault: Fault): Promise<string> {
    const outcome = await this.#tried(scene, fault);
    if ("skipped" in outcome) {
      this.#skipped.set(fault.name, outcome.skipped);
      return `${fault.name} (skipped)`;
    }
    this.#injected.set(fault.name, (this.#injected.get(fault.name) ?? 0) + 1);
    if ("breaches" in outcome) for (const what of outcome.breaches) this.#breaches.push({ kind: "other", what });
    return "on" in outcome && outcome.on !== undefined ? `${fault.name} of ${outcome.on}` : fault.name;
  }

  /** What goes wrong on the way is a breach, too: the table comes in any case. */
  async #tried(scene: Scene, fault: Fault): Promise<FaultOutcome> {
    try {
      return await fault.inject({ scene, random: this.#random });
    } catch (error) {
      if (!scene.server.isRunning) await scene.server.start();
      return { breaches: [`${fault.name}: ${wordsOf(error)}`] };
    }
  }

  /** Every fault once, in an order of chance, before any comes again. */
  #draw(): Fault {
    if (this.#deck.length === 0) this.#deck = shuffled(this.#orders.faults, this.#random);
    const fault = this.#deck.pop();
    if (!fault) throw new Error(`no faults were chosen; there are ${FAULTS.map(({ name }) => name).join(", ")}`);
    return fault;
  }

  async #check(scene: Scene, invariants: readonly Invariant[]): Promise<void> {
    for (const { name, breach, check } of invariants)
      try {
        for (const what of await check(scene)) this.#breaches.push({ kind: breach, what: `${name}: ${what}` });
      } catch (error) {
        this.#breaches.push({ kind: breach, what: `${name}: ${wordsOf(error)}` });
      }
  }

  async #finish(scene: Scene): Promise<void> {
    await scene.leave();
    const code = await scene.server.stop();
    if (code !== 0) this.#breaches.push({ kind: "other", what: `a clean stop ended with ${code}` });
    await this.#check(scene, AFTER_STOP);
  }

  #counts({ witness, user, server, follower }: Scene) {
    return {
      ...{ rounds: this.#rounds, injected: this.#injected, skipped: this.#skipped, breaches: this.#breaches },
      commandsAcknowledged: user.acknowledged,
      commandsRefused: user.sent.filter(({ answer }) => answer === "refused").length,
      factsAcknowledged: witness.count,
      factsChecked: witness.checked,
      turns: user.sent.length,
      serverStarts: server.starts,
      gaps: follower.gaps,
    };
  }
}

async function settled({ server }: Scene): Promise<number> {
  await server.seam.collect();
  await server.seam.collect();
  return pssBytes(server.pid);
}

export function shuffled<Item>(items: readonly Item[], random: SeededRandom): Item[] {
  const order = items.map((item) => ({ item, place: random.fraction() }));
  return order.sort((one, other) => one.place - other.place).map(({ item }) => item);
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
