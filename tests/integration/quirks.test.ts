import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { ONCE_OPTIONS } from "./asking-agent.ts";
import { chunk, script, scriptedAgent } from "./scripted-agent.ts";
import { startTalk, type Talk } from "./talk.ts";

// Every row of docs/agent-quirks.md that no test elsewhere proves; one server plays them all, each in a session of its own.

const END = { end: "end_turn" };

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ agents: { scripted: scriptedAgent() } });
});

afterAll(() => server[Symbol.asyncDispose]());

type Step = Parameters<typeof script>[number];
const update = (sessionUpdate: string, more: object): Step => ({ update: { sessionUpdate, ...more } });
const tool = (toolCallId: string, more: object) => update("tool_call", { toolCallId, ...more });
const toolUpdate = (toolCallId: string, more: object) => update("tool_call_update", { toolCallId, ...more });
const question = (toolCall: object): Step => ({
  ask: { id: "question", method: "session/request_permission", params: { toolCall, options: ONCE_OPTIONS } },
});

/** A session in which the agent has played these steps to the end of its turn. */
async function played(...steps: Step[]): Promise<Talk> {
  const talk = await startTalk(server, "scripted");
  await talk.say(script(...steps));
  return talk;
}

/** The turn did no harm: the next one works, and nothing spins or asks. */
async function expectGoesOn(talk: Talk): Promise<void> {
  const before = talk.answer;
  await talk.say(script(chunk(" Next."), END));
  expect(talk.answer).toBe(`${before} Next.`);
  expect(talk.state).toMatchObject({ turn: { state: "idle", stopReason: "end_turn" }, pending: [] });
  expect(talk.tools.filter(({ status }) => status === "running")).toEqual([]);
}

test("quirk: a call announced as pending after it was in progress is one call in its place", async () => {
  const talk = await played(
    toolUpdate("t", { status: "in_progress" }),
    chunk("While it runs."),
    tool("t", { title: "Edit a.ts", status: "pending" }),
    toolUpdate("t", { status: "completed", rawOutput: { output: "done" } }),
    END,
  );
  expect(talk.shape).toEqual(["user", "tool-call", "assistant"]);
  expect(talk.tools).toMatchObject([{ name: "Edit a.ts", status: "complete", result: "done" }]);
  await expectGoesOn(talk);
});

test("quirk: a diff that only the question shows stays with its call", async () => {
  const talk = await startTalk(server, "scripted");
  const content = [{ type: "diff", path: "/a.ts", oldText: "", newText: "new" }];
  await talk.send(
    script(question({ toolCallId: "t", title: "Write", content }), toolUpdate("t", { status: "completed" }), END),
  );
  expect((await talk.asked()).toolCall).toMatchObject({ name: "Write", parts: content });
  await talk.answerWith("once");
  await talk.untilTurnsEnded(1);
  expect(talk.tools).toMatchObject([{ name: "Write", status: "complete", parts: content }]);
});

test.each(["cancelled", "end_turn"])(
  "quirk: a call left open after a reject and a turn that ends as %s does not spin",
  async (end) => {
    const talk = await startTalk(server, "scripted");
    const call = { toolCallId: "t", title: "Run", status: "in_progress" };
    await talk.send(script(update("tool_call", call), question(call), { end }));
    await talk.answerWith("no");
    const { turn } = await talk.untilTurnsEnded(1);
    expect<string | undefined>(turn.stopReason).toBe(end);
    expect(talk.tools.map(({ status }) => status)).not.toContain("running");
    await expectGoesOn(talk);
  },
);

test("quirk: a final message that is repeated is kept as it was sent", async () => {
  const talk = await played(
    chunk("All done."),
    update("current_mode_update", { currentModeId: "x" }),
    chunk("All done."),
    END,
  );
  expect(talk.answer).toBe("All done.All done.");
});

test("quirk: text streamed again from the start after a dropped connection is kept as it was sent", async () => {
  const talk = await played(
    chunk("One ", "m1"),
    chunk("two", "m1"),
    chunk("One ", "m2"),
    chunk("two three", "m2"),
    END,
  );
  expect(talk.answer).toBe("One twoOne two three");
  expect(talk.shape).toEqual(["user", "assistant", "assistant"]);
});

test("quirk: mode and options repeated in every turn make no entry, and no fact when nothing changed", async () => {
  const configOptions = [
    {
      id: "mode",
      name: "Mode",
      category: "mode",
      type: "select",
      currentValue: "on",
      options: [{ value: "on", name: "On" }],
    },
  ];
  const again = [
    update("current_mode_update", { currentModeId: "on" }),
    update("config_option_update", { configOptions }),
  ];
  const talk = await played(update("config_option_update", { configOptions }), END);
  const mark = talk.client.mark();
  await talk.say(script(...again, chunk("Hello."), ...again, END));
  expect(talk.client.all("session:config", mark)).toEqual([]);
  expect(talk.state.config.options).toMatchObject(configOptions);
  expect(talk.shape).toEqual(["user", "user", "assistant"]);
});

test.each([400, 401, 500, -32002, -32602, -32603])(
  "quirk: a prompt that fails with code %d fails its turn in the agent's words",
  async (code) => {
    const talk = await played(chunk("Half."), { fail: { code, message: "The model is gone." } });
    expect(talk.state.turn).toMatchObject({
      stopReason: "error",
      error: { message: expect.stringContaining("The model is gone.") },
    });
    expect(talk.answer).toBe("Half.");
    await expectGoesOn(talk);
  },
);

test.each<[string, Step]>([
  ["end_turn", END],
  ["an error", { fail: { code: -32603, message: "Aborted" } }],
  ["request cancelled", { fail: { code: -32800, message: "Request cancelled" } }],
  ["nothing", { answer: null }],
])("quirk: our own cancel answered by %s is a cancel", async (_, answer) => {
  const talk = await startTalk(server, "scripted");
  await talk.send(script({ onCancel: [answer] }, chunk("Working.")));
  await talk.untilAnswer("Working.");
  await talk.cancel();
  const { turn } = await talk.untilTurnsEnded(1);
  expect(turn.stopReason).toBe("cancelled");
  expect(turn.error).toBeUndefined();
  await expectGoesOn(talk);
});

test("quirk: a question that is taken back after our cancel has answered it already harms nothing", async () => {
  const talk = await startTalk(server, "scripted");
  const takenBack = { send: { method: "$/cancel_request", params: { requestId: "question" } } };
  await talk.send(script({ onCancel: [takenBack, { end: "cancelled" }] }, question({ toolCallId: "t", title: "Run" })));
  await talk.asked();
  await talk.cancel();
  const { turn, pending } = await talk.untilTurnsEnded(1);
  expect({ reason: turn.stopReason, pending }).toEqual({ reason: "cancelled", pending: [] });
  expect(talk.answer).toBe('{"outcome":{"outcome":"cancelled"}}');
  await expectGoesOn(talk);
});

test("quirk: a request outside the protocol in the middle of a turn gets -32601, and the agent continues", async () => {
  const talk = await played({ ask: { id: "drain", method: "craft/drainMidTurnQueue" } }, chunk(" On."), END);
  expect(talk.answer).toContain('"code":-32601');
  expect(talk.answer.endsWith(" On.")).toBe(true);
});

test("quirk: unknown notifications, with an underscore or without, are ignored", async () => {
  const talk = await played(
    { send: { method: "craft/status" } },
    { send: { method: "_craft/status" } },
    { send: { method: "$/progress" } },
    chunk("Heard."),
    END,
  );
  expect(talk.shape).toEqual(["user", "assistant"]);
  await expectGoesOn(talk);
});

test("quirk: an error for no request, and an answer to a request we never made, are passed over", async () => {
  const talk = await played(
    { line: '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}' },
    { line: '{"jsonrpc":"2.0","id":"nobody","result":null}' },
    { line: "Loading plugins..." },
    { line: "[1,2]" },
    chunk("Heard."),
    END,
  );
  expect(talk.answer).toBe("Heard.");
  await expectGoesOn(talk);
});

test("quirk: a command list of half a megabyte in one line is bounded and costs no text", async () => {
  const availableCommands = Array.from({ length: 900 }, (_, index) => ({
    name: `c${index}`,
    description: "d".repeat(620),
  }));
  const talk = await played(update("available_commands_update", { availableCommands }), chunk("Hello."), END);
  await talk.until("the commands", ({ config }) => config.commands.length > 0);
  expect(talk.state.config.commands.length).toBe(500);
  expect(talk.answer).toBe("Hello.");
});

test("quirk: usage before the text makes no entry and is there at the end", async () => {
  const talk = await played(update("usage_update", { used: 10, size: 100 }), chunk("Hello."), END);
  expect(talk.shape).toEqual(["user", "assistant"]);
  expect(talk.state.config.usage).toMatchObject({ used: 10, size: 100 });
});

test("quirk: a title that comes after the prompt's answer is taken, and starts no turn", async () => {
  const talk = await played(chunk("Hello."), END, update("session_info_update", { title: "Late title" }));
  await talk.until("the title", ({ title }) => title === "Late title");
  expect(talk.state.turn).toMatchObject({ state: "idle", stopReason: "end_turn" });
});

test("quirk: diffs of new files and with relative paths are shown as they are, whatever represents a missing old text", async () => {
  const diff = { type: "diff", path: "src/a.ts", newText: "new" };
  const content = [diff, { ...diff, oldText: null }, { ...diff, oldText: "" }];
  const talk = await played(tool("t", { title: "Edit", status: "completed", content }), END);
  expect(talk.tools[0]?.parts).toEqual(
    [null, null, ""].map((oldText) => ({ type: "diff", path: "src/a.ts", oldText, newText: "new" })),
  );
});

test("quirk: a terminal that names none of ours is kept, and the call ends like any other", async () => {
  const content = [{ type: "terminal", terminalId: "not-of-this-client" }];
  const talk = await played(
    tool("t", { title: "Run", status: "in_progress", content }),
    toolUpdate("t", { status: "completed", rawOutput: { output: "text" } }),
    END,
  );
  expect(talk.tools).toMatchObject([{ status: "complete", result: "text", parts: content }]);
  await expectGoesOn(talk);
});

test("quirk: output that comes only in raw form is the call's output", async () => {
  const talk = await played(
    tool("t", { title: "Run", status: "completed", rawOutput: { query: "ls", result: 3 } }),
    tool("u", { title: "Run", status: "failed", rawOutput: "exit 1" }),
    END,
  );
  expect(talk.tools.map(({ result }) => result)).toEqual([
    JSON.stringify({ query: "ls", result: 3 }, null, 2),
    "exit 1",
  ]);
});
