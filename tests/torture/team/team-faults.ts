import type { SeededRandom } from "../../support/seeded-random.ts";
import { waitFor } from "../../support/wait-for.ts";
import { DONE, doneTo, type FaultOutcome } from "../faults/fault.ts";
import type { TeamScene } from "./team-scene.ts";

const HELD_MS_MIN = 300;
/** Longer than a dead server is waited for, now and then. */
const HELD_MS_MAX = 5_000;

interface TeamFaultWorld {
  readonly scene: TeamScene;
  readonly random: SeededRandom;
}

/** One thing that goes wrong with a team or its database. It is over when all servers serve again. */
export interface TeamFault {
  readonly name: string;
  inject(world: TeamFaultWorld): Promise<FaultOutcome>;
}

/** All of them, in the order of the table. */
export const TEAM_FAULTS: readonly TeamFault[] = [
  {
    name: "replica-kill",
    async inject({ scene, random }) {
      const { team } = scene;
      const times = random.between(1, team.servers.length - 1);
      for (let nth = 0; nth < times; nth += 1) {
        const worker = await workerOf(scene);
        const { pid } = worker;
        await worker.kill();
        // Half of the time the next one dies in the middle of its takeover.
        if (nth + 1 < times && random.between(0, 1) === 1) await otherWorks(scene, { pid });
      }
      return times === 1 ? DONE : doneTo(`${times} servers`);
    },
  },
  {
    name: "replica-stop",
    async inject({ scene, random }) {
      const worker = await workerOf(scene);
      process.kill(worker.pid, "SIGSTOP");
      const isLong = random.between(0, 2) > 0;
      if (isLong) await otherWorks(scene, worker);
      else await holdOn(random);
      if (random.between(0, 1) === 1) for (const client of scene.clients) client.cut();
      process.kill(worker.pid, "SIGCONT");
      return doneTo(isLong ? "one that was taken over from" : "one");
    },
  },
  {
    name: "replica-partition",
    async inject({ scene, random }) {
      const worker = await workerOf(scene);
      const fromAgents = random.between(0, 1) === 1;
      const mend = scene.cutOff(worker, { fromAgents });
      const isLong = random.between(0, 2) > 0;
      if (isLong) await otherWorks(scene, worker);
      else await holdOn(random);
      // Some come back to the one that is cut off.
      for (const client of scene.clients) if (random.between(0, 1) === 1) client.cut();
      if (isLong) await holdOn(random);
      mend();
      return doneTo(fromAgents ? "one, from the agents too" : "one");
    },
  },
  {
    name: "db-kill",
    async inject({ scene, random }) {
      await scene.pair.primary.kill("SIGKILL");
      await holdOn(random);
      await scene.pair.primary.resume();
      return DONE;
    },
  },
  {
    name: "db-stop",
    async inject({ scene, random }) {
      const { primary } = scene.pair;
      primary.signal("SIGSTOP");
      await holdOn(random);
      primary.signal("SIGCONT");
      return DONE;
    },
  },
  {
    name: "db-failover",
    async inject({ scene, random }) {
      await scene.pair.failOver();
      if (random.between(0, 1) === 1) await holdOn(random);
      await scene.pair.pairUp();
      return DONE;
    },
  },
];

async function workerOf({ team }: TeamScene) {
  return waitFor(
    () => team.worker().catch(() => null),
    (worker) => worker !== null,
    "a server that works",
  ).then((worker) => {
    if (worker === null) throw new Error("nobody works");
    return worker;
  });
}

/** The database belongs to another server. */
async function otherWorks({ team }: TeamScene, { pid }: { readonly pid: number }): Promise<void> {
  await waitFor(
    () => team.owner(),
    ({ name }) => name !== null && !name.endsWith(`(process ${pid})`),
    "another server that works",
  );
}

async function holdOn(random: SeededRandom): Promise<void> {
  await Bun.sleep(random.between(HELD_MS_MIN, HELD_MS_MAX));
}
