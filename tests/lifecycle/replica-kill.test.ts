import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { isTurnActive } from "../../src/protocol/session-schema.ts";
import { PostgresRelay } from "../support/postgres-relay.ts";
import { CAN_RUN_POSTGRES, POSTGRES, PostgresServer } from "../support/postgres-server.ts";
import { roundsOf, type SeededRandom, seededRandom } from "../support/seeded-random.ts";
import type { TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { compareWithRecord } from "./kill-record.ts";
import {
  actAtKill,
  commandsOf,
  finishWork,
  inOrder,
  openBeside,
  reopenAll,
  sendAgain,
  startWork,
  untilChance,
} from "./kill-work.ts";
import { Team } from "./team.ts";

const ROUNDS = roundsOf(100);
const ROUND_MS_MAX = 90_000;
/** Of the server that works, in the middle of turns of every kind. */
const FAULTS = ["kill", "kill", "kill", "stand still", "cut off", "hand over"] as const;
type Fault = (typeof FAULTS)[number];
/** The connection to the place goes through two programs, which can be stopped. */
const LINE = ["/bin/sh", "-c", 'cat | "$0" "$@" | cat'];
/** So small that what is stored leaves the journal many times in a round. */
const JOURNAL_BYTES = "20000";
const PERCENT_95 = 0.95;

let database: PostgresServer;

describe.skipIf(!CAN_RUN_POSTGRES)(`a team on ${POSTGRES}`, () => {
  beforeAll(async () => {
    database = await PostgresServer.start();
  });
  afterAll(() => database[Symbol.asyncDispose]());

  it(
    "[SC-10] [SC-13] [SC-14] [SC-15] the server that works is killed, stopped or replaced in text, tool call, permission, question, queue and cancel: nothing is lost or doubled, and no prompt is sent twice",
    async () => {
      const random = seededRandom("faults of the server that works");
      await using relays = new AsyncDisposableStack();
      const wires: PostgresRelay[] = [];
      await using team = await Team.start(database, {
        env: { LIMINAL_JOURNAL_BYTES: JOURNAL_BYTES },
        through: LINE,
        urlOf: async (url) => {
          const relay = relays.use(await PostgresRelay.start(url));
          wires.push(relay);
          return relay.url;
        },
      });
      const wireOf = (server: TestServer) => wires[team.servers.indexOf(server)];
      let talks = await openBeside(await team.talk(await team.standby()), "recorded");
      const counts = { underWay: 0, actsAtKill: 0, kill: 0, "stand still": 0, "cut off": 0, "hand over": 0 };
      const awayMs: number[] = [];
      for (let round = 1; round <= ROUNDS; round += 1) {
        const isSentLate = random.between(0, 3) === 0;
        await startWork(talks, round, isSentLate);
        const commands = commandsOf(talks, round);
        await untilChance(talks.text, random);
        counts.actsAtKill += actAtKill(talks.text, commands, random, isSentLate);
        counts.underWay += inOrder(talks).filter(({ state }) => isTurnActive(state.turn)).length;
        const fault = random.pick(FAULTS);
        counts[fault] += 1;
        const [worker, standby] = [await team.worker(), await team.standby()];
        const [epoch, faultMs] = [await team.epoch(), performance.now()];
        const mend = await begin(fault, worker, wireOf(worker), random);
        // One that is cut off answers as before until it is asked to store something.
        await team.untilWorks(standby);
        talks = await reopenAll(await team.connect(standby), talks);
        awayMs.push(performance.now() - faultMs);
        expect(await team.epoch()).toBeGreaterThan(epoch);
        await mend();
        // A client of either server goes on.
        if (random.between(0, 1) === 1) talks = await reopenAll(await team.connect(worker), talks);
        await sendAgain(talks.text.client, commands);
        await finishWork(talks, round);
      }
      const bytes = compareWithRecord(team.record, inOrder(talks), ROUNDS);
      const sorted = awayMs.map(Math.round).sort((one, other) => one - other);
      const p95 = sorted[Math.ceil(sorted.length * PERCENT_95) - 1];
      console.log(
        `faults of the server that works: ${JSON.stringify(counts)}, ${bytes} bytes of output equal to the agent's record, ` +
          `0 lost, 0 twice; until all sessions are read at the other: ms ${sorted.join(" ")}, p95 ${p95}`,
      );
    },
    ROUNDS * ROUND_MS_MAX,
  );
});

/** What it gives back makes the server one of the team again, which stands by. */
async function begin(
  fault: Fault,
  worker: TestServer,
  wire: PostgresRelay | undefined,
  random: SeededRandom,
): Promise<() => Promise<void>> {
  const start = () => worker.start();
  if (fault === "kill") {
    await worker.kill();
    return start;
  }
  if (fault === "hand over") {
    await worker.detach();
    return start;
  }
  const goesOn = fault === "stand still" ? standStill(worker) : cutOff(worker, wire, random);
  return async () => {
    const logged = worker.log.length;
    if (random.between(0, 1) === 1) await Bun.sleep(random.between(0, 500));
    goesOn();
    await waitFor(
      () => worker.log.slice(logged),
      (log) => log.includes("stands by"),
      "the word that it stands by",
    );
  };
}

function standStill({ pid }: TestServer): () => void {
  process.kill(pid, "SIGSTOP");
  return () => process.kill(pid, "SIGCONT");
}

/** From the database, and half of the time from the place too: what was sent meanwhile arrives when it is back. */
function cutOff(worker: TestServer, wire: PostgresRelay | undefined, random: SeededRandom): () => void {
  if (!wire) throw new Error("each server has a wire to the database");
  const line = random.between(0, 1) === 1 ? lineOf(worker) : [];
  for (const pid of line) signalIfThere(pid, "SIGSTOP");
  wire.isCut = true;
  return () => {
    wire.isCut = false;
    for (const { pid } of worker.processes.alive()) if (line.includes(pid)) signalIfThere(pid, "SIGCONT");
  };
}

/** A connection may be over meanwhile. */
function signalIfThere(pid: number, signal: "SIGSTOP" | "SIGCONT"): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error) || Reflect.get(error, "code") !== "ESRCH") throw error;
  }
}

function lineOf({ processes }: TestServer): readonly number[] {
  return processes.alive().flatMap(({ pid, commandLine }) => (commandLine.trim() === "cat" ? [pid] : []));
}
