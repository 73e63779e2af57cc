import { describe, expect, it } from "bun:test";
import type { Owner } from "./ownership.ts";
import { OwnerWatch } from "./replica.ts";

const owner = (beats: number, epoch = 3): Owner => ({ epoch, name: "one", beats });
/** Looks at these counts in turn; null is a look that the database did not answer. */
function looks(watch: OwnerWatch, ...counts: readonly (number | null)[]): readonly boolean[] {
  return counts.map((beats) => {
    if (beats !== null) return watch.isFree(owner(beats));
    watch.missed();
    return false;
  });
}
const still = (beats: number, count: number) => Array.from({ length: count }, () => beats);

describe("the owner of a database", () => {
  it("[SC-16] is dead when its count did not change during four polls, whatever the clocks show", () => {
    expect(looks(new OwnerWatch(), ...still(7, 5))).toEqual([false, false, false, false, true]);
    expect(looks(new OwnerWatch(), 7, 7, 7, 8, 8, 8, 8, 8)).toEqual([...still(0, 7).map(() => false), true]);
  });

  it("has given the database back when it has no name", () => {
    expect(new OwnerWatch().isFree({ epoch: 3, name: null, beats: 9 })).toBe(true);
  });

  it("is another one after a takeover, also with the same count", () => {
    const watch = new OwnerWatch();
    looks(watch, 0, 0, 0, 0);
    expect(watch.isFree(owner(0, 4))).toBe(false);
  });

  it("[SC-17] is not dead because the database was away, and has time to count again afterwards", () => {
    const watch = new OwnerWatch();
    expect(looks(watch, 7, 8, null, null, null, ...still(8, 11)).some(Boolean)).toBe(false);
    expect(looks(watch, 9, ...still(9, 3)).some(Boolean)).toBe(false);
    expect(looks(watch, 9)).toEqual([true]);
    const dead = new OwnerWatch();
    expect(looks(dead, 7, null, ...still(7, 11)).some(Boolean)).toBe(false);
    expect(looks(dead, 7)).toEqual([true]);
  });
});
