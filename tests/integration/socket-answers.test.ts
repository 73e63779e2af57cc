import { expect, test } from "bun:test";
import type { ServerMessage } from "../../src/protocol/server-messages.ts";
import { PROTOCOL_VERSION } from "../../src/protocol/version.ts";
import type { Message, Request, SocketClient } from "../support/socket-client.ts";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { script, scriptedAgent } from "./scripted-agent.ts";
import { anotherTalk, reopen, startTalk } from "./talk.ts";

const FOLLOWED_MAX = 500;

test("every client is greeted with what it needs to draw at once", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const [hello] = (await server.connect()).all("hello");
  expect(hello).toMatchObject({ protocol: PROTOCOL_VERSION, version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
  expect(hello?.projects.map(({ id }) => id)).toEqual([talk.projectId]);
  const builtin = hello?.agents.find(({ id }) => id === "builtin");
  expect(builtin).toMatchObject({ status: "connected", availability: "ready" });
  expect(hello?.agents.slice(0, 2).map(({ id }) => String(id))).toEqual(["claude-code", "codex"]);
});

test("every command that carries a requestId gets exactly one answer with it, of the type the table names", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { client, sessionId, projectId } = talk;
  await talk.say("stream 2 words");
  const other = await anotherTalk(client, projectId);
  const path = await server.directory("more");
  const added = await client.ask("project:added", { type: "project:add", path });
  const before = talk.entries[0]?.entryId ?? "";
  const table: readonly (readonly [Request, ServerMessage["type"]])[] = [
    [{ type: "project:list" }, "project:list"],
    [{ type: "project:remove", projectId: added.project.id }, "project:removed"],
    [{ type: "session:list", projectId }, "session:list"],
    [{ type: "session:list", projectId, includeArchived: true }, "session:list"],
    [{ type: "session:create", projectId, cliType: "builtin" }, "session:created"],
    [{ type: "session:open", sessionId }, "session:history"],
    [{ type: "session:open", sessionId, after: talk.state.seq }, "session:resumed"],
    [{ type: "session:page", sessionId, before }, "session:page"],
    [{ type: "session:draft", sessionId, content: "…" }, "ok"],
    [{ type: "session:queue-edit", sessionId, items: [] }, "ok"],
    [{ type: "session:cancel", sessionId }, "ok"],
    [{ type: "session:configure", sessionId, configId: "voice", value: "detailed" }, "session:config"],
    [{ type: "session:rename", sessionId, title: "Renamed" }, "session:title-updated"],
    [{ type: "session:archive", sessionId }, "session:archived"],
    [{ type: "session:unarchive", sessionId }, "session:unarchived"],
    [{ type: "session:kill", sessionId }, "ok"],
    [{ type: "session:close", sessionId: other.sessionId }, "ok"],
    [{ type: "session:rename", sessionId: other.sessionId, title: "Not followed" }, "session:title-updated"],
    [{ type: "session:configure", sessionId: other.sessionId, configId: "voice", value: "brief" }, "session:config"],
    [{ type: "session:reconnect", cliType: "builtin" }, "agent:status"],
    [{ type: "agent:list" }, "agent:list"],
    [{ type: "session:send", sessionId, content: "hello" }, "ok"],
  ];
  for (const [message, type] of table) {
    expect({ asked: message.type, type: (await client.request(message)).type }).toEqual({ asked: message.type, type });
  }
});

test("answers to commands sent all at once come under their own ids, one each, also from a session just opened", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { sessionId, projectId } = talk;
  const client = await server.connect();
  const path = await server.directory("pipelined");
  const messages: Request[] = [
    { type: "session:rename", sessionId, title: "One" },
    { type: "session:open", sessionId },
    { type: "session:rename", sessionId, title: "Two" },
    { type: "session:close", sessionId },
    { type: "session:rename", sessionId, title: "Three" },
    { type: "session:open", sessionId, after: 1 },
    { type: "session:open", sessionId },
    { type: "session:archive", sessionId },
    { type: "session:open", sessionId, after: 2 },
    { type: "project:add", path },
    { type: "session:create", projectId, cliType: "builtin" },
    { type: "session:unarchive", sessionId },
    { type: "session:close", sessionId },
  ];
  const wanted: readonly ServerMessage["type"][] = [
    "session:title-updated",
    "session:history",
    "session:title-updated",
    "ok",
    "session:title-updated",
    "session:resumed",
    "session:history",
    "session:archived",
    "session:resumed",
    "project:added",
    "session:created",
    "session:unarchived",
    "ok",
  ];
  for (let round = 0; round < 5; round += 1) {
    const ids = messages.map((message) =>
      client.post(round > 0 && message.type === "project:add" ? { type: "project:list" } : message),
    );
    const types = await client.until("every answer", () => {
      const answers = ids.map((id) => client.answersTo(id)[0]?.type);
      return answers.every((type) => type !== undefined) && answers;
    });
    expect(types).toEqual(wanted.map((type) => (round > 0 && type === "project:added" ? "project:list" : type)));
  }
});

test("a command without a requestId gets no answer, and acts", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { client, sessionId } = talk;
  await talk.until("what the agent says of itself", ({ config }) => config.commands.length > 0);
  const mark = client.mark();
  client.sendRaw(JSON.stringify({ type: "session:rename", sessionId, title: "Quietly" }));
  client.sendRaw(JSON.stringify({ type: "session:draft", sessionId, content: "quiet" }));
  client.sendRaw(JSON.stringify({ type: "project:list" }));
  await talk.until("the rename", ({ title }) => title === "Quietly");
  await client.next("session:changed", ({ title }) => title === "Quietly", mark);
  await client.ask("agent:list", { type: "agent:list" });
  expect(new Set(client.received.slice(mark).map(({ type }) => type))).toEqual(
    new Set(["session:title-updated", "session:changed", "agent:list"]),
  );
});

test("the requester's copy alone carries the requestId, and the requester gets the event once", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const other = await reopen(await server.connect(), talk);
  const { client, sessionId } = talk;
  const commands: Request[] = [
    { type: "session:rename", sessionId, title: "Told to all" },
    { type: "session:archive", sessionId },
    { type: "session:unarchive", sessionId },
  ];
  for (const command of commands) {
    const mark = client.mark();
    const { type } = await client.request(command);
    await client.ask("agent:list", { type: "agent:list" });
    expect(client.received.slice(mark).filter((message) => message.type === type)).toHaveLength(1);
  }
  await other.until("the last of it", ({ seq }) => seq === talk.state.seq);
  expect(
    other.client.received.filter(({ type, requestId }) => type !== "session:history" && requestId !== undefined),
  ).toEqual([]);
});

test("unknown ids are refused with their own code, by every command that takes one", async () => {
  await using server = await startTestServer();
  const { client, projectId } = await startTalk(server);
  const sessionId = "builtin:no-such-session";
  const about: Request[] = [
    { type: "session:open", sessionId },
    { type: "session:open", sessionId, after: 3 },
    { type: "session:page", sessionId, before: "x" },
    { type: "session:send", sessionId, content: "hello" },
    { type: "session:queue-edit", sessionId, items: [] },
    { type: "session:cancel", sessionId },
    { type: "session:kill", sessionId },
    { type: "session:archive", sessionId },
    { type: "session:unarchive", sessionId },
    { type: "session:rename", sessionId, title: "x" },
    { type: "session:configure", sessionId, configId: "mode", value: "all" },
    { type: "session:draft", sessionId, content: "x" },
    { type: "permission:respond", sessionId, permissionId: "x", optionId: "y" },
  ];
  for (const message of about) {
    const { code, sessionId: named } = await client.ask("error", message);
    expect({ asked: message.type, code, named: String(named) }).toEqual({
      asked: message.type,
      code: "SESSION_NOT_FOUND",
      named: sessionId,
    });
  }
  await expectCode(client, { type: "project:remove", projectId: "none" }, "PROJECT_NOT_FOUND");
  await expectCode(client, { type: "session:list", projectId: "none" }, "PROJECT_NOT_FOUND");
  await expectCode(client, { type: "session:create", projectId: "none", cliType: "builtin" }, "PROJECT_NOT_FOUND");
  await expectCode(client, { type: "session:create", projectId, cliType: "no-such-agent" }, "AGENT_UNKNOWN");
  await expectCode(client, { type: "session:reconnect", cliType: "no-such-agent" }, "AGENT_UNKNOWN");
});

test("session:configure changes the agent's choice for every follower, and stays over a restart", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const other = await reopen(await server.connect(), talk);
  const { client, sessionId } = talk;
  const voice = (of: typeof talk) => of.state.config.options.find(({ id }) => id === "voice")?.currentValue;
  await talk.say("hello");
  const { config } = await client.ask("session:config", {
    type: "session:configure",
    sessionId,
    configId: "voice",
    value: "detailed",
  });
  expect(config.options.find(({ id }) => id === "voice")?.currentValue).toBe("detailed");
  await other.until("the change", () => voice(other) === "detailed");
  await server.stop();
  await server.start();
  const again = await reopen(await server.connect(), talk);
  expect(voice(again)).toBe("detailed");
});

test("a choice the agent refuses is answered with the agent's own words", async () => {
  await using server = await startTestServer({
    agents: { scripted: scriptedAgent({ refuse: "session/set_config_option" }) },
  });
  const { client, sessionId } = await startTalk(server, "scripted");
  const refused = await client.ask("error", { type: "session:configure", sessionId, configId: "pace", value: "slow" });
  expect(refused).toMatchObject({
    code: "AGENT_PROTOCOL_ERROR",
    message: expect.stringContaining("session/set_config_option is refused"),
  });
});

test("an agent that exits while a session is created is AGENT_UNAVAILABLE, not an internal error", async () => {
  await using server = await startTestServer({ agents: { scripted: scriptedAgent({ dieOn: "session/new" }) } });
  const client = await server.connect();
  const { project } = await client.ask("project:added", { type: "project:add", path: await server.directory("one") });
  const refused = await client.ask("error", { type: "session:create", projectId: project.id, cliType: "scripted" });
  expect(refused).toMatchObject({ code: "AGENT_UNAVAILABLE", message: expect.stringContaining("Scripted") });
});

test("an agent that asks for a sign-in in the middle of a turn ends it with AGENT_AUTH_REQUIRED", async () => {
  await using server = await startTestServer({ agents: { scripted: scriptedAgent() } });
  const talk = await startTalk(server, "scripted");
  await talk.send(script({ fail: { code: -32_000, message: "Authentication required" } }));
  const { turn } = await talk.untilTurnsEnded(1);
  expect(turn).toMatchObject({ stopReason: "error", error: { code: "AGENT_AUTH_REQUIRED" } });
});

test("more sessions followed by one client than the limit are refused by name and value", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { client, projectId } = talk;
  const create = { type: "session:create", projectId, cliType: "builtin" } as const;
  const made: Message<"session:created">[] = [];
  while (made.length < FOLLOWED_MAX)
    made.push(...(await Promise.all(Array.from({ length: 50 }, () => client.ask("session:created", create)))));
  const opened = await Promise.all(made.map(({ sessionId }) => client.request({ type: "session:open", sessionId })));
  const refused = opened.filter(({ type }) => type === "error");
  expect(refused).toHaveLength(1);
  expect(refused[0]).toMatchObject({
    code: "LIMIT_EXCEEDED",
    message: expect.stringContaining(String(FOLLOWED_MAX)),
  });
});

test("a stopping server turns new sockets away and lets those it has go", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { port } = server;
  expect(await server.stop()).toBe(0);
  expect(await talk.client.untilClosed()).toMatch(/^100[01]/);
  const refused = await waitFor(
    () =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        () => "answered",
        () => "refused",
      ),
    (answer) => answer === "refused",
    "the port to be closed",
  );
  expect(refused).toBe("refused");
});

async function expectCode(client: SocketClient, message: Request, code: string): Promise<void> {
  const answer = await client.ask("error", message);
  expect({ asked: message.type, code: String(answer.code) }).toEqual({ asked: message.type, code });
}
