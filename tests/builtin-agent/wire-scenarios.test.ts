import { expect, test } from "bun:test";
import { AgentDriver, NO_ANSWER } from "./agent-driver.ts";
import { at, RpcFailure } from "./message.ts";
import { peakMemoryBytes } from "./process-watch.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

const END_TURN = { stopReason: "end_turn" };
const ALLOWED = { outcome: { outcome: "selected", optionId: "allow-once" } };

/** A healthy agent with a session open: here scenarios are played because a prompt says so. */
async function withAgent(use: (agent: AgentDriver, sessionId: string, from: number) => Promise<void>): Promise<void> {
  using directory = temporaryDirectory();
  await using agent = new AgentDriver({ directory: directory.path });
  const sessionId = await agent.open();
  await agent.waitForUpdate("available_commands_update");
  await use(agent, sessionId, agent.messages.length);
}

test("junk-output: non-objects and blanks between whole updates", async () => {
  await withAgent(async (agent, sessionId) => {
    expect(await agent.prompt(sessionId, "scenario junk-output")).toEqual(END_TURN);
    expect(agent.text()).toBe("j1 j2 j3 j4 j5 j6 j7 j8 j9 ");
    const junk = agent.lines.filter((line) => !line.startsWith('{"'));
    expect(junk).toEqual([
      "plain words",
      "",
      "[1,2,3]",
      '["batch",{"jsonrpc":"2.0"}]',
      '"a string"',
      "42",
      "null",
      "{not json",
      "   ",
    ]);
  });
});

test("burst: 200 updates and the result, in order and small enough for one write", async () => {
  using directory = temporaryDirectory();
  const trace = `${directory.path}/trace`;
  await using agent = new AgentDriver({ directory: directory.path, env: { LIMINAL_GUIDE_RECORD: trace } });
  const sessionId = await agent.open();
  const from = agent.messages.length;
  expect(await agent.prompt(sessionId, "scenario burst")).toEqual(END_TURN);
  const burst = agent.messages
    .slice(from)
    .filter(({ params }) => at(params, "update", "sessionUpdate") !== "available_commands_update");
  expect(burst).toHaveLength(201);
  expect(agent.text(from)).toBe(Array.from({ length: 200 }, (_, index) => `b${index + 1} `).join(""));
  expect(burst.at(-1)).toMatchObject({ result: END_TURN });
  expect(Buffer.byteLength(burst.map((message) => `${JSON.stringify(message)}\n`).join(""))).toBeLessThan(64 * 1024);
});

test("huge-line: one line of 64 MiB, whole, between two small ones, without as much memory", async () => {
  await withAgent(async (agent, sessionId) => {
    expect(await agent.prompt(sessionId, "scenario huge-line")).toEqual(END_TURN);
    const text = agent.text();
    expect(text).toStartWith("Before the huge line. xxx");
    expect(text).toEndWith("xxxAfter the huge line.");
    expect(text.length).toBe(64 * 1024 * 1024 + "Before the huge line. After the huge line.".length);
    expect(peakMemoryBytes(agent.pid)).toBeLessThan(64 * 1024 * 1024);
  });
}, 30_000);

test("empty-chunks: empties around the text", async () => {
  await withAgent(async (agent, sessionId, from) => {
    await agent.prompt(sessionId, "scenario empty-chunks");
    expect(agent.updates(from).map((update) => at(update, "content", "text"))).toEqual([
      "",
      "Between ",
      "",
      "",
      "",
      "emptiness.",
    ]);
  });
});

test("late-updates: a chunk and a tool's end after the result", async () => {
  await withAgent(async (agent, sessionId, from) => {
    expect(await agent.prompt(sessionId, "scenario late-updates")).toEqual(END_TURN);
    await agent.waitFor((message) => at(message, "params", "update", "status") === "completed", from);
    const order = agent.messages
      .slice(from)
      .map((message) => at(message, "params", "update", "sessionUpdate") ?? "result");
    expect(order).toEqual(["agent_message_chunk", "tool_call", "result", "agent_message_chunk", "tool_call_update"]);
    const chunks = agent.updates(from).filter((update) => update["sessionUpdate"] === "agent_message_chunk");
    expect(chunks[0]?.["messageId"]).toBe(chunks[1]?.["messageId"]);
  });
});

test("W-2 missing-stop-reason: the result is empty", async () => {
  await withAgent(async (agent, sessionId) => {
    expect(await agent.prompt(sessionId, "scenario missing-stop-reason")).toEqual({});
  });
});

test("never-ending-cancel: deaf to session/cancel, released by the next prompt, the old answer first", async () => {
  await withAgent(async (agent, sessionId, from) => {
    const turn = agent.prompt(sessionId, "scenario never-ending-cancel");
    await agent.waitForUpdate("agent_message_chunk", from);
    agent.notify("session/cancel", { sessionId });
    agent.notify("session/cancel", { sessionId });
    await agent.request("session/list", {});
    const before = agent.messages.length;
    const next = agent.prompt(sessionId, "stream 2 words");
    expect(await turn).toEqual({ stopReason: "cancelled" });
    expect(await next).toEqual(END_TURN);
    expect(agent.messages[before]).toMatchObject({ result: { stopReason: "cancelled" } });
  });
});

test("never-ending-cancel: released by $/cancel_request", async () => {
  await withAgent(async (agent, sessionId, from) => {
    const params = { sessionId, prompt: [{ type: "text", text: "scenario never-ending-cancel" }] };
    const turn = agent.requestWithId("deaf", "session/prompt", params);
    await agent.waitForUpdate("agent_message_chunk", from);
    agent.notify("session/cancel", { sessionId });
    agent.notify("$/cancel_request", { requestId: "deaf" });
    expect(await turn).toEqual({ stopReason: "cancelled" });
  });
});

test("duplicate-tool-call, unknown-tool-update and open-tool", async () => {
  await withAgent(async (agent, sessionId) => {
    const played = async (name: string) => {
      const from = agent.messages.length;
      expect(await agent.prompt(sessionId, `scenario ${name}`)).toEqual(END_TURN);
      const updates = agent.updates(from).filter((update) => "toolCallId" in update);
      expect(new Set(updates.map((update) => update["toolCallId"])).size).toBe(1);
      return updates.map((update) => `${update["sessionUpdate"]} ${update["status"]}`);
    };
    expect(await played("duplicate-tool-call")).toEqual([
      "tool_call in_progress",
      "tool_call pending",
      "tool_call_update completed",
    ]);
    expect(await played("unknown-tool-update")).toEqual(["tool_call_update in_progress", "tool_call_update completed"]);
    expect(await played("open-tool")).toEqual(["tool_call in_progress"]);
  });
});

test("odd-updates: what the schema forbids, on the wire but not in the history", async () => {
  await withAgent(async (agent, sessionId, from) => {
    await agent.prompt(sessionId, "scenario odd-updates");
    const updates = agent.messages.slice(from).map((message) => at(message, "params", "update"));
    expect(updates).toContainEqual({ sessionUpdate: "current_mode_update", modeId: "edits" });
    expect(updates).toContainEqual({ sessionUpdate: "agent_message_chunk", content: { type: "hologram", data: "…" } });
    expect(updates).toContainEqual({});
    expect(
      updates.some((update) => at(update, "sessionUpdate") === "tool_call" && at(update, "title") === undefined),
    ).toBe(true);
    const replayed = agent.messages.length;
    await agent.request("session/load", { sessionId, cwd: agent.cwd, mcpServers: [] });
    // The commands come with the answer or after it.
    const shown = agent
      .updates(replayed)
      .filter((update) => update["sessionUpdate"] !== "available_commands_update")
      .map((update) => at(update, "content", "text"));
    expect(shown).toEqual(["scenario odd-updates", "Still here."]);
  });
});

test("echo-user: the prompt comes back as user_message_chunk", async () => {
  await withAgent(async (agent, sessionId, from) => {
    await agent.prompt(sessionId, "scenario echo-user");
    expect(agent.text(from, "user_message_chunk")).toBe("scenario echo-user");
  });
});

test("permission-unknown-tool and two-permissions", async () => {
  await withAgent(async (agent, sessionId) => {
    const asked = agent.answerPermissions("allow-once");
    await agent.prompt(sessionId, "scenario permission-unknown-tool");
    expect(agent.tools()).toEqual([]);
    expect(asked[0]).toMatchObject({ toolCall: { title: "Unannounced" } });
    expect(agent.text()).toContain('"optionId":"allow-once"');
    const open: unknown[] = [];
    agent.responders.set("session/request_permission", (_, id) => {
      open.push(id);
      if (open.length === 2)
        for (const later of open.toReversed()) agent.send({ jsonrpc: "2.0", id: later, result: ALLOWED });
      return NO_ANSWER;
    });
    expect(await agent.prompt(sessionId, "scenario two-permissions")).toEqual(END_TURN);
    expect(agent.tools().map((tool) => tool["status"])).toEqual(["completed", "completed"]);
  });
});

test("withdrawn-permission: $/cancel_request, and the client's answer is shown", async () => {
  await withAgent(async (agent, sessionId, from) => {
    agent.responders.set("session/request_permission", async () => {
      const withdrawn = await agent.waitFor(({ method }) => method === "$/cancel_request", from);
      expect(withdrawn).toMatchObject({ params: { requestId: "withdrawn-question" } });
      throw new RpcFailure(-32800, "Request cancelled");
    });
    expect(await agent.prompt(sessionId, "scenario withdrawn-permission")).toEqual(END_TURN);
    expect(agent.text()).toContain("Answer after withdrawal: error -32800");
  });
});

test("string-ids and odd-ids: every legal id is used and its answer understood", async () => {
  await withAgent(async (agent, sessionId) => {
    const ids: unknown[] = [];
    agent.responders.set("session/request_permission", (_, id) => {
      ids.push(id);
      return ALLOWED;
    });
    await agent.prompt(sessionId, "scenario odd-ids");
    expect(ids).toEqual(["question-1", "", "null", "0", 0, -7, 1.5, null]);
    expect(agent.text().match(/allow-once/g)).toHaveLength(8);
    await agent.prompt(sessionId, "scenario string-ids");
    await agent.prompt(sessionId, "run true");
    expect(ids.at(-1)).toMatch(/^guide-request-\d+$/);
    expect(agent.tools()).toMatchObject([{ status: "completed" }]);
  });
});

test("unknown-request and files-outside: the client's answer is shown", async () => {
  await withAgent(async (agent, sessionId) => {
    await agent.prompt(sessionId, "scenario unknown-request");
    expect(agent.messages).toContainEqual(
      expect.objectContaining({ method: "craft/drainMidTurnQueue", params: { sessionId } }),
    );
    expect(agent.text()).toContain("Answer: error -32601");
    agent.responders.set("fs/read_text_file", () => {
      throw new RpcFailure(-32602, "outside");
    });
    await agent.prompt(sessionId, "scenario files-outside");
    expect(agent.text()).toContain("read: error -32602");
    expect(agent.text()).toMatch(/write \/.*outside_.*: error -32601/);
  });
});
