import { describe, expect, it } from "bun:test";
import { AbsenceWatch } from "./absence-watch.ts";

const ABSENT_MS = 600_000;

/** A watch whose time is advanced by the test. */
function watched() {
  const timers = new Map<number, { at: number; call: () => void }>();
  const heard: string[] = [];
  let now = 0;
  let count = 0;
  const watch = new AbsenceWatch(ABSENT_MS, (ms, call) => {
    const id = ++count;
    timers.set(id, { at: now + ms, call });
    return () => timers.delete(id);
  });
  return {
    watch,
    heard,
    timers,
    open: (key: string) => watch.watch(key, () => heard.push(key)),
    pass: (ms: number) => {
      now += ms;
      for (const [id, { at, call }] of timers) if (at <= now && timers.delete(id)) call();
    },
  };
}

describe("W-9 what is left open while no client is connected", () => {
  it("is reported once, after the time has passed", () => {
    const { open, pass, heard } = watched();
    open("a");
    pass(ABSENT_MS - 1);
    open("b");
    expect(heard).toEqual([]);
    pass(1);
    expect(heard).toEqual(["a"]);
    pass(ABSENT_MS);
    expect(heard).toEqual(["a", "b"]);
  });

  it("waits without limit while someone is there, and then from the moment they leave", () => {
    const { watch, open, pass, heard, timers } = watched();
    watch.setPresent(true);
    open("a");
    pass(10 * ABSENT_MS);
    expect(timers.size).toBe(0);
    watch.setPresent(false);
    pass(ABSENT_MS - 1);
    watch.setPresent(true);
    watch.setPresent(false);
    pass(ABSENT_MS - 1);
    expect(heard).toEqual([]);
    pass(1);
    expect(heard).toEqual(["a"]);
  });

  it("is dropped once it is closed", () => {
    const { watch, open, pass, heard, timers } = watched();
    open("a");
    watch.forget("a");
    pass(ABSENT_MS);
    expect({ heard, timers: timers.size }).toEqual({ heard: [], timers: 0 });
  });
});
