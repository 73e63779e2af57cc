import { expect, test } from "bun:test";
import { startTalk } from "../integration/talk.ts";
import { startTestServer } from "../support/test-server.ts";
import { McpCaller, sessionToken } from "./mcp-caller.ts";

test("O-4 clients are notified of agents of agents directly from their facts; their output reaches only followers of the parent", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server, "builtin");
  const bystander = await server.connect();
  await using caller = await McpCaller.overHttp(server, sessionToken(server, talk.sessionId));
  const agentId = await caller.create({ plan: "stream 3 words" });
  await caller.wait();
  await caller.call("kill_agent", { agentId });
  for (const client of [talk.client, bystander]) {
    await client.next("agent_status", (message) => message.agentId === agentId && message.status === "killed", 0);
    const [created, ...others] = client.all("agent_created");
    expect(others).toEqual([]);
    expect(created).toMatchObject({ parentSessionId: talk.sessionId, agentId, info: { agentId, cliType: "builtin" } });
    expect(client.all("agent_status").map(({ status }) => status)).toEqual(["running", "idle", "killed"]);
    expect(client.all("session:created").at(-1)?.session.parentId).toBe(talk.sessionId);
  }
  const updates = talk.client.all("agent_update");
  // (B8) It is announced before the first word of it.
  const order = talk.client.received
    .map(({ type }) => type)
    .filter((type) => type === "agent_created" || type === "agent_update");
  expect(order[0]).toBe("agent_created");
  expect(updates.every((message) => message.agentId === agentId && message.parentSessionId === talk.sessionId)).toBe(
    true,
  );
  expect(updates.map(({ update }) => update.type)).toContain("session:turn");
  expect(JSON.stringify(updates)).toContain("w1");
  expect(bystander.all("agent_update")).toEqual([]);
  // Nothing of it went through the parent's own conversation.
  expect(talk.entries).toEqual([]);
});

test("O-4 agents of a program outside have no parent session", async () => {
  await using server = await startTestServer();
  const client = await server.connect();
  await using caller = await McpCaller.overHttp(server);
  const project = await server.directory("demo");
  const agentId = await caller.create({ agent: "builtin", project });
  const created = await client.next("agent_created", (message) => message.agentId === agentId, 0);
  expect(created.parentSessionId).toBeNull();
  await client.next("project:added", (message) => message.project.path === project, 0);
});
