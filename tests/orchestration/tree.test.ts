import { expect, test } from "bun:test";
import { isTurnActive } from "../../src/protocol/session-schema.ts";
import { startTalk } from "../integration/talk.ts";
import { guideWith, startTestServer, type TestServer } from "../support/test-server.ts";
import { McpCaller, sessionToken } from "./mcp-caller.ts";

/** The ways a child can come out, by what it is told to do. */
const WORK = [
  { plan: "stream 5 words", ends: "done" },
  { plan: "stream 40 words", ends: "done" },
  { plan: "think", ends: "done" },
  { plan: "plan", ends: "done" },
  { plan: "fail", ends: "failed" },
  { plan: "crash", ends: "interrupted" },
  { plan: "run echo allowed", ends: "answered" },
  { plan: "run echo denied", ends: "denied" },
  { plan: "sleep", ends: "cancelled" },
  { plan: "sleep", ends: "killed" },
] as const;

const CONFIG = {
  // A crash must not take the other children along.
  process: "per-session",
  permissions: "ask",
} as const;

async function openServer(): Promise<TestServer> {
  return startTestServer({ agents: { worker: { ...guideWith(), ...CONFIG, retryMs: [] } } });
}

for (const [name, connect] of [
  ["http", (server: TestServer, token?: string) => McpCaller.overHttp(server, token)],
  ["stdio", (server: TestServer, token?: string) => McpCaller.overStdio(server, token)],
] as const)
  test(`O-1 O-2 X-20 the official client drives ten children with mixed outcomes over ${name}`, async () => {
    await using server = await openServer();
    const directory = await server.directory("demo");
    await using caller = await connect(server);
    const ids: string[] = [];
    for (const { plan } of WORK) {
      // At most five run at once: the next one waits for a place, as an agent would.
      while ((await caller.list()).filter(({ outcome }) => outcome === "working").length >= 4)
        await finishOne(caller, ids);
      ids.push(await caller.create({ plan, agent: "worker", project: directory }));
    }
    for (;;) {
      const { pending } = await caller.wait({ agentIds: ids, timeoutMs: 0 });
      if (pending.length === 0) break;
      await finishOne(caller, ids);
    }
    const infos = await caller.list();
    expect(infos.map(({ agentId }) => agentId)).toEqual(ids);
    expect(infos.map(({ outcome }) => outcome)).toEqual([
      ...["done", "done", "done", "done", "failed", "interrupted", "done", "done", "cancelled", "killed"],
    ]);
    expect((await caller.output(ids[0] ?? "")).text).toBe("w1 w2 w3 w4 w5");
    expect(await caller.refusalOf("send_agent_prompt", { agentId: ids[9], prompt: "help" })).toStartWith(
      "Agent is dead",
    );
  });

/** Does for each child what its part of the story says, once it stands where that makes sense. */
async function finishOne(caller: McpCaller, ids: readonly string[]): Promise<void> {
  const infos = await caller.list();
  for (const [index, { agentId, status }] of infos.entries()) {
    const ends = WORK[ids.indexOf(agentId)]?.ends ?? WORK[index]?.ends;
    if (ends === "cancelled" && status === "running") await caller.call("cancel_agent", { agentId });
    if (ends === "killed" && status === "running") await caller.call("kill_agent", { agentId });
    if (status === "waiting")
      await caller.call("answer_agent", { agentId, answer: ends === "answered" ? "allow" : "deny" });
  }
  await caller.wait({ agentIds: [...ids], until: "any" });
}

test("O-3 O-5 a tree of three levels: each sees its own children alone, and the end of one ends all below it", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server, "builtin");
  await using top = await McpCaller.overHttp(server, sessionToken(server, talk.sessionId));
  const child = await top.create({});
  await using middle = await McpCaller.overHttp(server, sessionToken(server, child));
  const grandchild = await middle.create({ plan: "sleep" });
  await using low = await McpCaller.overHttp(server, sessionToken(server, grandchild));
  const last = await low.create({ plan: "sleep" });
  await using lowest = await McpCaller.overHttp(server, sessionToken(server, last));
  expect(await lowest.refusalOf("create_coding_agent")).toBe(
    "Over the limit of 3 for levels of agents. Do the work in this session instead.",
  );
  expect((await top.list()).map(({ agentId, parentId }) => [agentId, parentId])).toEqual([[child, talk.sessionId]]);
  expect((await middle.list()).map(({ agentId }) => agentId)).toEqual([grandchild]);
  expect(await top.refusalOf("get_agent_status", { agentId: grandchild })).toBe("Agent not found");
  const { sessions } = await talk.client.ask("session:list", { type: "session:list", projectId: talk.projectId });
  const parents = new Map<string, string | undefined>(sessions.map(({ id, parentId }) => [id, parentId]));
  expect([parents.get(child), parents.get(grandchild), parents.get(last)]).toEqual([talk.sessionId, child, grandchild]);

  await talk.client.ask("ok", { type: "session:kill", sessionId: child });
  await using outside = await McpCaller.overHttp(server);
  expect(await outside.list()).toEqual([]);
  expect((await top.info(child)).status).toBe("killed");
  // The turns count as cancelled when the agents have stopped.
  for (const sessionId of [grandchild, last]) {
    await talk.client.ask("session:history", { type: "session:open", sessionId });
    const { turn } = await talk.client.untilState(sessionId, "the turn's end", (state) => !isTurnActive(state.turn));
    expect(turn.stopReason).toBe("cancelled");
  }
});
