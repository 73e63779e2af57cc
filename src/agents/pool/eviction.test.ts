import { expect, it } from "bun:test";
import { chooseEvictions } from "./eviction.ts";

const process = (name: string, lastUsedAt: number, busy = false) => ({
  name,
  lastUsedAt,
  busy,
  evict: () => undefined,
});
const limits = { idleMs: 100, processesMax: 2 };
const chosen = (processes: ReturnType<typeof process>[], now: number) =>
  chooseEvictions(processes, limits, now).map(({ process: { name } }) => name);

it("W-6 ends processes that were idle for too long", () => {
  expect(chosen([process("old", 0), process("new", 950)], 1_000)).toEqual(["old"]);
});

it("W-6 ends the least recently used above the maximum", () => {
  expect(chosen([process("b", 20), process("a", 10), process("c", 30)], 50)).toEqual(["a"]);
});

it("W-6 never ends a busy one, even above the maximum", () => {
  expect(chosen([process("a", 0, true), process("b", 10, true), process("c", 990)], 1_000)).toEqual(["c"]);
  expect(chosen([process("a", 0, true), process("b", 10, true), process("c", 20, true)], 1_000)).toEqual([]);
});

it("X-21 under memory pressure a minute of idleness is enough, and busy processes are kept", () => {
  const long = { idleMs: 3_600_000, processesMax: 9 };
  const processes = [process("idle", 0), process("busy", 0, true), process("fresh", 50_000)];
  const names = (short: boolean) =>
    chooseEvictions(processes, long, 70_000, short).map(({ process: { name } }) => name);
  expect(names(false)).toEqual([]);
  expect(names(true)).toEqual(["idle"]);
});
