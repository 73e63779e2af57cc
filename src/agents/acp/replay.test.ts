import { afterEach, beforeEach, describe, expect, it, jest } from "bun:test";
import type { AgentEvent } from "../../ports/agents.ts";
import { type Expected, Replay } from "./replay.ts";

const text = (kind: "user" | "assistant", words: string): AgentEvent => ({ type: "text", kind, text: words });
const usage: AgentEvent = { type: "usage", usage: { used: 1, size: 2 } };
const EXPECTED: Expected = { userMessages: 2, last: { message: "And now?", answer: "It is done." } };
const COMPLETE = [
  text("user", "First"),
  text("assistant", "One."),
  text("user", "And now?"),
  text("assistant", "It is  done."),
];

/** The real timer, even while timers are faked. */
const immediately = setImmediate;

const replayOf = (...events: AgentEvent[]) => {
  const replay = new Replay(() => EXPECTED);
  for (const event of events) replay.record(event);
  return replay;
};

describe("Replay", () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it("keeps replayed messages and passes on current state", () => {
    const replay = replayOf();
    const old: AgentEvent[] = [
      ...COMPLETE,
      { type: "part", kind: "user", part: { type: "text", text: "x" } },
      { type: "tool", patch: { toolCallId: "1", announced: true } },
      { type: "plan", items: [] },
      { type: "title", title: "T" },
    ];
    const now: AgentEvent[] = [
      usage,
      { type: "options", options: [] },
      { type: "option-chosen", category: "mode", value: "m" },
      { type: "commands", commands: [] },
    ];
    expect(old.map((event) => replay.record(event))).toEqual(old.map(() => false));
    expect(now.map((event) => replay.record(event))).toEqual(now.map(() => true));
    expect(replay.event).toEqual({ type: "replayed", events: old.slice(0, -1), whole: true });
  });

  it("beyond the limit the oldest events are dropped, which is reported", () => {
    const long = "x".repeat(20 * 1024 * 1024);
    const replay = replayOf(...["1", "2", "3", "4"].map((mark) => text("assistant", mark + long)));
    const kept = replay.event.events.flatMap((event) => (event.type === "text" ? [event.text[0]] : []));
    expect([kept, replay.event.whole]).toEqual([["3", "4"], false]);
  });

  /** Returns whether waiting is over once all due work has run. */
  function watch(waiting: Promise<void>): () => Promise<boolean> {
    let isOver = false;
    void waiting.then(() => {
      isOver = true;
    });
    return async () => {
      for (let step = 0; step < 3; step += 1) await new Promise((resolve) => immediately(resolve));
      return isOver;
    };
  }

  it("ends soon after the answer once the last known message has arrived, and each event restarts the wait", async () => {
    const replay = replayOf(...COMPLETE);
    const isOver = watch(replay.ended());
    for (let words = 0; words < 5; words += 1) {
      jest.advanceTimersByTime(149);
      expect(await isOver()).toBe(false);
      replay.record(text("assistant", "and"));
    }
    jest.advanceTimersByTime(149);
    expect(await isOver()).toBe(false);
    jest.advanceTimersByTime(1);
    expect(await isOver()).toBe(true);
    expect(replay.event.events).toHaveLength(COMPLETE.length + 5);
  });

  it.each([
    ["nothing", []],
    ["a message less", COMPLETE.slice(0, 2)],
    ["the last message without its answer", COMPLETE.slice(0, 3)],
  ])(
    "waits longer when %s has arrived: an agent may continue after its answer, on a busy machine",
    async (_, heard) => {
      const replay = replayOf(...heard);
      const isOver = watch(replay.ended());
      jest.advanceTimersByTime(1_999);
      expect(await isOver()).toBe(false);
      for (const event of COMPLETE.slice(heard.length)) replay.record(event);
      jest.advanceTimersByTime(149);
      expect(await isOver()).toBe(false);
      replay.record(text("assistant", " Really."));
      jest.advanceTimersByTime(149);
      expect(await isOver()).toBe(false);
      jest.advanceTimersByTime(1);
      expect(await isOver()).toBe(true);
    },
  );

  it("ends for an agent that replays nothing, and for one that never stops sending", async () => {
    const isSilentOver = watch(replayOf().ended());
    jest.advanceTimersByTime(1_999);
    expect(await isSilentOver()).toBe(false);
    jest.advanceTimersByTime(1);
    expect(await isSilentOver()).toBe(true);
    const noisy = replayOf(...COMPLETE);
    const isOver = watch(noisy.ended());
    for (let ms = 0; ms < 30_000; ms += 100) {
      expect(await isOver()).toBe(false);
      noisy.record(text("assistant", "la"));
      jest.advanceTimersByTime(100);
    }
    expect(await isOver()).toBe(true);
  });
});
