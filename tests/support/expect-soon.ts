import { expect } from "bun:test";
import { DEADLINE_MS } from "./wait-for.ts";

const LOOK_AGAIN_MS = 20;

/**
 * `await expectSoon(() => list.count()).toBe(2)`: `expect`, of a page that is still drawing. It looks until the
 * matcher holds, and fails with the matcher's own words when it never does.
 */
export function expectSoon<Value>(look: () => Promise<Value>) {
  return { ...waiting(look, (value) => expect(value)), not: waiting(look, (value) => expect(value).not) };
}

function waiting<Value>(look: () => Promise<Value>, expecting: (value: unknown) => ReturnType<typeof expect>["not"]) {
  const until = async (check: (value: Value) => void): Promise<void> => {
    const deadline = performance.now() + DEADLINE_MS;
    for (;;) {
      const value = await look();
      try {
        check(value);
        return;
      } catch (reason) {
        if (performance.now() > deadline) throw reason;
      }
      await Bun.sleep(LOOK_AGAIN_MS);
    }
  };
  return {
    toBe: (expected: Value) => until((value) => expecting(value).toBe(expected)),
    toEqual: (expected: unknown) => until((value) => expecting(value).toEqual(expected)),
    toContain: (expected: unknown) => until((value) => expecting(value).toContain(expected)),
    toMatch: (expected: RegExp | string) => until((value) => expecting(value).toMatch(expected)),
    toHaveLength: (expected: number) => until((value) => expecting(value).toHaveLength(expected)),
    toBeGreaterThan: (expected: number) => until((value) => expecting(value).toBeGreaterThan(expected)),
    toBeLessThan: (expected: number) => until((value) => expecting(value).toBeLessThan(expected)),
    toBeLessThanOrEqual: (expected: number) => until((value) => expecting(value).toBeLessThanOrEqual(expected)),
    toBeNull: () => until((value) => expecting(value).toBeNull()),
    toBeUndefined: () => until((value) => expecting(value).toBeUndefined()),
  };
}
