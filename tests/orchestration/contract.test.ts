import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { startTalk, type Talk } from "../integration/talk.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { McpCaller, sessionToken } from "./mcp-caller.ts";

let server: TestServer;
let talk: Talk;
let caller: McpCaller;
beforeAll(async () => {
  server = await startTestServer();
  talk = await startTalk(server, "builtin");
  caller = await McpCaller.overHttp(server, sessionToken(server, talk.sessionId));
});
afterAll(async () => {
  await caller[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

test("O-2 (C2) the server's instructions reach callers over HTTP and through the relay alike", async () => {
  await using relayed = await McpCaller.overStdio(server, sessionToken(server, talk.sessionId));
  const instructions = caller.client.getInstructions() ?? "";
  expect(instructions).toContain("list_agent_kinds");
  expect(relayed.client.getInstructions()).toBe(instructions);
});

test("O-7 (C2) list_agent_kinds names the agents, and the modes and models they offer, with what the caller may choose", async () => {
  const { kinds } = z
    .object({ kinds: z.array(z.looseObject({ agent: z.string(), ready: z.boolean(), modes: z.unknown() })) })
    .parse(await caller.call("list_agent_kinds"));
  const own = kinds.find(({ agent }) => agent === "builtin");
  expect(own).toMatchObject({ ready: true });
  const modes = z.array(z.looseObject({ value: z.string(), allowed: z.boolean() })).parse(own?.modes);
  expect(modes.map(({ value, allowed }) => [value, allowed])).toEqual([
    ...[
      ["ask", true],
      ["edits", false],
      ["all", false],
      ["read", true],
    ],
  ]);
  expect(kinds.every(({ ready }) => ready)).toBe(true);
});

test("O-7 (C10) the list of tools is not declared to change", () => {
  expect(caller.client.getServerCapabilities()?.tools).toEqual({ listChanged: false });
});

test("NFR-5 (C10) a request without a token gets an answer with how to sign in", async () => {
  const response = await fetch(`${server.origin}/mcp`, { method: "POST", body: "{}" });
  expect([response.status, response.headers.get("WWW-Authenticate")]).toEqual([401, 'Bearer realm="liminal"']);
});

test("O-6 (C5) an argument that is not known is refused by name, also inside another", async () => {
  expect(await caller.refusalOf("create_coding_agent", { sandbox: true })).toContain("sandbox");
  expect(await caller.refusalOf("create_coding_agent", { budget: { hours: 1 } })).toContain("hours");
  expect(await caller.refusalOf("list_agents", { all: true })).toContain("all");
  expect(await caller.list()).toEqual([]);
});

test("X-20 (C5) the same key with other arguments is an error, also after a restart", async () => {
  const agentId = await caller.create({ title: "One", idempotencyKey: "same" });
  const words = "idempotencyKey: already used for this tool with other arguments. Use a new key for another call.";
  expect(await caller.refusalOf("create_coding_agent", { title: "Two", idempotencyKey: "same" })).toBe(words);
  await server.kill();
  await server.start();
  await caller[Symbol.asyncDispose]();
  caller = await McpCaller.overHttp(server, sessionToken(server, talk.sessionId));
  expect(await caller.refusalOf("create_coding_agent", { title: "Two", idempotencyKey: "same" })).toBe(words);
  expect(await caller.create({ idempotencyKey: "same", title: "One" })).toBe(agentId);
  await caller.call("kill_agent", { agentId });
});

test("O-1 (B8) list_agents lists living agents, and ended ones when asked to", async () => {
  const agentId = await caller.create({});
  await caller.call("kill_agent", { agentId });
  expect((await caller.list({})).map((info) => info.agentId)).not.toContain(agentId);
  const all = await caller.list({ includeEnded: true });
  expect(all.find((info) => info.agentId === agentId)?.status).toBe("killed");
});

test("X-20 (C4) a wait for an agent that was cancelled or killed ends as aborted, not as done", async () => {
  const agentId = await caller.create({ plan: "sleep" });
  await caller.call("cancel_agent", { agentId });
  expect((await caller.wait({ agentIds: [agentId] })).reason).toBe("aborted");
  await caller.call("kill_agent", { agentId });
  expect((await caller.wait({ agentIds: [agentId] })).reason).toBe("aborted");
});
