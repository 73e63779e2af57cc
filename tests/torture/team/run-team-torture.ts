import { SeededRandom } from "../../support/seeded-random.ts";
import { waitFor } from "../../support/wait-for.ts";
import type { FaultOutcome } from "../faults/fault.ts";
import { pssBytes } from "../load/server-memory.ts";
import { shuffled, type TortureReport } from "../run-torture.ts";
import type { Verb } from "../scene/user.ts";
import { checkHistory } from "./check-history.ts";
import type { TeamFault } from "./team-faults.ts";
import { TeamScene, type TeamSize } from "./team-scene.ts";

const FAULTS_PER_ROUND_MAX = 2;
const QUEUED_SHARE = 0.2;
const ORDINARY: readonly Verb[] = ["say", "say", "say", "tool", "tool", "ask", "stall"];
/** The whole history is judged as often as this, and at the end. */
const JUDGED_EVERY_ROUNDS = 10;
const SETTLE_MS_MAX = 180_000;
const LOOK_AGAIN_MS = 25;
const READS_MAX = 300;

export interface TeamTortureOrders {
  readonly seed: string;
  readonly minutes: number;
  /** Ends after so many rounds, if that is earlier. */
  readonly roundsMax: number;
  readonly faults: readonly TeamFault[];
  readonly size: TeamSize;
  readonly root: string;
  readonly say: (line: string) => void;
  readonly isStopped: () => boolean;
}

/** Rounds of work and faults with a team of servers; what its clients wrote down is judged afterwards. */
export class TeamTorture {
  readonly #orders: TeamTortureOrders;
  readonly #random: SeededRandom;
  readonly #injected = new Map<string, number>();
  readonly #skipped = new Map<string, string>();
  readonly #breaches: TortureReport["breaches"][number][] = [];
  #deck: TeamFault[] = [];
  #rounds = 0;
  #checked = 0;

  constructor(orders: TeamTortureOrders) {
    this.#orders = orders;
    this.#random = new SeededRandom(`${orders.seed}/team faults`);
  }

  async run(): Promise<TortureReport> {
    const { root, size, seed } = this.#orders;
    const deadline = performance.now() + this.#orders.minutes * 60_000;
    await using scene = await TeamScene.open(root, size, seed);
    while (this.#continues(deadline)) await this.#round(scene);
    await this.#judge(scene);
    const settledBytes = pssBytes((await scene.team.worker()).pid);
    const log = scene.team.servers.map((server, nth) => `--- server ${nth}\n${server.log}`).join("\n");
    return { ...this.#counts(scene), settledBytes, peakBytes: settledBytes, serverLog: log };
  }

  #continues(deadline: number): boolean {
    const { roundsMax, isStopped } = this.#orders;
    return performance.now() < deadline && this.#rounds < roundsMax && this.#breaches.length === 0 && !isStopped();
  }

  async #round(scene: TeamScene): Promise<void> {
    this.#rounds += 1;
    scene.user.round = this.#rounds;
    this.#work(scene);
    const names: string[] = [];
    for (let count = this.#random.between(1, FAULTS_PER_ROUND_MAX); count > 0; count--) {
      await this.#untilChance(scene);
      names.push(await this.#inject(scene, this.#draw()));
    }
    const stuck = await this.#until(() => scene.user.unsettled(scene.sessions));
    if (this.#orders.isStopped()) return;
    if (stuck !== null) this.#breach(`does not come to rest: ${stuck}`);
    await scene.readLogs();
    if (this.#rounds % JUDGED_EVERY_ROUNDS === 0) await this.#judge(scene);
    this.#orders.say(`round ${this.#rounds}: ${names.join(", ")}`);
  }

  /** Every session has something to do, some have more behind it. */
  #work({ user, sessions }: TeamScene): void {
    for (const sessionId of sessions) {
      user.send(sessionId, this.#random.pick(ORDINARY), this.#random.between(20, 200), this.#random.between(1, 40));
      if (this.#random.fraction() < QUEUED_SHARE) user.send(sessionId, "say", this.#random.between(1, 20), 10);
    }
  }

  /** The fault comes after a number of events that chance has chosen, or when nothing moves any more. */
  async #untilChance({ history, user, sessions }: TeamScene): Promise<void> {
    const wanted = history.events.length + this.#random.between(0, READS_MAX);
    await waitFor(
      () => history.events.length >= wanted || user.unsettled(sessions) === null,
      (isReached) => isReached,
      "the moment of the fault",
    );
  }

  async #inject(scene: TeamScene, fault: TeamFault): Promise<string> {
    const outcome = await this.#tried(scene, fault);
    if ("skipped" in outcome) {
      this.#skipped.set(fault.name, outcome.skipped);
      return `${fault.name} (skipped)`;
    }
    this.#injected.set(fault.name, (this.#injected.get(fault.name) ?? 0) + 1);
    if ("breaches" in outcome) for (const what of outcome.breaches) this.#breach(what);
    return "on" in outcome && outcome.on !== undefined ? `${fault.name} of ${outcome.on}` : fault.name;
  }

  /** What goes wrong on the way is a breach, too: the table comes in any case. */
  async #tried(scene: TeamScene, fault: TeamFault): Promise<FaultOutcome> {
    try {
      const outcome = await fault.inject({ scene, random: this.#random });
      await scene.restore();
      return outcome;
    } catch (error) {
      return { breaches: [`${fault.name}: ${error instanceof Error ? (error.stack ?? error.message) : error}`] };
    }
  }

  /** Every fault once, in an order of chance, before any comes again. */
  #draw(): TeamFault {
    if (this.#deck.length === 0) this.#deck = shuffled(this.#orders.faults, this.#random);
    const fault = this.#deck.pop();
    if (!fault) throw new Error("no faults were chosen");
    return fault;
  }

  async #judge(scene: TeamScene): Promise<void> {
    await scene.readLogs();
    // Some facts come when all seems over: everyone has to get to the same place.
    const late = await this.#until(async () => {
      const behind = scene.behind();
      if (behind !== null) await scene.readLogs();
      return behind;
    });
    if (late !== null) this.#breach(late);
    const outcome = scene.outcome();
    this.#breaches.push(...checkHistory(scene.history.events, outcome));
    for (const what of [...scene.user.breaches, ...scene.clients.flatMap(({ refusals }) => refusals)])
      this.#breach(what);
    const logs = new Map([...outcome.logs].map(([id, log]) => [id, new Map(log.map(({ seq, json }) => [seq, json]))]));
    const seen = new Set<string>();
    for (const event of scene.history.events)
      if (event.type === "read" && logs.get(event.sessionId)?.get(event.seq) === event.fact)
        seen.add(`${event.sessionId} ${event.seq}`);
    this.#checked = seen.size;
  }

  async #until(obstacle: () => string | null | Promise<string | null>): Promise<string | null> {
    const deadline = performance.now() + SETTLE_MS_MAX;
    for (;;) {
      const found = await obstacle();
      if (found === null || performance.now() > deadline || this.#orders.isStopped()) return found;
      await Bun.sleep(LOOK_AGAIN_MS);
    }
  }

  #breach(what: string): void {
    this.#breaches.push({ kind: "other", what });
  }

  #counts({ user, history, starts }: TeamScene) {
    const read = new Set(
      history.events.flatMap((event) => (event.type === "read" ? [`${event.sessionId} ${event.seq}`] : [])),
    );
    return {
      ...{ rounds: this.#rounds, injected: this.#injected, skipped: this.#skipped, breaches: this.#breaches },
      commandsAcknowledged: user.acknowledged,
      commandsRefused: user.sent.filter(({ answer }) => answer === "refused").length,
      factsAcknowledged: read.size,
      factsChecked: this.#checked,
      turns: user.sent.length,
      serverStarts: starts,
      gaps: 0,
      steps: { cutOff: 0, over: 0 },
      load: null,
    };
  }
}
