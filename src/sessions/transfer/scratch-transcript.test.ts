import { describe, expect, it } from "bun:test";
import type { AgentEvent, ToolPatch } from "../../ports/agents.ts";
import { ScratchTranscript } from "./scratch-transcript.ts";

const TIME = "2026-01-01T00:00:00.000Z";

function replayed(...events: readonly AgentEvent[]) {
  let count = 0;
  const scratch = new ScratchTranscript({ newId: () => `id${++count}`, time: TIME });
  for (const event of events) scratch.add(event, null);
  return scratch.end();
}

const said = (kind: "user" | "assistant" | "thinking", text: string, messageId?: string): AgentEvent => ({
  type: "text",
  kind,
  text,
  ...(messageId !== undefined && { messageId }),
});
const tool = (patch: Omit<ToolPatch, "announced">, announced = true): AgentEvent => ({
  type: "tool",
  patch: { announced, ...patch },
});

describe("X-12 a conversation replayed by an agent", () => {
  it("has the shape of a live one: messages, turns, a title, and nothing open", () => {
    const { state, entries } = replayed(
      said("user", "First question", "u1"),
      said("thinking", "Hm."),
      said("assistant", "First ", "a1"),
      said("assistant", "answer", "a1"),
      said("user", "Second question", "u2"),
      said("assistant", "Second answer", "a2"),
    );
    expect(entries.map(({ type, content }) => [type, content])).toEqual([
      ["user", "First question"],
      ["thinking", "Hm."],
      ["assistant", "First answer"],
      ["user", "Second question"],
      ["assistant", "Second answer"],
    ]);
    const turns = entries.map(({ turnId }) => turnId);
    expect(turns[0]).toBe(turns[2]);
    expect(turns[3]).toBe(turns[4]);
    expect(turns[0]).not.toBe(turns[3]);
    expect(state).toMatchObject({ title: "First question", titleSource: "derived", open: [], settled: [] });
    expect(state.turn).toMatchObject({ state: "idle", stopReason: "end_turn" });
  });

  it("keeps attachments, and separates two consecutive messages by their ids", () => {
    const image = { type: "image", mimeType: "image/png", data: "AAAA" } as const;
    const { entries } = replayed(
      said("user", "Look", "u1"),
      { type: "part", kind: "user", part: image },
      said("user", "Never mind", "u2"),
    );
    expect(entries).toMatchObject([
      { type: "user", content: "Look", attachments: [image] },
      { type: "user", content: "Never mind" },
    ]);
  });

  it("shows failed calls as failed, finished ones as finished, and those that were never finished as cancelled", () => {
    const { entries } = replayed(
      said("user", "Work"),
      tool({ toolCallId: "1", name: "Edit", status: "running" }),
      tool({ toolCallId: "1", status: "error", result: "no such file" }, false),
      tool({ toolCallId: "2", name: "Read", status: "complete", result: "text" }),
      tool({ toolCallId: "3", name: "Run", status: "running" }),
      said("user", "Again"),
      tool({ toolCallId: "2", result: "more text" }, false),
    );
    const calls = entries.flatMap((entry) => (entry.type === "tool-call" ? [entry] : []));
    expect(calls.map(({ status }) => status)).toEqual(["error", "complete", "cancelled"]);
    expect(calls[0]?.error).toBe("no such file");
    expect(calls[1]?.result).toBe("more text");
  });

  it("uses the agent's times if present, and its title instead of the first message", () => {
    let count = 0;
    const scratch = new ScratchTranscript({ newId: () => `id${++count}`, time: TIME });
    scratch.add({ type: "title", title: "  The agent's\n title " }, null);
    scratch.add(said("user", "Question"), "2025-05-05T05:05:05.000Z");
    scratch.add(said("assistant", "Answer"), null);
    const { state, entries } = scratch.end();
    expect(state).toMatchObject({ title: "The agent's title", titleSource: "agent" });
    expect(entries.map((entry) => "timestamp" in entry && entry.timestamp)).toEqual([
      "2025-05-05T05:05:05.000Z",
      "2025-05-05T05:05:05.000Z",
    ]);
  });

  it("refuses more than it can hold at its end, and never during the agent's line", () => {
    const scratch = new ScratchTranscript({ newId: () => crypto.randomUUID(), time: TIME });
    for (let index = 0; index <= 25_001; index++) {
      scratch.add(said("user", `q${index}`, `u${index}`), null);
      scratch.add(said("assistant", "a", `a${index}`), null);
    }
    expect(() => scratch.end()).toThrow(/limit of 50000/);
  });
});
