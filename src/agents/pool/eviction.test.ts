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
  chooseEvictions(processes, limits, now).map(({ name }) => name);

it("W-6 ends what was idle for too long", () => {
  expect(chosen([process("old", 0), process("new", 950)], 1_000)).toEqual(["old"]);
});

it("W-6 ends the least recently used above the maximum", () => {
  expect(chosen([process("b", 20), process("a", 10), process("c", 30)], 50)).toEqual(["a"]);
});

it("W-6 never ends a busy one, even above the maximum", () => {
  expect(chosen([process("a", 0, true), process("b", 10, true), process("c", 990)], 1_000)).toEqual(["c"]);
  expect(chosen([process("a", 0, true), process("b", 10, true), process("c", 20, true)], 1_000)).toEqual([]);
});
