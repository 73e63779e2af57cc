import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { readQuestion } from "../../src/agents/acp/translate/read-question.ts";
import { translateUpdate } from "../../src/agents/acp/translate/translate-update.ts";
import { parseRegistry } from "../../src/agents/catalog/agent-registry.ts";
import { loadConfigFile } from "../../src/operations/config-file.ts";
import { ClientMessage } from "../../src/protocol/client-messages.ts";
import { readFromPortlet } from "../../src/protocol/portlet-commands.ts";
import { readFromShell } from "../../src/protocol/portlet-messages.ts";
import { FactMessage, PlainServerMessage } from "../../src/protocol/server-messages.ts";
import { readDocument } from "../../src/sessions/transfer/export-document.ts";
import { rawHttp } from "../integration/raw-http.ts";
import { chunk, script, scriptedAgent } from "../integration/scripted-agent.ts";
import { startTalk } from "../integration/talk.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";

const POISON =
  '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"prototype":{"polluted":true}';
const poisoned = (type: string) =>
  JSON.parse(`{"type":"${type}","sessionUpdate":"${type}","mode":"form",${POISON},"params":{${POISON}},"content":{${POISON}},
    "options":{${POISON}},"requestedSchema":{"type":"object","properties":{${POISON}}},"agents":[{${POISON}}]}`);

function expectClean(what: string): void {
  expect({ what, polluted: Reflect.get({}, "polluted"), names: Object.keys(Object.prototype) }).toEqual({
    what,
    polluted: undefined,
    names: [],
  });
  expect(Reflect.get(() => undefined, "polluted")).toBeUndefined();
}

test("nothing that is read from outside changes what every object has", async () => {
  await using dir = await tempDir();
  const file = dir.join("config.json");
  await writeFile(file, `{"agents":{"x":{"name":"X","command":"x","env":{${POISON}}},${POISON}},${POISON}}`);
  const readers: Readonly<Record<string, (type: string) => unknown>> = {
    "client messages": (type) => ClientMessage.safeParse(poisoned(type)),
    "server messages": (type) => [PlainServerMessage, FactMessage].map((one) => one.safeParse(poisoned(type))),
    "messages between frames": (type) => [readFromPortlet, readFromShell].map((read) => read(poisoned(type))),
    "updates of agents": (type) => translateUpdate(poisoned(type)),
    "questions of agents": (type) => readQuestion(poisoned(type)),
    "the registry": (type) => parseRegistry(poisoned(type)),
    "the settings": () => loadConfigFile(file),
  };
  const types = [
    "session:send",
    "session:create",
    "tool_call",
    "tool_call_update",
    "plan",
    "config_option_update",
    "x",
  ];
  for (const [what, read] of Object.entries(readers))
    for (const type of types) {
      read(type);
      expectClean(what);
    }
  await readDocument(JSON.stringify({ format: "liminal-builder-session" }).replace("{", `{${POISON},`)).catch(
    () => null,
  );
  expectClean("imported documents");
});

/** Ids that every object answers to, though nobody gave them. */
const BORROWED = ["__proto__", "constructor", "toString", "hasOwnProperty", "prototype"];

test("ids that every object has are ids like any other: calls, options and messages of an agent named so are kept apart", async () => {
  await using server = await startTestServer({ agents: { scripted: scriptedAgent() } });
  const talk = await startTalk(server, "scripted");
  const calls = BORROWED.map((toolCallId) => ({
    update: { sessionUpdate: "tool_call", toolCallId, title: `Call ${toolCallId}`, kind: "other", status: "completed" },
  }));
  const configOptions = BORROWED.map((id) => ({
    id,
    name: `Option ${id}`,
    type: "select",
    currentValue: id,
    options: [{ value: id, name: id }],
  }));
  const option = { update: { sessionUpdate: "config_option_update", configOptions } };
  await talk.say(script(...calls, option, ...BORROWED.map((id) => chunk(`said ${id}. `, id)), { end: "end_turn" }));
  expect(talk.tools.map(({ name }) => name)).toEqual(BORROWED.map((id) => `Call ${id}`));
  for (const id of BORROWED) expect(talk.answer).toContain(`said ${id}.`);
  expectClean("a session");
  for (const name of BORROWED) {
    expect((await server.fetch(`/assets/${name}`)).status).toBe(404);
    expect((await server.fetch(`/api/export?format=${name}&sessionId=${name}`)).status).toBe(400);
    expect((await server.fetch(`/api/export?format=md&sessionId=${name}`)).status).toBe(404);
  }
});

const PATHS = [
  "../../etc/passwd",
  "..%2f..%2fetc%2fpasswd",
  "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
  "..%5c..%5cetc%5cpasswd",
  "%252e%252e%252fetc%252fpasswd",
  "/etc/passwd",
  "%2fetc%2fpasswd",
  "builtin:../../../../etc/passwd",
  "builtin:%00/etc/passwd",
  "file:///etc/passwd",
  "....//....//etc/passwd",
  "%c0%ae%c0%ae%c0%afetc/passwd",
];

/** What stands around the data directory: nothing may be made there. */
const around = (server: TestServer) => readdirSync(dirname(server.dataDir)).sort();

test("no id, name or path of a request becomes a path of ours: exports, traces, imports, installs, sessions", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server, "builtin");
  const before = around(server);
  const held = readdirSync(server.dataDir).filter((name) => name !== "held" && name !== "vaults").length;
  for (const path of PATHS) {
    for (const address of [
      `/${path}`,
      `/assets/${path}`,
      `/api/${path}`,
      `/api/export?format=md&sessionId=${path}`,
      `/api/trace?sessionId=${path}`,
      `/portlet/${path}`,
    ]) {
      const answer = await server.fetch(address);
      expect({ address, isFound: answer.status === 200 }).toEqual({ address, isFound: false });
      expect(await answer.text()).not.toContain("root:");
    }
    const decoded = decodeURIComponent(path.replaceAll("%c0", "%25c0").replaceAll("%a", "%25a"));
    for (const message of [
      { type: "session:open", sessionId: decoded },
      { type: "session:create", projectId: decoded, cliType: decoded },
      { type: "agent:install", cliType: decoded, version: decoded },
      { type: "agent:uninstall", cliType: decoded },
      { type: "session:output", sessionId: talk.sessionId, entryId: decoded, outputId: decoded },
      { type: "files:search", projectId: decoded, query: decoded },
    ]) {
      const mark = talk.client.mark();
      talk.client.sendRaw(JSON.stringify({ ...message, requestId: "hostile" }));
      expect(await talk.client.next("error", ({ requestId }) => requestId === "hostile", mark)).toBeDefined();
    }
  }
  const named = {
    type: "resource" as const,
    uri: "attachment:///../../../owned.txt",
    mimeType: "text/plain",
    text: "x",
  };
  await talk.client.request({ type: "session:send", sessionId: talk.sessionId, content: "look", attachments: [named] });
  await talk.untilTurnsEnded(1);
  expect(around(server)).toEqual(before);
  expect(readdirSync(server.dataDir).filter((name) => name !== "held" && name !== "vaults")).toHaveLength(held);
});

test("what is too large is turned away before it is kept: bodies for tools, imports and every other route", async () => {
  await using server = await startTestServer();
  const rpc = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
  const signedIn = { Authorization: `Bearer ${server.token}` };
  const post = (path: string, bytes: number, headers: Record<string, string>) =>
    server.fetch(path, { method: "POST", body: "x".repeat(bytes), headers });
  const MEBIBYTE = 1024 * 1024;
  expect((await post("/mcp", 2 * MEBIBYTE, { ...signedIn, ...rpc })).status).toBe(413);
  expect((await post("/mcp", 8 * MEBIBYTE, rpc)).status).toBe(401);
  const unannounced = new Blob(["x".repeat(8 * MEBIBYTE)]).stream();
  const told = await server.fetch("/mcp", { method: "POST", body: unannounced, headers: { ...signedIn, ...rpc } });
  expect(told.status).toBe(413);
  expect((await post("/api/status", 8 * MEBIBYTE, signedIn)).status).toBe(405);
  const announced = { ...signedIn, "Content-Length": String(2 ** 40), Connection: "close" };

  const answer = await rawHttp(server.port, { method: "POST", path: "/api/import?projectId=x", headers: announced });
  expect(answer.status).toBe(413);
  const manyHeaders = await rawHttp(server.port, { path: "/healthz", headers: { "X-Long": "x".repeat(MEBIBYTE) } });
  expect([0, 400, 413, 431]).toContain(manyHeaders.status);
  expect((await server.fetch("/healthz")).status).toBe(200);
});
