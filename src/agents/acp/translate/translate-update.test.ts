import { describe, expect, it, test } from "bun:test";
import type { AgentEvent } from "../../../ports/agents.ts";
import type { Json } from "../../../protocol/json.ts";
import { BlankStarts, OwnTerminals, ReplacedContent, translateUpdate } from "./translate-update.ts";

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

function said(...events: AgentEvent[]): string[] {
  const blanks = new BlankStarts();
  return events
    .filter((event) => !blanks.isBlank(event))
    .flatMap((event) => (event.type === "text" ? [event.text] : []));
}

function thought(text: string, messageId: string): AgentEvent {
  return { type: "text", kind: "thinking", text, messageId };
}

test("empty lines before a thought are left out, those inside it stay", () => {
  expect(said(thought("\n\n", "a"), thought("First.", "a"), thought("\n\n", "a"), thought("Second.", "a"))).toEqual([
    "First.",
    "\n\n",
    "Second.",
  ]);
});

test("empty lines before the next message are left out as well", () => {
  expect(said(thought("First.", "a"), thought("\n", "b"), thought("Second.", "b"))).toEqual(["First.", "Second."]);
});

test("what is said between two pieces makes the second a start, unless it is only news", () => {
  const plan: AgentEvent = { type: "plan", items: [] };
  const usage: AgentEvent = { type: "usage", usage: { used: 1, size: 2 } };
  expect(said(thought("One.", "a"), plan, thought("\n", "a"), thought("Two.", "a"))).toEqual(["One.", "Two."]);
  expect(said(thought("One.", "a"), usage, thought("\n", "a"), thought("Two.", "a"))).toEqual(["One.", "\n", "Two."]);
});

test("what is no text is never left out", () => {
  const blanks = new BlankStarts();
  const events: AgentEvent[] = [
    { type: "plan", items: [] },
    { type: "usage", usage: { used: 1, size: 2 } },
  ];
  expect(events.filter((event) => !blanks.isBlank(event))).toEqual(events);
});

type Update = { readonly [key: string]: Json };

/** What the updates of one call say of its output, in turn: a text replaces it, one after "+" is added to it. */
function terminalOutputs(...updates: Update[]): (string | undefined)[] {
  const terminals = new OwnTerminals();
  return updates.flatMap((fields) => {
    const update: Json = { sessionUpdate: "tool_call_update", toolCallId: "call", ...fields };
    return translateUpdate(update)
      .flatMap((event) => terminals.complete(event, update))
      .map((event) =>
        event.type === "tool-output" ? `+${event.text}` : event.type === "tool" ? event.patch.result : undefined,
      );
  });
}

function printed(data: string): Update {
  return { _meta: { terminal_output_delta: { terminal_id: "call", data } } };
}

test("what an agent's own terminal prints grows into the call's output, and its end keeps it", () => {
  const ended = { status: "completed", rawOutput: { output: "all over again" } };
  expect(terminalOutputs(printed("one\n"), printed("two\n"), ended)).toEqual(["one\n", "+two\n", undefined]);
});

test("an update that says nothing about output leaves it as it is", () => {
  expect(terminalOutputs(printed("one\n"), { title: "A better title" })).toEqual(["one\n", undefined]);
});

test("output that comes with the end counts", () => {
  expect(terminalOutputs({ status: "completed", _meta: { terminal_output: { data: "all of it" } } })).toEqual([
    "all of it",
  ]);
});

test("a command that fails without a word says its exit code", () => {
  expect(terminalOutputs({ status: "failed", _meta: { terminal_exit: { exit_code: 7 } } })).toEqual(["Exit code 7"]);
});

test("X-7 endless output travels once, piece by piece, also after the call's end", () => {
  const many = "x".repeat(400_000);
  const results = terminalOutputs(printed(many), printed(many), { status: "completed" }, printed("late"));
  expect(results.map((result) => result?.length)).toEqual([400_000, 400_001, undefined, 5]);
});

test("the terminal itself is no part of the call, and fences around output are not output", () => {
  const [event] = translateUpdate({
    sessionUpdate: "tool_call",
    toolCallId: "call",
    title: "ls",
    content: [
      { type: "terminal", terminalId: "call" },
      { type: "content", content: { type: "text", text: "```console\na\n```" } },
    ],
  });
  expect(event).toMatchObject({ type: "tool", patch: { name: "ls", result: "a" } });
  expect(event).not.toHaveProperty("patch.parts");
});

test("a tool's own name does not replace the title of a call that was presented", () => {
  const [event] = translateUpdate({ sessionUpdate: "tool_call_update", toolCallId: "call", name: "exec_command" });
  expect(event).not.toHaveProperty("patch.name");
});

const TEXT = [{ type: "content", content: { type: "text", text: "about to run" } }];

function outputs(...updates: { readonly [key: string]: Json }[]): (string | undefined)[] {
  const content = new ReplacedContent();
  return updates.flatMap((fields) => {
    const update: Json = { sessionUpdate: "tool_call_update", toolCallId: "call", ...fields };
    return translateUpdate(update).map((event) => {
      const completed = content.complete(event, update);
      return completed.type === "tool" ? completed.patch.result : undefined;
    });
  });
}

test("an empty content takes away the text that was shown", () => {
  expect(outputs({ content: TEXT }, { status: "completed", content: [] })).toEqual(["about to run", ""]);
});

test("an update without content takes nothing away, and an empty one only what was there", () => {
  expect(outputs({ content: TEXT }, { status: "completed" })).toEqual(["about to run", undefined]);
  expect(outputs({ content: [] }, { status: "completed", content: [] })).toEqual([undefined, undefined]);
});
