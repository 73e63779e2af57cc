import type { FarMachine } from "../scene/far-machine.ts";
import { killQuietly, signalQuietly } from "./cut-off.ts";
import { doneTo, type Fault, type FaultWorld } from "./fault.ts";
import { holdOn, untilChance } from "./moments.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const CUTS_MAX = 3;
const WORDS_MIN = 20;
const WORDS_MAX = 60;
const EVERY_MS_MAX = 60;

/** The connection to the far machine is cut, sometimes after nothing got through it, sometimes with the machine away. */
export const channelCut: Fault = {
  name: "channel-cut",
  async inject(world) {
    const machine = await atWork(world);
    const { wire } = machine;
    if (!wire) return { skipped: "openssh-server is not installed" };
    const ways = Array.from({ length: world.random.between(1, CUTS_MAX) }, () =>
      world.random.pick(["cut", "stalled", "away"] as const),
    );
    for (const way of ways) {
      if (way === "stalled") wire.mode = "stalled";
      if (way === "away") machine.isAway = true;
      if (way !== "cut") await holdOn(world);
      // What is on its way is lost with it.
      wire.cut();
      wire.mode = "whole";
      machine.isAway = false;
      await untilChance(world);
    }
    return doneTo(ways.join(", "));
  },
};

/** `kill -9` of the runner, alone or with the server; or it stands still, and the next server's runner ends it. */
export const runnerKill: Fault = {
  name: "runner-kill",
  async inject(world) {
    const machine = await atWork(world);
    const { server } = world.scene;
    const pid = machine.runnerPid();
    if (pid === null) return { skipped: "no runner has served yet" };
    const way = world.random.pick(["alone", "with the server", "stopped"] as const);
    if (way === "stopped") {
      signalQuietly(pid, "SIGSTOP");
      await holdOn(world);
    }
    if (way !== "alone") await server.kill();
    if (way !== "stopped") killQuietly(pid);
    if (way !== "alone") await server.start();
    return doneTo(way);
  },
};

/** The clocks of both machines are days apart, while a connection begins and agents work. */
export const clockSkew: Fault = {
  name: "clock-skew",
  async inject(world) {
    const { server } = world.scene;
    const machine = await atWork(world);
    machine.setClock(world.random.between(-2 * DAY_MS, 2 * DAY_MS));
    await server.seam.setClock(world.random.between(-2 * DAY_MS, 2 * DAY_MS));
    const pid = machine.runnerPid();
    if (pid !== null) killQuietly(pid);
    await untilChance(world);
    await holdOn(world);
    machine.setClock(0);
    await server.seam.setClock(0);
    return doneTo(machine.agent);
  },
};

/** The far machine, where every session has something to do. */
async function atWork({ scene, random }: FaultWorld): Promise<FarMachine> {
  const machine = await scene.farMachine();
  for (const sessionId of machine.sessions)
    scene.user.send(sessionId, "say", random.between(WORDS_MIN, WORDS_MAX), random.between(1, EVERY_MS_MAX));
  await untilChance({ scene, random });
  return machine;
}
