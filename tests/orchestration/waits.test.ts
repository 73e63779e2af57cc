import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DEFAULT_REQUEST_TIMEOUT_MSEC } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioTransportV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpTransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { DEFAULT_REQUEST_TIMEOUT_MSEC as DEFAULT_REQUEST_TIMEOUT_MSEC_V1 } from "@modelcontextprotocol/sdk/shared/protocol.js";
import { loadConfigFile } from "../../src/operations/config-file.ts";
import { startTalk } from "../integration/talk.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { McpCaller, relayProgram, sessionToken } from "./mcp-caller.ts";

const SILENT_WAIT_MS = 300;
const PROGRESS_EVERY_MS = 100;
/** What a client gives a call, unless progress starts it anew. */
const CLIENT_TIMEOUT_MS = 1_500;
const LONG_WAIT = { name: "wait_for_agents", arguments: { timeoutMs: 600_000 } };

type Way = "overHttp" | "overStdio";

interface WaitOptions {
  readonly timeout?: number;
  readonly resetTimeoutOnProgress?: boolean;
  readonly onprogress?: (progress: { readonly progress: number; readonly message?: string | undefined }) => void;
}

/** What both official SDKs can do. */
interface OfficialClient extends AsyncDisposable {
  readonly name: string;
  readonly instructions: string | undefined;
  readonly toolNames: () => Promise<readonly string[]>;
  readonly wait: (options?: WaitOptions) => Promise<unknown>;
}

let server: TestServer;
let token: string;
let owner: McpCaller;
let clients: readonly OfficialClient[];
beforeAll(async () => {
  const orchestration = { silentWaitMs: SILENT_WAIT_MS, progressEveryMs: PROGRESS_EVERY_MS };
  server = await startTestServer({
    prepare: (dataDir) => writeFile(join(dataDir, "config.json"), JSON.stringify({ orchestration })),
  });
  const talk = await startTalk(server, "builtin");
  token = sessionToken(server, talk.sessionId);
  owner = await McpCaller.overHttp(server, token);
  const [http, stdio] = ["overHttp", "overStdio"] as const;
  clients = await Promise.all([connectV1(http), connectV1(stdio), connectV2(http), connectV2(stdio)]);
});
afterAll(async () => {
  await Promise.all([owner, ...clients].map((one) => one[Symbol.asyncDispose]()));
  await server[Symbol.asyncDispose]();
});

test("O-2 (C2) both official SDKs see the instructions and the tools, over HTTP and through the relay", async () => {
  const [tools, instructions] = [(await owner.client.listTools()).tools, owner.client.getInstructions()];
  expect(instructions).toContain("list_agent_kinds");
  const names = tools.map(({ name }) => name);
  expect(names).toContain("wait_for_agents");
  const seen = clients.map(async (one) => [one.name, one.instructions, await one.toolNames()] as const);
  expect(await Promise.all(seen)).toEqual(clients.map(({ name }) => [name, instructions, names]));
});

test("O-7 (C7) a wait without a progress token ends before the limit of both official SDKs, and reports that", async () => {
  const agentId = await owner.create({ plan: "sleep" });
  // The second is what common programs do: without a listener the SDK asks for no progress.
  for (const options of [undefined, { resetTimeoutOnProgress: true }])
    for (const cut of await Promise.all(clients.map((one) => one.wait(options)))) {
      expect(cut).toMatchObject({ reason: "timeout", pending: [agentId] });
      expect(cut).toHaveProperty("hint", expect.stringContaining(`it waited ${SILENT_WAIT_MS} ms`));
    }
  await owner.call("kill_agent", { agentId });
});

test("O-7 (C7) a wait that outlasts the limit of both official SDKs is kept alive by progress", async () => {
  const agentId = await owner.create({ plan: "sleep" });
  const start = performance.now();
  const waits = clients.map((one) => {
    const outlasted = Promise.withResolvers<void>();
    const messages = new Set<string | undefined>();
    const onprogress: WaitOptions["onprogress"] = ({ message }) => {
      messages.add(message);
      if (performance.now() - start > CLIENT_TIMEOUT_MS + PROGRESS_EVERY_MS) outlasted.resolve();
    };
    const over = one.wait({ timeout: CLIENT_TIMEOUT_MS, resetTimeoutOnProgress: true, onprogress });
    return { name: one.name, messages, over, outlasted: Promise.race([outlasted.promise, over]) };
  });
  await Promise.all(waits.map(({ outlasted }) => outlasted));
  // Before the cancel: a progress message that is sent in the moment of its end counts no agent.
  for (const { name, messages } of waits) expect([name, ...messages]).toEqual([name, "Waiting for 1 of 1 agents"]);
  await owner.call("cancel_agent", { agentId });
  for (const { name, over } of waits) expect([name, await over]).toMatchObject([name, { reason: "aborted" }]);
});

test("O-7 (C7) by default a silent wait ends, and progress is sent, before the limit of either official SDK", () => {
  const limitMs = Math.min(DEFAULT_REQUEST_TIMEOUT_MSEC, DEFAULT_REQUEST_TIMEOUT_MSEC_V1);
  const { orchestration } = loadConfigFile(join(server.dataDir, "none.json"));
  expect(orchestration.silentWaitMs).toBeLessThan(limitMs);
  expect(orchestration.progressEveryMs).toBeLessThan(limitMs);
});

async function connectV2(way: Way): Promise<OfficialClient> {
  const caller = await McpCaller[way](server, token);
  return {
    name: `v2 ${way}`,
    instructions: caller.client.getInstructions(),
    toolNames: async () => (await caller.client.listTools()).tools.map(({ name }) => name),
    wait: async (options) => (await caller.client.callTool(LONG_WAIT, options)).structuredContent,
    [Symbol.asyncDispose]: () => caller[Symbol.asyncDispose](),
  };
}

async function connectV1(way: Way): Promise<OfficialClient> {
  const client = new ClientV1({ name: "test", version: "1" });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  if (way === "overStdio") await client.connect(new StdioTransportV1(relayProgram(server, token)));
  else await client.connect(new HttpTransportV1(new URL(`${server.origin}/mcp`), { requestInit }));
  return {
    name: `v1 ${way}`,
    instructions: client.getInstructions(),
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    wait: async (options) => (await client.callTool(LONG_WAIT, undefined, options))["structuredContent"],
    [Symbol.asyncDispose]: () => client.close(),
  };
}
