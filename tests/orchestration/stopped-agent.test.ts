import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { startTalk } from "../integration/talk.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startTestServer } from "../support/test-server.ts";
import { frailAgent } from "./frail-agent.ts";
import { McpCaller, sessionToken } from "./mcp-caller.ts";

test("O-6 X-20 an agent whose process stops while it is created is created by the next one, once, also when asked again", async () => {
  await using dir = await tempDir();
  await using server = await startTestServer({ agents: { frail: frailAgent(dir.path) } });
  const talk = await startTalk(server);
  await using caller = await McpCaller.overHttp(server, sessionToken(server, talk.sessionId));
  writeFileSync(dir.join("frail"), "");
  const first = await caller.create({ agent: "frail" });
  const given = { agent: "frail", plan: "stream 2 words", idempotencyKey: "k1" };
  const second = await caller.create(given);
  expect(existsSync(dir.join("frail"))).toBe(false);
  expect(await caller.create(given)).toBe(second);
  expect((await caller.wait({ agentIds: [second] })).agents).toMatchObject([{ status: "idle", text: "w1 w2" }]);
  expect((await caller.list()).map(({ agentId }) => agentId)).toEqual([first, second]);
});
