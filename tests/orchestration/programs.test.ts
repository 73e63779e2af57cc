import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { McpCaller } from "./mcp-caller.ts";

function serverWith(orchestration: object): Promise<TestServer> {
  return startTestServer({
    prepare: (dataDir) => writeFile(join(dataDir, "config.json"), JSON.stringify({ orchestration })),
  });
}

async function ids(caller: McpCaller): Promise<readonly string[]> {
  return (await caller.list()).map(({ agentId }) => agentId);
}

/** One request on its own, as a script with curl makes it. */
async function listedBy(server: TestServer, headers: Record<string, string>): Promise<string> {
  const answer = await server.fetch("/mcp", {
    method: "POST",
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "list_agents", arguments: {} },
    }),
    headers: {
      Authorization: `Bearer ${server.token}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...headers,
    },
  });
  expect(answer.status).toBe(200);
  return answer.text();
}

test("O-5 each program outside has its own agents and its own limit, also through liminal mcp and after kill -9 (C9)", async () => {
  await using server = await serverWith({ childrenMax: 1 });
  const project = await server.directory("demo");
  const given = { agent: "builtin", project };
  await using one = await McpCaller.overHttp(server, server.token, "Zed ⌘");
  await using other = await McpCaller.overHttp(server, server.token, "nightly");
  await using third = await McpCaller.overStdio(server, undefined, "desktop");
  const mine = await one.create({ ...given, idempotencyKey: "first" });
  const theirs = await other.create({ ...given, idempotencyKey: "first" });
  const last = await third.create(given);
  expect([await ids(one), await ids(other), await ids(third)]).toEqual([[mine], [theirs], [last]]);
  expect(await one.refusalOf("create_coding_agent", given)).toBe(
    "Over the limit of 1 for agents of one program. End one with kill_agent first.",
  );
  expect(await other.refusalOf("kill_agent", { agentId: mine })).toBe("Agent not found");
  await server.kill();
  await server.start();
  await using again = await McpCaller.overHttp(server, server.token, "Zed ⌘");
  expect([await ids(again), await ids(third)]).toEqual([[mine], [last]]);
});

test("O-5 a single request names its program by a header; one without a name sees no other's agents (C9)", async () => {
  await using server = await startTestServer();
  await using caller = await McpCaller.overHttp(server, server.token, "nightly build");
  const agentId = await caller.create({ agent: "builtin", project: await server.directory("demo") });
  expect(await listedBy(server, { "Liminal-Client": "nightly%20build" })).toContain(agentId);
  expect(await listedBy(server, { "Liminal-Client": "another" })).not.toContain(agentId);
  expect(await listedBy(server, {})).not.toContain(agentId);
  expect(await listedBy(server, { "Mcp-Session-Id": "of-another-server" })).not.toContain(agentId);
});

test("O-5 agents at work at once are counted for each program (C9)", async () => {
  await using server = await serverWith({ runningMax: 1 });
  const given = { agent: "builtin", project: await server.directory("demo"), plan: "sleep" };
  await using one = await McpCaller.overHttp(server, server.token, "one");
  await using other = await McpCaller.overHttp(server, server.token, "other");
  await one.create(given);
  expect(await one.refusalOf("create_coding_agent", given)).toContain("limit of 1 for agents running at once");
  expect(await other.create(given)).toStartWith("builtin:");
});

test("O-5 idle agents of a program that calls no more are archived; one at work is not before it has ended (C9)", async () => {
  // Longer than it takes to create an agent on a busy machine: the program is at work until then.
  await using server = await startTestServer({ env: { LIMINAL_PROGRAM_IDLE_MS: "3000" } });
  const given = { agent: "builtin", project: await server.directory("demo") };
  const client = await server.connect();
  const caller = await McpCaller.overHttp(server);
  const busy = await caller.create({ ...given, plan: "sleep" });
  const idle = await caller.create(given);
  await caller.client.close();
  await client.next("session:archived", ({ sessionId }) => sessionId === idle, 0);
  expect(client.all("session:archived").map(({ sessionId }) => String(sessionId))).toEqual([idle]);
  await client.ask("ok", { type: "session:cancel", sessionId: busy });
  await client.next("session:archived", ({ sessionId }) => sessionId === busy, 0);
});
