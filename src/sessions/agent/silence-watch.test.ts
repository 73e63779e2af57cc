import { afterEach, beforeEach, describe, expect, it, jest } from "bun:test";
import { SilenceWatch } from "./silence-watch.ts";

describe("SilenceWatch", () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  /** A watch for 1 s of silence, and a clock that moves with its timers. */
  function scene() {
    let now = 0;
    let silences = 0;
    const watch = new SilenceWatch(
      1_000,
      () => now,
      () => silences++,
    );
    return {
      watch,
      silences: () => silences,
      pass(ms: number) {
        for (let step = 0; step < ms; step += 50) {
          now += 50;
          jest.advanceTimersByTime(50);
        }
      },
    };
  }

  it("reports once if there was no event for the whole time", () => {
    const { watch, silences, pass } = scene();
    watch.reset(true);
    pass(950);
    expect(silences()).toBe(0);
    pass(50);
    expect(silences()).toBe(1);
    pass(5_000);
    expect(silences()).toBe(1);
  });

  it("counts from the last event", () => {
    const { watch, silences, pass } = scene();
    for (let words = 0; words < 20; words += 1) {
      watch.reset(true);
      pass(900);
    }
    expect(silences()).toBe(0);
    pass(100);
    expect(silences()).toBe(1);
  });

  it("ignores silence while nothing is expected, and watches again afterwards", () => {
    const { watch, silences, pass } = scene();
    watch.reset(true);
    pass(500);
    watch.reset(false);
    pass(5_000);
    expect(silences()).toBe(0);
    watch.reset(true);
    pass(1_000);
    expect(silences()).toBe(1);
    watch.reset(true);
    pass(1_000);
    expect(silences()).toBe(2);
  });
});
