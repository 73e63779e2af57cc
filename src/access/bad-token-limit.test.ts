import { describe, expect, it } from "bun:test";
import { BadTokenLimit } from "./bad-token-limit.ts";

function limitAt(clock: { now: number }): BadTokenLimit {
  return new BadTokenLimit(() => clock.now);
}

function countMany(limit: BadTokenLimit, times: number, address = "192.0.2.1"): number {
  let wait = 0;
  for (let index = 0; index < times; index++) wait = limit.count(address);
  return wait;
}

describe("BadTokenLimit", () => {
  it("after a hundred wrong tokens a minute one address has to wait, and others do not", () => {
    const clock = { now: 1_000_000 };
    const limit = limitAt(clock);
    expect(countMany(limit, 100)).toBe(0);
    expect(limit.count("192.0.2.1")).toBe(60);
    expect(limit.count("192.0.2.2")).toBe(0);
    clock.now += 45_000;
    expect(limit.count("192.0.2.1")).toBe(15);
    clock.now += 15_000;
    expect(limit.count("192.0.2.1")).toBe(0);
  });

  it("a client with many addresses reaches the global limit", () => {
    const limit = limitAt({ now: 0 });
    const waits = Array.from({ length: 1_001 }, (_, index) => limit.count(`10.0.${index >> 8}.${index & 255}`));
    expect(waits.slice(0, 1_000).every((wait) => wait === 0)).toBe(true);
    expect(waits[1_000]).toBeGreaterThan(0);
  });

  it("an IPv6 network counts as one address, because one owner has all of it", () => {
    const limit = limitAt({ now: 0 });
    for (let index = 0; index < 100; index++) limit.count(`2001:db8:1:2::${index.toString(16)}`);
    expect(limit.count("2001:db8:1:2:3:4:5:6")).toBeGreaterThan(0);
    expect(limit.count("2001:db8:1:3::1")).toBe(0);
  });

  it("memory stays bounded however many addresses there are", () => {
    const clock = { now: 0 };
    const limit = limitAt(clock);
    for (let index = 0; index < 20_000; index++) limit.count(`addr-${index}`);
    expect(limit.addressCount).toBe(1_000);
  });

  it("a clock that is set back causes no lockout", () => {
    const clock = { now: 10_000_000 };
    const limit = limitAt(clock);
    expect(countMany(limit, 101)).toBeGreaterThan(0);
    clock.now = 0;
    expect(limit.count("192.0.2.1")).toBe(0);
  });
});
