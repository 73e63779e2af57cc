import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ProjectId } from "../../src/protocol/ids.ts";
import { LAB_TOOL, startHttpMcpServer, stdioMcpServer } from "../agents/lab-mcp-server.ts";
import { textsBy } from "../agents/model-server/model-request.ts";
import { startModelServer } from "../agents/model-server/model-server.ts";
import { toolLine } from "../agents/model-server/script.ts";
import { anotherTalk, startTalk, type Talk } from "../integration/talk.ts";
import { modelEnv } from "../orchestrator/model-env.ts";
import type { SocketClient } from "../support/socket-client.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { eagerAgent } from "./eager-agent.ts";

function serverWith(mcpServers: object, agents: object, env: Record<string, string> = {}): Promise<TestServer> {
  return startTestServer({
    env,
    prepare: (dataDir) => writeFile(join(dataDir, "config.json"), JSON.stringify({ mcpServers, agents })),
  });
}

const listIn = async (client: SocketClient, projectId: ProjectId) =>
  (await client.ask("mcp:servers", { type: "mcp:list", projectId })).servers;

/** What a new session of the project is offered, besides our own tools. */
async function offeredTo({ client, projectId }: Talk): Promise<string[]> {
  const talk = await anotherTalk(client, projectId, "eager");
  await talk.say("What did you find?");
  return talk.answer
    .split("\n")
    .filter((line) => !line.startsWith("liminal"))
    .sort();
}

test("O-8 the user's tool servers are given project by project: on unless switched off, and what is off in config.json is off until switched on", async () => {
  using web = startHttpMcpServer();
  const files = stdioMcpServer("/dev/null");
  const servers = { files, web: { ...web.setting, enabled: false } };
  await using server = await serverWith(servers, { eager: eagerAgent(true) });
  const [one, other] = [await startTalk(server, "eager"), await startTalk(server, "eager")];
  const choose = (talk: Talk, name: string, enabled: boolean) =>
    talk.client.ask("mcp:servers", { type: "mcp:choose", projectId: talk.projectId, name, enabled });
  expect(await offeredTo(one)).toEqual(["files over stdio: 1 tools"]);
  await choose(one, "web", true);
  await choose(other, "files", false);
  // Everyone hears of it.
  await one.client.next("mcp:servers", ({ projectId }) => projectId === other.projectId, 0);
  expect(await offeredTo(one)).toEqual(["files over stdio: 1 tools", "web over http: 1 tools"]);
  expect(await offeredTo(other)).toEqual([]);
  await server.kill();
  await server.start();
  const again = await one.joinedBy(await server.connect());
  expect((await listIn(again.client, one.projectId)).map(({ name, enabled }) => [name, enabled])).toEqual([
    ["files", true],
    ["web", true],
  ]);
  expect((await listIn(again.client, other.projectId)).map(({ enabled }) => enabled)).toEqual([false, false]);
});

test("O-8 what is shown of a tool server has no secret in it, and a name of none is refused", async () => {
  const servers = {
    files: { command: "/opt/files-server", args: ["--key", "secret-one"], env: { KEY: "secret-two" } },
    web: { url: "https://user:secret-three@tools.example/mcp?key=secret-four", headers: { A: "secret-five" } },
  };
  await using server = await serverWith(servers, {});
  const { client, projectId } = await startTalk(server);
  const shown = await listIn(client, projectId);
  expect(shown).toEqual([
    { name: "files", kind: "program", target: "files-server", enabled: true },
    { name: "web", kind: "address", target: "https://tools.example/mcp", enabled: true },
  ]);
  expect(JSON.stringify(shown)).not.toContain("secret");
  const refused = await client.request({ type: "mcp:choose", projectId, name: "nobody", enabled: true });
  expect(refused).toMatchObject({ type: "error", code: "INVALID_MESSAGE" });
  expect(await client.request({ type: "mcp:list", projectId: "nowhere" })).toMatchObject({
    type: "error",
    code: "PROJECT_NOT_FOUND",
  });
});

test("O-8 the orchestrator's model has the tools of a project's servers, asks before it uses them, and has none where they are off", async () => {
  await using model = startModelServer();
  const { LIMINAL_MODEL_KEY = "", ...env } = modelEnv(model);
  const servers = { lab: stdioMcpServer("/dev/null") };
  await using server = await serverWith(servers, { builtin: { env } }, { LIMINAL_MODEL_KEY });
  const talk = await startTalk(server);
  const seq = await talk.send(`${toolLine(LAB_TOOL, { text: "abc" })}\nsay: Backwards.`);
  await talk.answerWith("allow-once");
  await talk.untilIdle(seq);
  expect(textsBy(model.requests.at(-1), "tool")).toEqual(["cba"]);
  const { client, projectId } = talk;
  await client.ask("mcp:servers", { type: "mcp:choose", projectId, name: "lab", enabled: false });
  const without = await anotherTalk(client, projectId);
  await without.say("say: Nothing.");
  const names = model.requests.at(-1)?.tools.map(({ name }) => name) ?? [];
  expect(names).toContain("create_coding_agent");
  expect(names).not.toContain(LAB_TOOL);
});
