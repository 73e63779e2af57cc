import { expect, test } from "bun:test";
import packageJson from "../../package.json";
import { AgentDriver } from "./agent-driver.ts";
import { at, failureCode, type Message } from "./message.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

async function withAgent(
  use: (agent: AgentDriver, sessionId: string) => Promise<void>,
  clientCapabilities: object = {},
): Promise<void> {
  using directory = temporaryDirectory();
  await using agent = new AgentDriver({ directory: directory.path });
  await use(agent, await agent.open(clientCapabilities));
}

const END_TURN = { stopReason: "end_turn" };
const WORDS = (count: number) => Array.from({ length: count }, (_, index) => `w${index + 1}`).join(" ");

test("initialize returns the agent's name and its actual capabilities", async () => {
  using directory = temporaryDirectory();
  await using agent = new AgentDriver({ directory: directory.path });
  expect(await agent.initialize()).toEqual({
    protocolVersion: 1,
    agentInfo: { name: "liminal-guide", title: "Liminal Guide", version: packageJson.version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: false, sse: false },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
    },
    _meta: { steering: { supported: true } },
    authMethods: [],
  });
});

test("TC-3.2b help is a markdown page with a table that names every advertised command", async () => {
  await withAgent(async (agent, sessionId) => {
    const announced = await agent.waitForUpdate("available_commands_update");
    const commands = at(announced, "params", "update", "availableCommands");
    const names = Array.isArray(commands) ? commands.map((command) => String(at(command, "name"))) : [];
    expect(names).toEqual("help list read search edit run plan think ask image stream sleep all fail crash".split(" "));
    expect(await agent.prompt(sessionId, "help")).toEqual(END_TURN);
    const page = agent.text();
    expect(page).toContain("| --- | --- |");
    expect(page).toContain("```");
    for (const name of names) expect(page).toMatch(new RegExp(`^\\| \`${name}`, "m"));
    const from = agent.messages.length;
    await agent.prompt(sessionId, "/help");
    expect(agent.text(from)).toBe(page);
  });
});

test("TC-3.2a stream sends every numbered word once, in order, in chunks of one message", async () => {
  await withAgent(async (agent, sessionId) => {
    expect(await agent.prompt(sessionId, "stream 20000 words")).toEqual(END_TURN);
    expect(agent.text()).toBe(WORDS(20_000));
    const chunks = agent.updates().filter((update) => update["sessionUpdate"] === "agent_message_chunk");
    expect(chunks.length).toBeGreaterThan(1_000);
    expect(new Set(chunks.map((chunk) => chunk["messageId"])).size).toBe(1);
    expect(String(chunks[0]?.["messageId"])).toMatch(/^msg_/);
  });
});

test("stream at a rate keeps to it and sends one word per chunk", async () => {
  await withAgent(async (agent, sessionId) => {
    const startedAt = performance.now();
    await agent.prompt(sessionId, "stream 21 words at 100/s");
    expect(performance.now() - startedAt).toBeGreaterThan(180);
    expect(agent.text()).toBe(WORDS(21));
    expect(agent.updates().filter((update) => update["sessionUpdate"] === "agent_message_chunk")).toHaveLength(21);
  });
});

test("TC-3.4a think sends thoughts of one message before the answer", async () => {
  await withAgent(async (agent, sessionId) => {
    await agent.prompt(sessionId, "think");
    const kinds = agent.updates().map((update) => update["sessionUpdate"]);
    expect(kinds.slice(-2)).toEqual(["agent_thought_chunk", "agent_message_chunk"]);
    const thoughts = agent.updates().filter((update) => update["sessionUpdate"] === "agent_thought_chunk");
    expect(thoughts.length).toBeGreaterThan(1);
    expect(new Set(thoughts.map((thought) => thought["messageId"])).size).toBe(1);
  });
});

test("plan goes from pending to completed, each update with the whole plan", async () => {
  await withAgent(async (agent, sessionId) => {
    await agent.prompt(sessionId, "plan");
    const plans = agent.updates().filter((update) => update["sessionUpdate"] === "plan");
    const statuses = plans.map(({ entries }) =>
      Array.isArray(entries) ? entries.map((entry) => at(entry, "status")) : [],
    );
    expect(statuses).toEqual([
      ["in_progress", "pending", "pending"],
      ["completed", "in_progress", "pending"],
      ["completed", "completed", "in_progress"],
      ["completed", "completed", "completed"],
    ]);
  });
});

test("sleep lasts as long as asked", async () => {
  await withAgent(async (agent, sessionId) => {
    const startedAt = performance.now();
    expect(await agent.prompt(sessionId, "sleep 0.2")).toEqual(END_TURN);
    expect(performance.now() - startedAt).toBeGreaterThan(190);
  });
});

test("fail answers -32603 and the session continues", async () => {
  await withAgent(async (agent, sessionId) => {
    expect(await failureCode(agent.prompt(sessionId, "fail"))).toBe(-32603);
    expect(await agent.prompt(sessionId, "help")).toEqual(END_TURN);
  });
});

test("W-4 crash sends one chunk, then the process exits with 1", async () => {
  using directory = temporaryDirectory();
  await using agent = new AgentDriver({ directory: directory.path });
  const sessionId = await agent.open();
  agent.send({
    jsonrpc: "2.0",
    id: 99,
    method: "session/prompt",
    params: { sessionId, prompt: [{ type: "text", text: "crash" }] },
  });
  expect(await agent.ended()).toBe(1);
  expect(agent.text()).toBe("Crashing now.");
  expect(agent.messages.some((message) => message["id"] === 99)).toBe(false);
  expect(await agent.stderr).toContain("crashed");
});

test("image is a real PNG of the stated size", async () => {
  await withAgent(async (agent, sessionId) => {
    await agent.prompt(sessionId, "image");
    const image = agent.updates().find((update) => at(update, "content", "type") === "image");
    const png = Buffer.from(String(at(image, "content", "data")), "base64");
    expect(png.subarray(0, 8).toString("latin1")).toBe("\x89PNG\r\n\x1a\n");
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([160, 96]);
    const { inflateSync } = await import("node:zlib");
    const length = png.readUInt32BE(33);
    expect(inflateSync(png.subarray(41, 41 + length))).toHaveLength((160 * 3 + 1) * 96);
  });
});

test("W-9 ask shows a form if the client supports that, and otherwise says that it does not", async () => {
  await withAgent(async (agent, sessionId) => {
    await agent.prompt(sessionId, "ask");
    expect(agent.text()).toContain("cannot show forms");
  });
  await withAgent(
    async (agent, sessionId) => {
      const asked: Message[] = [];
      const replies = [
        { action: "accept", content: { name: "Ada", agents: 4 } },
        { action: "decline" },
        { action: "cancel" },
      ];
      agent.responders.set("elicitation/create", (params) => {
        asked.push(params);
        return replies[asked.length - 1];
      });
      for (const _ of replies) expect(await agent.prompt(sessionId, "ask")).toEqual(END_TURN);
      expect(asked[0]).toMatchObject({
        mode: "form",
        sessionId,
        requestedSchema: { type: "object", required: ["name"] },
      });
      expect(agent.text()).toContain('| name | `"Ada"` |');
      expect(agent.text()).toContain("you declined");
      expect(agent.text()).toContain("closed the form");
    },
    { elicitation: { form: {} } },
  );
});

test("W-9 ask url asks for a visit of its own page, and reports the visit", async () => {
  await withAgent(async (agent, sessionId) => {
    await agent.prompt(sessionId, "ask url");
    expect(agent.text()).toContain("cannot do that yet");
  });
  await withAgent(
    async (agent, sessionId) => {
      const asked: Message[] = [];
      agent.responders.set("elicitation/create", async (params) => {
        asked.push(params);
        if (asked.length > 1) return { action: "decline" };
        expect(await (await fetch(String(params["url"]))).text()).toContain("Thank you for coming");
        return { action: "accept" };
      });
      expect(await agent.prompt(sessionId, "ask url")).toEqual(END_TURN);
      expect(asked[0]).toMatchObject({ mode: "url", sessionId, url: expect.stringContaining("http://127.0.0.1:") });
      const done = agent.messages.find(({ method }) => method === "elicitation/complete");
      expect(done?.["params"]).toEqual({ elicitationId: asked[0]?.["elicitationId"] });
      expect(agent.text()).toContain("You have been there");
      expect(await agent.prompt(sessionId, "ask url")).toEqual(END_TURN);
      expect(agent.text()).toContain("unvisited");
    },
    { elicitation: { url: {} } },
  );
});

test("anything else gets a short answer with what it received and its features", async () => {
  await withAgent(async (agent, sessionId) => {
    await agent.prompt(sessionId, [
      { type: "text", text: "What do you make of these?" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "resource_link", uri: "file:///x/notes.md", name: "notes.md" },
      { type: "resource", resource: { uri: "file:///x/a.txt", text: "12345" } },
    ]);
    const answer = agent.text();
    expect(answer).toContain("an image (image/png, 3 bytes)");
    expect(answer).toContain("`notes.md`");
    expect(answer).toContain("with 5 characters");
    expect(answer).toContain("**`help`**");
    const from = agent.messages.length;
    await agent.prompt(sessionId, "stream a lot of words");
    expect(agent.text(from)).toContain("Did you mean `stream <n> words [at <m>/s]`");
  });
});

test("all sends one of every kind of update, the optional ones only where advertised", async () => {
  const always = [
    "user_message_chunk",
    "agent_thought_chunk",
    "agent_message_chunk",
    "available_commands_update",
    "config_option_update",
    "current_mode_update",
    "session_info_update",
    "plan",
    "tool_call",
    "tool_call_update",
    "usage_update",
  ];
  await withAgent(async (agent, sessionId) => {
    const from = agent.messages.length;
    await agent.prompt(sessionId, "all");
    expect(new Set(agent.updates(from).map((update) => String(update["sessionUpdate"])))).toEqual(new Set(always));
    expect(
      agent.updates(from).every((update) => update["sessionUpdate"] !== "session_info_update" || !("title" in update)),
    ).toBe(true);
    const blocks = agent.updates(from).map((update) => at(update, "content", "type"));
    for (const type of ["text", "image", "audio", "resource_link", "resource"]) expect(blocks).toContain(type);
  });
  await withAgent(
    async (agent, sessionId) => {
      const from = agent.messages.length;
      await agent.prompt(sessionId, "all");
      const kinds = new Set(agent.updates(from).map((update) => String(update["sessionUpdate"])));
      expect(kinds).toEqual(new Set([...always, "notice", "compaction_update", "compaction_summary_chunk"]));
    },
    { session: { notices: {}, compaction: {} } },
  );
});
