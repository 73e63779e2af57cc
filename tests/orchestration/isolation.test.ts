import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { anotherTalk, startTalk, type Talk } from "../integration/talk.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { McpCaller, sessionToken } from "./mcp-caller.ts";

let server: TestServer;
let talk: Talk;
let victim: Talk;
let token: string;
beforeAll(async () => {
  server = await startTestServer();
  talk = await startTalk(server, "builtin");
  victim = await anotherTalk(talk.client, talk.projectId, "builtin");
  token = sessionToken(server, talk.sessionId);
});
afterAll(() => server[Symbol.asyncDispose]());

const LIST = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "list_agents", arguments: {} },
});

function post(authorization: string | null, more: Record<string, string> = {}): Promise<Response> {
  return server.fetch("/mcp", {
    method: "POST",
    body: LIST,
    headers: {
      Accept: "application/json, text/event-stream",
      "Content-Type": "application/json",
      ...(authorization !== null && { Authorization: authorization }),
      ...more,
    },
  });
}

const bearer = (value: string) => `Bearer ${value}`;

test("O-2 the token of a session opens /mcp", async () => {
  expect((await post(bearer(token))).status).toBe(200);
});

/** Every way in that must stay shut, by what is tried. */
const ROUTES: readonly (readonly [string, () => Promise<Response>])[] = [
  ["the page", () => server.fetch("/", { headers: { Authorization: bearer(token) } })],
  ["the page by query", () => server.fetch(`/?token=${token}`, { headers: {} })],
  ["a portlet", () => server.fetch("/portlet", { headers: { Authorization: bearer(token) } })],
  ["the socket", () => server.fetch("/ws", { headers: { Authorization: bearer(token), Upgrade: "websocket" } })],
  ["the socket by query", () => server.fetch(`/ws?token=${token}`, { headers: {} })],
  ["the status", () => server.fetch("/api/status", { headers: { Authorization: bearer(token) } })],
  [
    "a trace",
    () => server.fetch(`/api/trace?sessionId=${talk.sessionId}`, { headers: { Authorization: bearer(token) } }),
  ],
  [
    "an export",
    () => server.fetch(`/api/export?sessionId=${talk.sessionId}`, { headers: { Authorization: bearer(token) } }),
  ],
  [
    "an import",
    () => server.fetch("/api/import", { method: "POST", body: "{}", headers: { Authorization: bearer(token) } }),
  ],
  ["/mcp by query", () => server.fetch(`/mcp?token=${token}`, { method: "POST", body: LIST, headers: {} })],
  ["/mcp by cookie", () => post(null, { Cookie: `liminal-${server.port}=${token}` })],
  ["/mcp without a token", () => post(null)],
  ["/mcp with an empty token", () => post("Bearer ")],
  ["the token of another secret", () => post(bearer(forged("another secret")))],
  ["a token signed with an empty secret", () => post(bearer(forged("")))],
  ["the token of another session with this signature", () => post(bearer(renamed()))],
  ["the token cut short", () => post(bearer(token.slice(0, -1)))],
  ["the token with more behind it", () => post(bearer(`${token}.more`))],
  ["the name alone", () => post(bearer(token.split(".")[0] ?? ""))],
  ["the signature alone", () => post(bearer(token.split(".")[1] ?? ""))],
  ["a session that never was", () => post(bearer(sessionToken(server, "builtin:never")))],
  ["basic authentication", () => post(`Basic ${btoa(`x:${token}`)}`)],
];

function forged(secret: string): string {
  const signature = createHmac("sha256", secret).update(`mcp-session:${talk.sessionId}`).digest("base64url");
  return `${Buffer.from(talk.sessionId).toString("base64url")}.${signature}`;
}

function renamed(): string {
  return `${Buffer.from(victim.sessionId).toString("base64url")}.${token.split(".")[1]}`;
}

test("O-2 O-3 at least twenty ways are tried", () => {
  expect(ROUTES.length).toBeGreaterThanOrEqual(20);
});

for (const [what, enter] of ROUTES)
  test(`O-2 O-3 a session's token does not open: ${what}`, async () => {
    const { status } = await enter();
    expect(status).toBe(401);
  });

test("O-2 another site's page is turned away before its token is looked at", async () => {
  expect((await post(bearer(token), { Origin: "https://elsewhere.example" })).status).toBe(403);
  expect((await post(bearer(server.token), { Origin: "null" })).status).toBe(403);
});

test("O-3 in a session's name nothing of another session can be read, prompted, stopped or answered", async () => {
  await using own = await McpCaller.overHttp(server, token);
  await using other = await McpCaller.overHttp(server, sessionToken(server, victim.sessionId));
  const theirs = await other.create({ plan: "run echo mine" });
  await other.wait({ agentIds: [theirs] });
  const before = await other.info(theirs);
  for (const agentId of [theirs, victim.sessionId, talk.sessionId])
    for (const [name, given] of [
      ["send_agent_prompt", { agentId, prompt: "help" }],
      ["get_agent_status", { agentId }],
      ["get_agent_output", { agentId }],
      ["cancel_agent", { agentId }],
      ["kill_agent", { agentId }],
      ["answer_agent", { agentId, answer: "allow" }],
      ["wait_for_agents", { agentIds: [agentId], wake: true }],
    ] as const)
      expect(await own.refusalOf(name, given)).toBe("Agent not found");
  expect(await own.list()).toEqual([]);
  expect(await other.info(theirs)).toEqual(before);
  expect(before.status).toBe("waiting");
});

test("O-2 the token is in no process's arguments and in no log", async () => {
  const processes = server.processes.alive();
  expect(processes.length).toBeGreaterThan(0);
  for (const { commandLine } of processes) expect(commandLine).not.toContain(token);
  const trace = await (await server.fetch(`/api/trace?sessionId=${talk.sessionId}`)).text();
  expect(trace).toContain("mcpServers");
  expect(trace).not.toContain(token.split(".")[1] ?? "none");
  expect(server.log).not.toContain(token.split(".")[1] ?? "none");
});

for (const [end, how] of [
  ["killed", { type: "session:kill" }],
  ["archived", { type: "session:archive" }],
] as const)
  test(`O-2 the token ends with its session: ${end}`, async () => {
    const doomed = await anotherTalk(talk.client, talk.projectId, "builtin");
    const own = sessionToken(server, doomed.sessionId);
    expect((await post(bearer(own))).status).toBe(200);
    await talk.client.request({ ...how, sessionId: doomed.sessionId });
    expect((await post(bearer(own))).status).toBe(401);
  });

test("O-2 a killed session that the user brings back has its tools again", async () => {
  const back = await anotherTalk(talk.client, talk.projectId, "builtin");
  const own = sessionToken(server, back.sessionId);
  await talk.client.ask("ok", { type: "session:kill", sessionId: back.sessionId });
  expect((await post(bearer(own))).status).toBe(401);
  await back.send("sleep");
  expect((await post(bearer(own))).status).toBe(200);
  await talk.client.ask("ok", { type: "session:kill", sessionId: back.sessionId });
  expect((await post(bearer(own))).status).toBe(401);
});

test("O-2 a restart keeps the tokens of running sessions and restores none of ended ones", async () => {
  await using restarted = await startTestServer();
  const living = await startTalk(restarted, "builtin");
  const dead = await anotherTalk(living.client, living.projectId, "builtin");
  await living.client.ask("ok", { type: "session:kill", sessionId: dead.sessionId });
  const tokens = [living, dead].map(({ sessionId }) => sessionToken(restarted, sessionId));
  await restarted.kill();
  await restarted.start();
  const statuses = await Promise.all(
    tokens.map(async (one) => {
      const headers = {
        Authorization: bearer(one),
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
      };
      return (await restarted.fetch("/mcp", { method: "POST", body: LIST, headers })).status;
    }),
  );
  expect(statuses).toEqual([200, 401]);
});

test("O-6 liminal mcp of an agent without a server, or with a revoked token, reports that and ends", async () => {
  const run = async (env: Record<string, string>) => {
    const child = Bun.spawn([process.execPath, "src/cli/main.ts", "mcp"], {
      env: { ...server.processes.env, PATH: process.env["PATH"] ?? "", HOME: server.home, ...env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [code, stderr] = await Promise.all([child.exited, new Response(child.stderr).text()]);
    return { code, stderr };
  };
  const none = await run({ LIMINAL_DATA_DIR: `${server.home}/nothing`, LIMINAL_MCP_TOKEN: "any.token" });
  expect(none.code).toBe(1);
  expect(none.stderr).toContain("Agent MCP failed to initialize: No server is running");
  const dead = await run({ LIMINAL_DATA_DIR: server.dataDir, LIMINAL_MCP_TOKEN: "dead.token" });
  expect(dead.code).toBe(1);
  expect(dead.stderr).toContain("invalid token");
});
