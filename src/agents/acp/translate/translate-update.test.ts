import { describe, expect, it, test } from "bun:test";
import type { AgentEvent } from "../../../ports/agents.ts";
import type { Json } from "../../../protocol/json.ts";
import { BlankStarts, OwnTerminals, ReplacedContent, translateUpdate } from "./translate-update.ts";

const text = (words: string) => ({ type: "text", text: words });

/** Kept for a later version, not shown. */
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
  it("of a sub-agent name their parent call", () => {
    const _meta = { claudeCode: { parentToolUseId: "task-1" } };
    expect(translateUpdate({ sessionUpdate: "agent_message_chunk", content: text("hi"), _meta })).toEqual([
      { type: "text", kind: "assistant", text: "hi", parentToolCallId: "task-1" },
    ]);
  });

  it.each([
    ["agent_message_chunk", "assistant"],
    ["agent_thought_chunk", "thinking"],
    ["user_message_chunk", "user"],
  ] as const)("%s is text of the kind %s, with the message's id if present", (sessionUpdate, kind) => {
    expect(translateUpdate({ sessionUpdate, content: text("hi") })).toEqual([{ type: "text", kind, text: "hi" }]);
    expect(translateUpdate({ sessionUpdate, content: text("hi"), messageId: "m", _meta: { x: 1 } })).toEqual([
      { type: "text", kind, text: "hi", messageId: "m" },
    ]);
  });

  it("content other than text is a part at its position", () => {
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

  it("a message id of another type is ignored", () => {
    const update = { sessionUpdate: "agent_message_chunk", content: text("x"), messageId: 7 };
    expect(translateUpdate(update)).toEqual([{ type: "text", kind: "assistant", text: "x" }]);
  });

  it.each<Json>([
    { sessionUpdate: "agent_message_chunk" },
    { sessionUpdate: "agent_message_chunk", content: null },
    { sessionUpdate: "agent_message_chunk", content: "bare words" },
    { sessionUpdate: "agent_message_chunk", content: [{ type: "text", text: "in a list" }] },
  ])("a chunk with unreadable content is kept: %j", (update) => {
    expect(isKept(update)).toBe(true);
  });
});

describe("tool calls", () => {
  it("`tool_call` announces a call, `tool_call_update` adds to one", () => {
    const call = { toolCallId: "1", title: "Read", status: "pending" };
    const patch = { toolCallId: "1", name: "Read", status: "running" } as const;
    expect(translateUpdate({ sessionUpdate: "tool_call", ...call })).toEqual([
      { type: "tool", patch: { ...patch, announced: true } },
    ]);
    expect(translateUpdate({ sessionUpdate: "tool_call_update", ...call })).toEqual([
      { type: "tool", patch: { ...patch, announced: false } },
    ]);
  });

  it("a call without an id is kept as unknown", () => {
    expect(isKept({ sessionUpdate: "tool_call_update", status: "completed" })).toBe(true);
    expect(isKept({ sessionUpdate: "tool_call", toolCallId: 7, title: "x" })).toBe(true);
  });
});

describe("plans", () => {
  it("each update is the whole plan; missing item fields get defaults, and other values are dropped", () => {
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

describe("options, commands, titles and usage", () => {
  it("a changed mode is read from either name of its field", () => {
    const chosen = [{ type: "option-chosen", category: "mode", value: "edits" }] as const;
    expect(translateUpdate({ sessionUpdate: "current_mode_update", currentModeId: "edits" })).toEqual([...chosen]);
    expect(translateUpdate({ sessionUpdate: "current_mode_update", modeId: "edits" })).toEqual([...chosen]);
    expect(isKept({ sessionUpdate: "current_mode_update" })).toBe(true);
  });

  it("options are the whole list", () => {
    const option = { id: "fast", name: "Fast", type: "boolean", currentValue: true } as const;
    expect(translateUpdate({ sessionUpdate: "config_option_update", configOptions: [option] })).toEqual([
      { type: "options", options: [option] },
    ]);
    expect(translateUpdate({ sessionUpdate: "config_option_update", configOptions: [] })).toEqual([
      { type: "options", options: [] },
    ]);
    expect(isKept({ sessionUpdate: "config_option_update" })).toBe(true);
  });

  it("commands are the whole list, which may be empty", () => {
    const availableCommands = [{ name: "memory show", description: "d" }];
    expect(translateUpdate({ sessionUpdate: "available_commands_update", availableCommands })).toEqual([
      { type: "commands", commands: [{ name: "memory show", description: "d" }] },
    ]);
    expect(isKept({ sessionUpdate: "available_commands_update", availableCommands: null })).toBe(true);
  });

  it("a title is an event; session info without one, as codex and pi send, is not", () => {
    expect(translateUpdate({ sessionUpdate: "session_info_update", title: "Fix", updatedAt: "now" })).toEqual([
      { type: "title", title: "Fix" },
    ]);
    for (const info of [{ updatedAt: "now" }, { _meta: { piAcp: { running: true } } }, { title: null }])
      expect(translateUpdate({ sessionUpdate: "session_info_update", ...info })).toEqual([]);
  });

  it("(A13) usage has the reported figures, and no others", () => {
    const cost = { amount: 0.5, currency: "USD" };
    for (const usage of [{ used: 1, size: 2 }, { used: 1.5 }, { size: 2 }, { cost }, { used: 1, size: 2, cost }])
      expect(translateUpdate({ sessionUpdate: "usage_update", ...usage })).toEqual([{ type: "usage", usage }]);
    expect(translateUpdate({ sessionUpdate: "usage_update", used: 1.5, size: null, cost: null })).toEqual([
      { type: "usage", usage: { used: 1.5 } },
    ]);
    expect(isKept({ sessionUpdate: "usage_update", cost: { amount: 1 } })).toBe(true);
  });

  it("a notice has its description; an unknown severity is informational", () => {
    const notice = { sessionUpdate: "notice", severity: "warning", title: "Low", description: "Credits" };
    expect(translateUpdate(notice)).toEqual([{ type: "notice", severity: "warning", content: "Low\nCredits" }]);
    expect(translateUpdate({ sessionUpdate: "notice", severity: "shouting" })).toEqual([
      { type: "notice", severity: "info", content: "Notice" },
    ]);
  });
});

describe("unknown updates", () => {
  it.each<Json>([
    { sessionUpdate: "from_the_future", payload: { deep: [1, 2, 3] } },
    { sessionUpdate: "compaction_update", status: "in_progress" },
    { type: "agent_message_chunk", content: { type: "text", text: "wrong discriminator" } },
    { sessionUpdate: 7 },
    {},
    null,
    "words",
    [1],
  ])("are kept unchanged: %j", (update) => {
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

test("empty lines before a thought are dropped, those inside it stay", () => {
  expect(said(thought("\n\n", "a"), thought("First.", "a"), thought("\n\n", "a"), thought("Second.", "a"))).toEqual([
    "First.",
    "\n\n",
    "Second.",
  ]);
});

test("empty lines before the next message are dropped, too", () => {
  expect(said(thought("First.", "a"), thought("\n", "b"), thought("Second.", "b"))).toEqual(["First.", "Second."]);
});

test("content between two pieces makes the second one a start, unless it is only state", () => {
  const plan: AgentEvent = { type: "plan", items: [] };
  const usage: AgentEvent = { type: "usage", usage: { used: 1, size: 2 } };
  expect(said(thought("One.", "a"), plan, thought("\n", "a"), thought("Two.", "a"))).toEqual(["One.", "Two."]);
  expect(said(thought("One.", "a"), usage, thought("\n", "a"), thought("Two.", "a"))).toEqual(["One.", "\n", "Two."]);
});

test("content other than text is never dropped", () => {
  const blanks = new BlankStarts();
  const events: AgentEvent[] = [
    { type: "plan", items: [] },
    { type: "usage", usage: { used: 1, size: 2 } },
  ];
  expect(events.filter((event) => !blanks.isBlank(event))).toEqual(events);
});

type Update = { readonly [key: string]: Json };

/** The output after each update of one call: a text replaces it, one after "+" is appended. */
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

test("output of an agent's own terminal is appended to the call's output, and its end keeps it", () => {
  const ended = { status: "completed", rawOutput: { output: "all over again" } };
  expect(terminalOutputs(printed("one\n"), printed("two\n"), ended)).toEqual(["one\n", "+two\n", undefined]);
});

test("an update without output leaves it unchanged", () => {
  expect(terminalOutputs(printed("one\n"), { title: "A better title" })).toEqual(["one\n", undefined]);
});

test("output in the final update counts", () => {
  expect(terminalOutputs({ status: "completed", _meta: { terminal_output: { data: "all of it" } } })).toEqual([
    "all of it",
  ]);
});

test("a command that fails without output shows its exit code", () => {
  expect(terminalOutputs({ status: "failed", _meta: { terminal_exit: { exit_code: 7 } } })).toEqual(["Exit code 7"]);
});

test("X-7 endless output is sent once, in pieces, also after the call's end", () => {
  const many = "x".repeat(400_000);
  const results = terminalOutputs(printed(many), printed(many), { status: "completed" }, printed("late"));
  expect(results.map((result) => result?.length)).toEqual([400_000, 400_001, undefined, 5]);
});

test("the terminal is not a part of the call, and code fences are removed from output", () => {
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

test("a tool's own name does not replace the title of an announced call", () => {
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

test("an empty content clears the text that was shown", () => {
  expect(outputs({ content: TEXT }, { status: "completed", content: [] })).toEqual(["about to run", ""]);
});

test("an update without content clears nothing, and an empty one only existing output", () => {
  expect(outputs({ content: TEXT }, { status: "completed" })).toEqual(["about to run", undefined]);
  expect(outputs({ content: [] }, { status: "completed", content: [] })).toEqual([undefined, undefined]);
});
