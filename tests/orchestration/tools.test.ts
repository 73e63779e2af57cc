import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { sessionMention } from "../../src/protocol/session-mention.ts";
import { startTalk, type Talk } from "../integration/talk.ts";
import { guideWith, startTestServer, type TestServer } from "../support/test-server.ts";
import { McpCaller, sessionToken } from "./mcp-caller.ts";

const TOOLS = [
  ...["create_coding_agent", "send_agent_prompt", "get_agent_status", "list_agents", "cancel_agent", "kill_agent"],
  ...[
    "wait_for_agents",
    "get_agent_output",
    "get_agent_changes",
    "answer_agent",
    "read_conversation",
    "search_sessions",
    "list_agent_kinds",
  ],
];

let server: TestServer;
let talk: Talk;
let caller: McpCaller;
beforeAll(async () => {
  server = await startTestServer({
    agents: { free: { ...guideWith(), permissions: "all" } },
  });
  talk = await startTalk(server, "builtin");
  caller = await McpCaller.overHttp(server, sessionToken(server, talk.sessionId));
});
afterAll(async () => {
  await caller[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function withChild<Result>(plan: string | undefined, act: (agentId: string) => Promise<Result>): Promise<Result> {
  const agentId = await caller.create({ ...(plan !== undefined && { plan }) });
  try {
    return await act(agentId);
  } finally {
    await caller.call("kill_agent", { agentId });
  }
}

describe("O-1 the tools", () => {
  test("are all there, each with a schema of its result, and each takes an idempotency key", async () => {
    const { tools } = await caller.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS);
    for (const { inputSchema, outputSchema, description } of tools) {
      expect(Object.keys(inputSchema.properties ?? {})).toContain("idempotencyKey");
      expect(outputSchema).toBeDefined();
      expect(description?.length ?? 0).toBeGreaterThan(20);
    }
  });

  test("create_coding_agent makes an agent of the caller's own kind in its project, idle without a plan", () =>
    withChild(undefined, async (agentId) => {
      const { status, outcome, cliType, cwd, parentId } = await caller.info(agentId);
      expect({ status, outcome, cliType, parentId }).toEqual({
        ...{ status: "idle", outcome: "none", cliType: "builtin", parentId: String(talk.sessionId) },
      });
      const { projects } = await talk.client.ask("project:list", { type: "project:list" });
      expect(projects.map(({ path }) => path)).toEqual([cwd]);
    }));

  test("create_coding_agent chooses agent, title, mode and model, and names the choices where there are others", async () => {
    const { config } = talk.state;
    const option = config.options.find(({ category, type }) => category === "mode" && type === "select");
    expect(option).toBeDefined();
    const refusal = await caller.refusalOf("create_coding_agent", { mode: "no-such-mode" });
    expect(refusal).toStartWith('mode: "no-such-mode" is not offered. Choose one of: ');
    const [mode = ""] = refusal.slice(refusal.indexOf("of: ") + 4, -1).split(", ");
    const agentId = await caller.create({ agent: "free", title: "Named", mode });
    expect(await caller.info(agentId)).toMatchObject({ cliType: "free", title: "Named" });
    await caller.call("kill_agent", { agentId });
    // The one whose mode was not offered left nothing behind.
    expect((await caller.list()).some(({ title, status }) => title === "New Session" && status === "idle")).toBe(false);
  });

  test("send_agent_prompt starts a turn, and waits in line while one runs", () =>
    withChild(undefined, async (agentId) => {
      expect(await caller.call("send_agent_prompt", { agentId, prompt: "sleep 1" })).toEqual({ success: true });
      expect(await caller.call("send_agent_prompt", { agentId, prompt: "stream 3 words" })).toEqual({ success: true });
      await caller.wait({ agentIds: [agentId] });
      expect((await caller.output(agentId)).text).toBe("w1 w2 w3");
    }));

  test("get_agent_output gives the last message, and any part of the transcript", () =>
    withChild("stream 4 words", async (agentId) => {
      await caller.wait({ agentIds: [agentId] });
      const { entries = [], hasMore } = await caller.output(agentId, { limit: 1 });
      expect([entries.map(({ text }) => text), hasMore]).toEqual([["w1 w2 w3 w4"], true]);
      const before = await caller.output(agentId, { limit: 5, before: entries[0]?.entryId });
      expect(before.entries?.map(({ type, text }) => [type, text])).toEqual([["user", "stream 4 words"]]);
      expect(await caller.refusalOf("get_agent_output", { agentId, range: { before: "nothing" } })).toContain(
        'no entry "nothing"',
      );
    }));

  test("cancel_agent stops the turn and keeps the agent; kill_agent ends it, twice is once", () =>
    withChild("sleep", async (agentId) => {
      expect(await caller.call("cancel_agent", { agentId })).toEqual({ success: true });
      await caller.wait({ agentIds: [agentId] });
      expect(await caller.info(agentId)).toMatchObject({ status: "idle", outcome: "cancelled" });
      expect(await caller.call("kill_agent", { agentId })).toEqual({ success: true });
      expect(await caller.call("kill_agent", { agentId })).toEqual({ success: true });
      expect(await caller.info(agentId)).toMatchObject({ status: "killed", outcome: "killed" });
    }));

  test("answer_agent fills in a question of an agent's, or declines it", async () => {
    await withChild("ask", async (agentId) => {
      expect((await caller.wait({ agentIds: [agentId] })).reason).toBe("blocked");
      const { why = "" } = await caller.info(agentId);
      expect(why).toStartWith("Question ");
      expect(await caller.refusalOf("answer_agent", { agentId, answer: "allow" })).toStartWith(
        "content: pass the question's fields",
      );
      expect(await caller.call("answer_agent", { agentId, answer: "deny" })).toEqual({ success: true });
      expect((await caller.wait({ agentIds: [agentId] })).reason).toBe("done");
    });
    await withChild("ask", async (agentId) => {
      await caller.wait({ agentIds: [agentId] });
      const { why = "" } = await caller.info(agentId);
      const wrong = await caller.refusalOf("answer_agent", { agentId, content: { nonsense: 1 } });
      expect(wrong).not.toStartWith("not refused");
      expect(why).toContain("Fields: ");
    });
  });

  test("CV-17 read_conversation gives back every entry of the caller's own session, inherited ones too", async () => {
    const source = await startTalk(server, "builtin");
    for (const words of ["stream 3 words", "plan", "stream 40000 words", "stream 2 words"]) await source.say(words);
    const { client, sessionId } = source;
    const { session } = await client.ask("session:created", { type: "session:branch", sessionId });
    const all = source.entries;
    await using own = await McpCaller.overHttp(server, sessionToken(server, session.id));
    const Page = z.object({ entries: z.array(z.object({ entryId: z.string() })), hasMore: z.boolean() });
    const read: string[] = [];
    for (let page = Page.parse(await own.call("read_conversation", { limit: 3 })); ; ) {
      read.unshift(...page.entries.map(({ entryId }) => entryId));
      if (!page.hasMore) break;
      page = Page.parse(await own.call("read_conversation", { limit: 3, before: read[0] }));
    }
    expect(read).toEqual(all.map(({ entryId }) => entryId));
    for (const entry of all)
      expect((await own.call("read_conversation", { entryId: entry.entryId }))["entry"]).toEqual({ ...entry });
    // Another session only when the user has named it here.
    expect(await own.refusalOf("read_conversation", { sessionId })).toContain("has not mentioned");
    await client.ask("ok", {
      type: "session:send",
      sessionId: session.id,
      content: "see it",
      attachments: [sessionMention(sessionId, "It")],
    });
    expect((await own.call("read_conversation", { sessionId, limit: 1 }))["sessionId"]).toBe(sessionId);
  });

  test("search_sessions finds messages below the caller, and nothing of others", () =>
    withChild("stream 3 words", async (agentId) => {
      await caller.wait({ agentIds: [agentId] });
      await using outside = await McpCaller.overHttp(server);
      const foreign = await outside.create({ project: talk.projectId, agent: "builtin", plan: "stream 3 words" });
      await outside.wait({ agentIds: [foreign] });
      const Hits = z.object({ hits: z.array(z.looseObject({ agentId: z.string(), text: z.string() })) });
      const found = async (by: McpCaller, given = {}) =>
        Hits.parse(await by.call("search_sessions", { query: "w1 w2 w3", ...given })).hits.map((hit) => hit.agentId);
      const [own, seen] = [await caller.list(), await found(caller)];
      expect(seen).toContain(agentId);
      expect(seen.filter((id) => !own.some((info) => info.agentId === id))).toEqual([]);
      expect(await found(outside)).toContain(foreign);
      expect(await outside.call("search_sessions", { query: "w1 w2 w3", limit: 1 })).toMatchObject({
        hasMore: true,
        note: expect.stringContaining("Set limit (at most 100) to see more"),
      });
      expect(await outside.call("search_sessions", { query: "nothing of the kind" })).toEqual({
        hits: [],
        hasMore: false,
      });
      expect(await found(caller, { agent: "free" })).toEqual([]);
      expect(await found(caller, { query: "nothing of the kind" })).toEqual([]);
    }));

  test("X-20 wait_for_agents returns the reason: done, failed, blocked, timeout", async () => {
    const { why } = await withChild("run echo hello", async (agentId) => {
      const { reason, agents } = await caller.wait({ agentIds: [agentId] });
      expect([reason, agents[0]?.status]).toEqual(["blocked", "waiting"]);
      return agents[0] ?? { why: "" };
    });
    expect(why).toContain("echo hello");
    await withChild("fail", async (agentId) =>
      expect((await caller.wait({ agentIds: [agentId] })).reason).toBe("failed"),
    );
    await withChild("help", async (agentId) =>
      expect((await caller.wait({ agentIds: [agentId] })).reason).toBe("done"),
    );
    await withChild("sleep", async (agentId) => {
      const { reason, pending } = await caller.wait({ agentIds: [agentId], timeoutMs: 1 });
      expect([reason, pending]).toEqual(["timeout", [agentId]]);
      const other = await caller.create({ plan: "help" });
      expect((await caller.wait({ agentIds: [agentId, other], until: "any" })).reason).toBe("done");
    });
  });

  test("X-20 wait_for_agents for all returns as soon as one asks, while the others are at work; ignoreBlocked continues", () =>
    withChild("sleep", (busy) =>
      withChild("run echo hello", async (asking) => {
        const agentIds = [busy, asking];
        const { reason, pending, agents } = await caller.wait({ agentIds });
        expect([reason, pending]).toEqual(["blocked", agentIds]);
        expect(agents[1]?.why).toContain("echo hello");
        expect((await caller.wait({ agentIds, ignoreBlocked: true, timeoutMs: 1 })).reason).toBe("timeout");
        const { reason: armed, waitId = "" } = await caller.wait({ agentIds, wake: true });
        expect(armed).toBe("armed");
        await talk.client.ask("ok", { type: "session:wait-cancel", sessionId: talk.sessionId, waitId });
        await caller.call("answer_agent", { agentId: asking, answer: "deny" });
        await caller.call("cancel_agent", { agentId: busy });
        expect((await caller.wait({ agentIds })).pending).toEqual([]);
      }),
    ));
});

describe("O-6 X-20 refusals have advice", () => {
  test("an unknown id, one of a session made by hand, and of someone else's agent are answered alike", async () => {
    await using outside = await McpCaller.overHttp(server);
    const foreign = await outside.create({ project: talk.projectId, agent: "builtin" });
    for (const agentId of ["builtin:nobody", "not an id", "", `builtin:${"x".repeat(5_000)}`, talk.sessionId, foreign])
      for (const name of TOOLS.filter(
        (tool) =>
          !["create_coding_agent", "list_agents", "list_agent_kinds", "search_sessions", "read_conversation"].includes(
            tool,
          ),
      )) {
        const sent = name === "send_agent_prompt" ? { prompt: "help" } : {};
        const given = name === "wait_for_agents" ? { agentIds: [agentId] } : { agentId, ...sent };
        expect([name, await caller.refusalOf(name, given)]).toEqual([name, "Agent not found"]);
      }
    expect(await outside.refusalOf("get_agent_status", { agentId: talk.sessionId })).toBe("Agent not found");
  });

  test("what cannot be read names the field, and what does not exist names what does", async () => {
    expect(await caller.refusalOf("send_agent_prompt", { agentId: "x" })).toContain("prompt");
    expect(await caller.refusalOf("create_coding_agent", { agent: "nobody" })).toMatch(
      /Unknown agent "nobody".*builtin/,
    );
    expect(await caller.refusalOf("create_coding_agent", { project: "/etc" })).toContain("this session's project");
    expect(await caller.refusalOf("create_coding_agent", { policy: "everything" })).toContain("policy");
    const badRule = { rules: [{ action: "allow", tool: "fetch", colour: "red" }] };
    expect(await caller.refusalOf("create_coding_agent", { policy: badRule })).toStartWith("policy: rules.0");
    expect(await caller.refusalOf("create_coding_agent", { model: "m" })).toStartWith('model: "m" is not offered.');
    await using outside = await McpCaller.overHttp(server);
    expect(await outside.refusalOf("create_coding_agent")).toContain("project: required");
    expect(await outside.refusalOf("create_coding_agent", { project: "/no/such/place" })).toContain(
      "That directory doesn't exist",
    );
    expect(await outside.refusalOf("create_coding_agent", { project: "relative" })).toContain("full path");
    expect(
      await outside.refusalOf("create_coding_agent", { project: talk.projectId, agent: "builtin", wake: true }),
    ).toContain("only a session can be woken");
    await withChild(undefined, async (agentId) => {
      expect(await caller.refusalOf("answer_agent", { agentId, answer: "deny" })).toContain("no such open request");
    });
  });

  test("O-1 an empty plan is none: the agent is there and waits", async () => {
    await withChild("  ", async (agentId) => {
      expect(await caller.output(agentId)).toMatchObject({ status: "idle", outcome: "none" });
    });
  });

  test("an agent that cannot be started is named, and leaves nothing", async () => {
    await using broken = await startTestServer({
      agents: { broken: { name: "Broken", command: "/no/such/program", retryMs: [] } },
    });
    const directory = await broken.directory("demo");
    await using outside = await McpCaller.overHttp(broken);
    expect(await outside.refusalOf("create_coding_agent", { agent: "broken", project: directory })).toContain(
      "Could not start Broken. Check that it's installed.",
    );
    expect(await outside.list()).toEqual([]);
  });
});

describe("X-20 a call with a key acts once", () => {
  test("creating, sending, cancelling, answering and killing, at the same time and one after the other", async () => {
    const create = () => caller.create({ plan: "stream 2 words", idempotencyKey: "one agent" });
    const made = new Set(await Promise.all([create(), create(), create()]));
    made.add(await create());
    expect(made.size).toBe(1);
    const [agentId = ""] = made;
    await caller.wait({ agentIds: [agentId] });
    const send = () => caller.call("send_agent_prompt", { agentId, prompt: "stream 3 words", idempotencyKey: "k" });
    await Promise.all([send(), send()]);
    await caller.wait({ agentIds: [agentId] });
    await send();
    const { entries = [] } = await caller.output(agentId, { limit: 50 });
    expect(entries.filter(({ type }) => type === "user").map(({ text }) => text)).toEqual([
      "stream 2 words",
      "stream 3 words",
    ]);
    // The same key of another caller is another call.
    await using outside = await McpCaller.overHttp(server);
    const other = { project: talk.projectId, agent: "builtin", idempotencyKey: "one agent" };
    expect(made.has(await outside.create(other))).toBe(false);
    await caller.call("kill_agent", { agentId, idempotencyKey: "end" });
    expect(await caller.call("kill_agent", { agentId, idempotencyKey: "end" })).toEqual({ success: true });
    // Sent before the end, repeated after it: the first answer still holds.
    expect(await send()).toEqual({ success: true });
  });
});
