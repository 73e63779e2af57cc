import { describe, expect, it } from "bun:test";
import type { Json } from "../../../protocol/json.ts";
import { translateUpdate } from "./translate-update.ts";

const text = (words: string) => ({ type: "text", text: words });

/** Kept whole for a later version, shown to nobody. */
function isKept(update: Json): boolean {
  return Bun.deepEquals(translateUpdate(update), [{ type: "unknown", update }]);
}

describe("a compaction", () => {
  const compactionId = "c";
  it.each<[Json, object]>([
    [{ sessionUpdate: "compaction_update", compactionId, status: "in_progress" }, { status: "in_progress" }],
    [{ sessionUpdate: "compaction_summary_chunk", compactionId, content: text("so far") }, { more: "so far" }],
    [
      { sessionUpdate: "compaction_update", compactionId, status: "completed", summary: [text("a"), text("b")] },
      { status: "completed", summary: "ab" },
    ],
    [
      { sessionUpdate: "compaction_update", compactionId, status: "failed", error: "too long" },
      { status: "failed", error: "too long" },
    ],
    [{ sessionUpdate: "compaction_update", compactionId, status: "levitating" }, {}],
  ])("%j", (update, patch) => {
    expect(translateUpdate(update)).toEqual([{ type: "compaction", patch: { compactionId, ...patch } }]);
  });
});

describe("message chunks", () => {
  it("of a sub-agent names the call it speaks for", () => {
    const _meta = { claudeCode: { parentToolUseId: "task-1" } };
    expect(translateUpdate({ sessionUpdate: "agent_message_chunk", content: text("hi"), _meta })).toEqual([
      { type: "text", kind: "assistant", text: "hi", parentToolCallId: "task-1" },
    ]);
  });

  it.each([
    ["agent_message_chunk", "assistant"],
    ["agent_thought_chunk", "thinking"],
    ["user_message_chunk", "user"],
  ] as const)("%s is text of the kind %s, with the message's id where there is one", (sessionUpdate, kind) => {
    expect(translateUpdate({ sessionUpdate, content: text("hi") })).toEqual([{ type: "text", kind, text: "hi" }]);
    expect(translateUpdate({ sessionUpdate, content: text("hi"), messageId: "m", _meta: { x: 1 } })).toEqual([
      { type: "text", kind, text: "hi", messageId: "m" },
    ]);
  });

  it("content that is no text is a part in its place", () => {
    const content = { type: "image", data: "AAAA", mimeType: "image/png" };
    expect(translateUpdate({ sessionUpdate: "agent_message_chunk", content })).toEqual([
      { type: "part", kind: "assistant", part: { type: "image", data: "AAAA", mimeType: "image/png" } },
    ]);
  });

  it("an empty chunk, as qwen and the old claude send, stays an empty text", () => {
    const update = { sessionUpdate: "agent_message_chunk", content: text(""), _meta: { usage: { totalTokens: 7 } } };
    expect(translateUpdate(update)).toEqual([
      { type: "text", kind: "assistant", text: "" },
      { type: "usage", usage: { callTokens: 7 } },
    ]);
  });

  it("a message id of another type is none", () => {
    const update = { sessionUpdate: "agent_message_chunk", content: text("x"), messageId: 7 };
    expect(translateUpdate(update)).toEqual([{ type: "text", kind: "assistant", text: "x" }]);
  });

  it.each<Json>([
    { sessionUpdate: "agent_message_chunk" },
    { sessionUpdate: "agent_message_chunk", content: null },
    { sessionUpdate: "agent_message_chunk", content: "bare words" },
    { sessionUpdate: "agent_message_chunk", content: [{ type: "text", text: "in a list" }] },
  ])("a chunk whose content cannot be read is kept: %j", (update) => {
    expect(isKept(update)).toBe(true);
  });
});

describe("tool calls", () => {
  it("`tool_call` presents a call, `tool_call_update` adds to one", () => {
    const call = { toolCallId: "1", title: "Read", status: "pending" };
    const patch = { toolCallId: "1", name: "Read", status: "running" } as const;
    expect(translateUpdate({ sessionUpdate: "tool_call", ...call })).toEqual([
      { type: "tool", patch: { ...patch, announced: true } },
    ]);
    expect(translateUpdate({ sessionUpdate: "tool_call_update", ...call })).toEqual([
      { type: "tool", patch: { ...patch, announced: false } },
    ]);
  });

  it("without an id it belongs to nothing, and is kept", () => {
    expect(isKept({ sessionUpdate: "tool_call_update", status: "completed" })).toBe(true);
    expect(isKept({ sessionUpdate: "tool_call", toolCallId: 7, title: "x" })).toBe(true);
  });
});

describe("plans", () => {
  it("is the whole plan each time; what is missing of an item has a default, what is no item is left out", () => {
    const entries = [
      { content: "look", priority: "high", status: "completed" },
      { content: "no status" },
      { content: "from the future", priority: "urgent", status: "blocked" },
      "no object",
      { status: "pending" },
    ];
    expect(translateUpdate({ sessionUpdate: "plan", entries })).toEqual([
      {
        type: "plan",
        items: [
          { content: "look", priority: "high", status: "completed" },
          { content: "no status", priority: "medium", status: "pending" },
          { content: "from the future", priority: "urgent", status: "blocked" },
        ],
      },
    ]);
    expect(translateUpdate({ sessionUpdate: "plan", entries: [] })).toEqual([{ type: "plan", items: [] }]);
    expect(isKept({ sessionUpdate: "plan" })).toBe(true);
  });
});

describe("choices, commands, titles and usage", () => {
  it("a changed mode counts under either name of its field", () => {
    const chosen = [{ type: "option-chosen", category: "mode", value: "edits" }] as const;
    expect(translateUpdate({ sessionUpdate: "current_mode_update", currentModeId: "edits" })).toEqual([...chosen]);
    expect(translateUpdate({ sessionUpdate: "current_mode_update", modeId: "edits" })).toEqual([...chosen]);
    expect(isKept({ sessionUpdate: "current_mode_update" })).toBe(true);
  });

  it("options come as the whole list", () => {
    const option = { id: "fast", name: "Fast", type: "boolean", currentValue: true } as const;
    expect(translateUpdate({ sessionUpdate: "config_option_update", configOptions: [option] })).toEqual([
      { type: "options", options: [option] },
    ]);
    expect(translateUpdate({ sessionUpdate: "config_option_update", configOptions: [] })).toEqual([
      { type: "options", options: [] },
    ]);
    expect(isKept({ sessionUpdate: "config_option_update" })).toBe(true);
  });

  it("commands come as the whole list, and none is an empty one", () => {
    const availableCommands = [{ name: "memory show", description: "d" }];
    expect(translateUpdate({ sessionUpdate: "available_commands_update", availableCommands })).toEqual([
      { type: "commands", commands: [{ name: "memory show", description: "d" }] },
    ]);
    expect(isKept({ sessionUpdate: "available_commands_update", availableCommands: null })).toBe(true);
  });

  it("a title is news; session info without one, as codex and pi send, is not", () => {
    expect(translateUpdate({ sessionUpdate: "session_info_update", title: "Fix", updatedAt: "now" })).toEqual([
      { type: "title", title: "Fix" },
    ]);
    for (const info of [{ updatedAt: "now" }, { _meta: { piAcp: { running: true } } }, { title: null }])
      expect(translateUpdate({ sessionUpdate: "session_info_update", ...info })).toEqual([]);
  });

  it("(A13) usage tells the figures it has, and none that it has not", () => {
    const cost = { amount: 0.5, currency: "USD" };
    for (const usage of [{ used: 1, size: 2 }, { used: 1.5 }, { size: 2 }, { cost }, { used: 1, size: 2, cost }])
      expect(translateUpdate({ sessionUpdate: "usage_update", ...usage })).toEqual([{ type: "usage", usage }]);
    expect(translateUpdate({ sessionUpdate: "usage_update", used: 1.5, size: null, cost: null })).toEqual([
      { type: "usage", usage: { used: 1.5 } },
    ]);
    expect(isKept({ sessionUpdate: "usage_update", cost: { amount: 1 } })).toBe(true);
  });

  it("a notice is shown with its description; an unknown severity is no alarm", () => {
    const notice = { sessionUpdate: "notice", severity: "warning", title: "Low", description: "Credits" };
    expect(translateUpdate(notice)).toEqual([{ type: "notice", severity: "warning", content: "Low\nCredits" }]);
    expect(translateUpdate({ sessionUpdate: "notice", severity: "shouting" })).toEqual([
      { type: "notice", severity: "info", content: "Notice" },
    ]);
  });
});

describe("what no version of ours knows", () => {
  it.each<Json>([
    { sessionUpdate: "from_the_future", payload: { deep: [1, 2, 3] } },
    { sessionUpdate: "compaction_update", status: "in_progress" },
    { type: "agent_message_chunk", content: { type: "text", text: "wrong discriminator" } },
    { sessionUpdate: 7 },
    {},
    null,
    "words",
    [1],
  ])("is kept whole: %j", (update) => {
    expect(isKept(update)).toBe(true);
  });
});
