import { describe, expect, it } from "bun:test";
import { PureSession } from "../../../tests/core/pure-session.ts";
import type { AgentEvent } from "../../ports/agents.ts";

describe("notices of an agent about its context and its mode", () => {
  const compaction = (patch: object): AgentEvent => ({ type: "compaction", patch: { compactionId: "c", ...patch } });

  it("a compaction is one entry at its first event, and shows its end and its summary", () => {
    const session = new PureSession().start();
    session.hear(compaction({ status: "in_progress" }));
    session.hear(compaction({ more: "so " }), compaction({ more: "far" }));
    expect(session.entries.at(-1)).toMatchObject({ type: "notice", details: "so far" });
    session.text("on with it");
    session.hear(compaction({ status: "completed", summary: "in short" }));
    expect(session.entries.map(({ type }) => type)).toEqual(["user", "notice", "assistant"]);
    expect(session.entries[1]).toMatchObject({
      content: expect.stringContaining("Context compacted"),
      details: "in short",
      compaction: { id: "c", status: "completed" },
    });
  });

  it("one that still runs when its turn ends has stopped; a late end of it is recorded", () => {
    const session = new PureSession().start();
    session.hear(compaction({ status: "in_progress" }));
    session.end();
    expect(session.entries.at(-1)).toMatchObject({ compaction: { status: "cancelled" } });
    session.hear(compaction({ status: "failed", error: "no room" }));
    expect(session.entries.at(-1)).toMatchObject({
      severity: "warning",
      content: "The agent could not compact its context: no room",
    });
  });

  it("X-7 a changed mode is a notice in the transcript, once and by name; before any message there is none", () => {
    const options = (currentValue: string) => [
      {
        id: "mode",
        name: "Mode",
        category: "mode",
        type: "select" as const,
        currentValue,
        options: [
          { value: "ask", name: "Ask first" },
          { group: "g", name: "Bold", options: [{ value: "yolo", name: "Do it all" }] },
        ],
      },
    ];
    const session = new PureSession();
    session.hear({ type: "options", options: options("ask") }, { type: "options", options: options("yolo") });
    session.start();
    session.hear({ type: "option-chosen", category: "mode", value: "ask" });
    session.hear({ type: "options", options: options("ask") }, { type: "options", options: options("yolo") });
    expect(session.told.slice(1)).toEqual([
      ["notice", "Mode changed to Ask first."],
      ["notice", "Mode changed to Do it all."],
    ]);
  });
});

describe("sub-agents", () => {
  it("their messages and calls name the parent, and two concurrent ones are kept apart", () => {
    const session = new PureSession().start();
    session.announce("task-1");
    session.announce("task-2");
    const say = (text: string, parentToolCallId?: string) =>
      session.hear({ type: "text", kind: "assistant", text, ...(parentToolCallId && { parentToolCallId }) });
    say("a", "task-1");
    say("b", "task-1");
    say("c", "task-2");
    session.announce("read", { parentToolCallId: "task-1" });
    say("d");
    const parents = session.entries.map((entry) => [entry.type, entry.content, entry.parentToolCallId]);
    expect(parents.slice(3)).toEqual([
      ["assistant", "ab", "task-1"],
      ["assistant", "c", "task-2"],
      ["tool-call", "", "task-1"],
      ["assistant", "d", undefined],
    ]);
  });

  it("a prompt in the user's name is not the user's message", () => {
    const session = new PureSession().start("go");
    session.announce("task-1");
    session.hear({ type: "text", kind: "user", text: "look ", parentToolCallId: "task-1" });
    session.hear({ type: "text", kind: "user", text: "there", parentToolCallId: "task-1" });
    expect(session.told.slice(2)).toEqual([["user", "look there"]]);
  });
});
