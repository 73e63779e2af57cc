import type { Reader } from "../scene/reader.ts";
import { DONE, type Fault, type FaultWorld } from "./fault.ts";
import { holdOn, untilChance } from "./moments.ts";

const CUTS_MAX = 5;

/** Some readers take what they are sent a piece at a time. */
export const clientSlow: Fault = {
  name: "client-slow",
  async inject(world) {
    const readers = someReaders(world);
    for (const { wire } of readers) wire.mode = "slow";
    await holdOn(world);
    for (const { wire } of readers) wire.mode = "whole";
    return DONE;
  },
};

/** Some readers are connected and take nothing. */
export const clientStalled: Fault = {
  name: "client-stalled",
  async inject(world) {
    const readers = someReaders(world);
    for (const { wire } of readers) wire.mode = "stalled";
    await holdOn(world);
    for (const { wire } of readers) wire.mode = "whole";
    return DONE;
  },
};

/** Some readers, and sometimes the user, lose their connection in the middle of a frame, again and again. */
export const clientLossy: Fault = {
  name: "client-lossy",
  async inject(world) {
    for (let cuts = world.random.between(1, CUTS_MAX); cuts > 0; cuts--) {
      for (const { wire } of someReaders(world)) wire.cut();
      await untilChance(world);
    }
    return DONE;
  },
};

function someReaders({ scene, random }: FaultWorld): readonly Reader[] {
  const all = [...scene.readers, scene.user.reader];
  return all.filter(() => random.fraction() < 0.5).concat(random.pick(all));
}
