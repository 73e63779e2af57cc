import type { World } from "../../src/ports/world.ts";

const START_MS = Date.UTC(2026, 0, 1);
const STEP_MS = 1_000;

/** A clock that moves a second with each look and ids that count: what a test sees, it can write down. */
export function countingWorld(): World {
  let looks = 0;
  let ids = 0;
  return { now: () => START_MS + STEP_MS * looks++, newId: () => `id-${++ids}` };
}
