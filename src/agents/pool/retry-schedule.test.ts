import { expect, it } from "bun:test";
import { RETRY_DELAYS_MS } from "../catalog/agent-definition.ts";
import { RetrySchedule } from "./retry-schedule.ts";

it("waits 1, 2, 4, 8, 16 s, then leaves it to the user", () => {
  const schedule = new RetrySchedule(RETRY_DELAYS_MS);
  const delays = Array.from({ length: 7 }, () => schedule.next());
  expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, null, null]);
  expect(schedule.used).toBe(5);
});

it("starts over after a reset", () => {
  const schedule = new RetrySchedule([5]);
  schedule.next();
  expect(schedule.next()).toBeNull();
  schedule.reset();
  expect(schedule.next()).toBe(5);
});
