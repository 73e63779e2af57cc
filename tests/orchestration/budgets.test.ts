import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { script, scriptedAgent } from "../integration/scripted-agent.ts";
import { startTalk } from "../integration/talk.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { type Info, McpCaller, sessionToken } from "./mcp-caller.ts";

const usage = (figures: object) => ({ update: { sessionUpdate: "usage_update", size: 100_000, ...figures } });
const cost = (amount: number) => usage({ used: 100, cost: { amount, currency: "USD" } });
const report = (figures: object) => ({ answer: { stopReason: "end_turn", usage: { ...figures } } });
/** Works until it is stopped. */
const BUSY = script({ update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "busy" } } });

function serverWith(budget: object): Promise<TestServer> {
  return startTestServer({
    prepare: (dataDir) =>
      writeFile(
        join(dataDir, "config.json"),
        JSON.stringify({
          orchestration: { budget },
          agents: { scripted: { ...scriptedAgent(), process: "per-session" } },
        }),
      ),
  });
}

const spentBy = ({ spent }: Info) => spent;

test("(C3) X-20 tokens are what the turns took, not the size of the context; the count survives kill -9", async () => {
  await using server = await serverWith({});
  const talk = await startTalk(server, "scripted");
  const token = sessionToken(server, talk.sessionId);
  let agentId: string;
  {
    await using caller = await McpCaller.overHttp(server, token);
    const first = script(usage({ used: 300 }), report({ inputTokens: 800, outputTokens: 67, totalTokens: 867 }));
    agentId = await caller.create({ plan: first, budget: { tokens: 1_000 } });
    await caller.wait();
    expect(spentBy(await caller.info(agentId))).toMatchObject({ turns: 1, tokens: 867 });
    // The context is hardly larger than before. Without a sum, the parts are added.
    const second = script(
      usage({ used: 310 }),
      report({ inputTokens: 400, outputTokens: 60, cachedReadTokens: 400, cachedWriteTokens: 8 }),
    );
    await caller.call("send_agent_prompt", { agentId, prompt: second });
    const { agents } = await caller.wait();
    expect(agents[0]).toMatchObject({ outcome: "done", spent: { turns: 2, tokens: 1_735 }, left: { tokens: 0 } });
  }
  await server.kill();
  await server.start();
  await using caller = await McpCaller.overHttp(server, token);
  expect(spentBy(await caller.info(agentId))).toMatchObject({ tokens: 1_735 });
  expect(await caller.refusalOf("send_agent_prompt", { agentId, prompt: BUSY })).toBe(
    "Over budget: 1,735 of 1,000 tokens used. Tell the user; only they can raise it.",
  );
});

test("(C3) without a report the growth of the context counts, and stops a running turn", async () => {
  await using server = await serverWith({});
  const talk = await startTalk(server, "scripted");
  await using caller = await McpCaller.overHttp(server, sessionToken(server, talk.sessionId));
  const agentId = await caller.create({
    plan: script(usage({ used: 300 }), usage({ used: 500 }), usage({ used: 200 }), { end: "end_turn" }),
    budget: { tokens: 1_000 },
  });
  await caller.wait();
  expect(spentBy(await caller.info(agentId))).toMatchObject({ tokens: 500 });
  const quota = { quota: { token_count: { input_tokens: 100, output_tokens: 20 } } };
  await caller.call("send_agent_prompt", { agentId, prompt: script({ answer: { _meta: quota } }) });
  await caller.wait();
  expect(spentBy(await caller.info(agentId))).toMatchObject({ tokens: 620 });
  await caller.call("send_agent_prompt", { agentId, prompt: script(usage({ used: 700 })) });
  const { reason, agents } = await caller.wait();
  expect([reason, agents[0]?.outcome]).toEqual(["limit", "limit"]);
  expect(agents[0]?.why).toBe("Over budget: 1,120 of 1,000 tokens used. Tell the user; only they can raise it.");
});

test.each([
  ["tokens", { tokens: 1_000 }, [report({ totalTokens: 1_200 })], "1,200 of 1,000 tokens used", "done"],
  ["cost", { cost: 0.5 }, [cost(0.75)], "0.75 of 0.5 cost used", "limit"],
] as const)(
  "(C3) X-20 a shared budget of %s that one agent spends stops every agent of the tree at once",
  async (_, budget, steps, words, outcome) => {
    await using server = await serverWith(budget);
    const [talk, other] = [await startTalk(server, "scripted"), await startTalk(server, "scripted")];
    await using caller = await McpCaller.overHttp(server, sessionToken(server, talk.sessionId));
    await using beside = await McpCaller.overHttp(server, sessionToken(server, other.sessionId));
    const busy = [await caller.create({ plan: BUSY }), await caller.create({ plan: BUSY })];
    await using below = await McpCaller.overHttp(server, sessionToken(server, busy[0] ?? ""));
    const grandchild = await below.create({ plan: BUSY });
    const elsewhere = await beside.create({ plan: BUSY });
    const spender = await caller.create({ plan: script(...steps) });
    const { agents } = await caller.wait({ until: "all" });
    expect(Object.fromEntries(agents.map(({ agentId, outcome }) => [agentId, outcome]))).toEqual({
      ...Object.fromEntries(busy.map((id) => [id, "limit"])),
      [spender]: outcome,
    });
    expect((await below.wait()).agents[0]).toMatchObject({ agentId: grandchild, outcome: "limit" });
    for (const id of busy) expect((await caller.info(id)).why).toContain(`Over budget: ${words}.`);
    // Another tree has a budget of its own.
    expect((await beside.info(elsewhere)).status).toBe("running");
  },
);

test("(C3) X-20 the time of all agents that share a budget adds up while they run", async () => {
  await using server = await serverWith({ workMs: 3_000 });
  const talk = await startTalk(server, "scripted");
  await using caller = await McpCaller.overHttp(server, sessionToken(server, talk.sessionId));
  await Promise.all(Array.from({ length: 3 }, () => caller.create({ plan: BUSY })));
  const { agents } = await caller.wait({ until: "all" });
  expect(agents.map(({ outcome }) => outcome)).toEqual(["limit", "limit", "limit"]);
  // Together, so that none of them has had the whole of it.
  for (const agent of agents) expect(Number((spentBy(agent) as { workMs: number }).workMs)).toBeLessThan(3_000);
});
