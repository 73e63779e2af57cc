import { afterEach, beforeEach, describe, expect, it, jest } from "bun:test";
import type { AgentEvent } from "../../ports/agents.ts";
import { Replay } from "./replay.ts";

const user: AgentEvent = { type: "text", kind: "user", text: "u" };
const answer: AgentEvent = { type: "text", kind: "assistant", text: "a" };
const usage: AgentEvent = { type: "usage", usage: { used: 1, size: 2 } };

describe("Replay", () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it("keeps old words to itself and lets through what is true now", () => {
    const replay = new Replay();
    const old: AgentEvent[] = [
      user,
      answer,
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
    expect(old.map((event) => replay.hear(event))).toEqual(old.map(() => false));
    expect(now.map((event) => replay.hear(event))).toEqual(now.map(() => true));
  });

  it("counts messages of the user, not their pieces", () => {
    const replay = new Replay();
    for (const event of [user, user, answer, user, usage, user, { type: "plan", items: [] } as const, user])
      replay.hear(event);
    expect(replay.userMessages).toBe(3);
  });

  /** Whether waiting is over, after all that is due has been done. */
  async function isOver(waiting: Promise<void>): Promise<boolean> {
    return Promise.race([waiting.then(() => true), Promise.resolve().then(() => Promise.resolve(false))]);
  }

  it("is over when nothing was heard for a while, and each word starts the while again", async () => {
    const replay = new Replay();
    const quiet = replay.quiet();
    for (let words = 0; words < 5; words += 1) {
      jest.advanceTimersByTime(149);
      replay.hear(answer);
    }
    expect(await isOver(quiet)).toBe(false);
    jest.advanceTimersByTime(150);
    expect(await isOver(quiet)).toBe(true);
  });

  it("is over in any case after five seconds: an agent that never falls silent holds nobody up", async () => {
    const replay = new Replay();
    const quiet = replay.quiet();
    for (let ms = 0; ms < 5_000; ms += 100) {
      replay.hear(answer);
      jest.advanceTimersByTime(100);
    }
    expect(await isOver(quiet)).toBe(true);
  });
});
