import { expect, test } from "bun:test";
import { anotherTalk, startTalk } from "../integration/talk.ts";
import { guideWith, startTestServer } from "../support/test-server.ts";
import { McpCaller, sessionToken } from "./mcp-caller.ts";

const AGENTS = { coder: guideWith(), other: guideWith() };

test("O-7 without a name the orchestrator and a program get the agent the user last worked with in the project, others their own kind", async () => {
  await using server = await startTestServer({ agents: AGENTS });
  const talk = await startTalk(server, "builtin");
  const { client, projectId } = talk;
  await using caller = await McpCaller.overHttp(server, sessionToken(server, talk.sessionId));
  await using outside = await McpCaller.overHttp(server);
  const kinds = async (by: McpCaller, given = {}) => (await by.info(await by.create(given))).cliType;
  // Nobody has worked with another one here: what agents and programs start does not count, nor what is used elsewhere.
  await startTalk(server, "other");
  expect(await kinds(caller, { agent: "other" })).toBe("other");
  expect(await kinds(outside, { agent: "other", project: projectId })).toBe("other");
  expect(await kinds(caller)).toBe("builtin");

  const byHand = await anotherTalk(client, projectId, "coder");
  expect(await kinds(caller)).toBe("coder");
  expect(await kinds(outside, { project: projectId })).toBe("coder");
  await anotherTalk(client, projectId, "other");
  expect(await kinds(caller)).toBe("other");
  await byHand.say("help");
  expect(await kinds(caller)).toBe("coder");
  // One that is no orchestrator has children of its own kind.
  await using coder = await McpCaller.overHttp(server, sessionToken(server, byHand.sessionId));
  await anotherTalk(client, projectId, "other");
  expect(await kinds(coder)).toBe("coder");
});

test("O-6 an agent that does not exist is refused before a project is added for it", async () => {
  await using server = await startTestServer();
  await using outside = await McpCaller.overHttp(server);
  const project = await server.directory("new");
  expect(await outside.refusalOf("create_coding_agent", { agent: "nobody", project })).toContain(
    'Unknown agent "nobody"',
  );
  const client = await server.connect();
  expect((await client.ask("project:list", { type: "project:list" })).projects).toEqual([]);
});
