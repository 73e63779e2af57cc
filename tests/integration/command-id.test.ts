import { expect, test } from "bun:test";
import type { ServerMessage } from "../../src/protocol/server-messages.ts";
import type { Request } from "../support/socket-client.ts";
import { guideWith, startTestServer } from "../support/test-server.ts";
import { reopen, startTalk } from "./talk.ts";

/** An answer without what only correlates it. */
function outcome({ requestId: _, ...rest }: ServerMessage): object {
  return rest;
}

test("a command sent again under its commandId acts once and gets the first outcome, also after a restart", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { client, sessionId, projectId } = talk;
  const path = await server.directory("once");
  const missing = `${path}/missing`;
  const commands: Request[] = [
    { type: "session:send", sessionId, content: "stream 2 words", commandId: "send" },
    { type: "session:rename", sessionId, title: "Once", commandId: "rename" },
    { type: "project:add", path, commandId: "add" },
    { type: "project:add", path: missing, commandId: "add-missing" },
    { type: "session:create", projectId, cliType: "builtin", commandId: "create" },
    { type: "session:create", projectId, cliType: "nobody", commandId: "create-nobody" },
    { type: "session:archive", sessionId, commandId: "archive" },
    { type: "session:unarchive", sessionId, commandId: "unarchive" },
    { type: "session:cancel", sessionId, commandId: "cancel" },
    { type: "session:send", sessionId, content: "  ", commandId: "send-empty" },
    { type: "session:configure", sessionId, configId: "voice", value: "detailed", commandId: "configure" },
  ];
  const first: object[] = [];
  for (const command of commands) {
    first.push(outcome(await client.request(command)));
    if (command.type === "session:send" && command.commandId === "send") await talk.untilTurnsEnded(1);
  }
  const standing = async () => {
    const { projects } = await client.ask("project:list", { type: "project:list" });
    const { sessions } = await client.ask("session:list", { type: "session:list", projectId, includeArchived: true });
    return { projects: projects.length, sessions: sessions.length, seq: talk.state.seq, messages: talk.messages };
  };
  const before = await standing();
  expect(before).toMatchObject({ projects: 2, sessions: 2, messages: ["stream 2 words"] });
  const second: object[] = [];
  for (const command of commands) second.push(outcome(await client.request(command)));
  expect(second).toEqual(first);
  expect(await standing()).toEqual(before);

  const agents = () => server.agentProcesses().filter(({ commandLine }) => commandLine.includes("builtin-agent"));
  const agentsBefore = agents();
  await server.kill();
  await server.start();
  const again = await reopen(await server.connect(), talk);
  const third: object[] = [];
  for (const command of commands) third.push(outcome(await again.client.request(command)));
  expect(third).toEqual(first);
  expect(again.messages).toEqual(["stream 2 words"]);
  expect(again.state.seq).toBe(before.seq);
  expect(agents()).toEqual(agentsBefore);
});

test("one command sent by two clients and twice by each at the same moment acts once", async () => {
  await using server = await startTestServer({ agents: { slow: guideWith("--start-delay-ms", "300") } });
  const talk = await startTalk(server);
  const other = await reopen(await server.connect(), talk);
  const { sessionId, projectId } = talk;
  const path = await server.directory("raced");
  const commands: Request[] = [
    { type: "session:create", projectId, cliType: "slow", commandId: "create" },
    { type: "session:send", sessionId, content: "stream 3 words", commandId: "send" },
    { type: "project:add", path, commandId: "add" },
    { type: "session:rename", sessionId, title: "Raced", commandId: "rename" },
  ];
  const asked = commands.map((command) =>
    Promise.all([talk.client, talk.client, other.client, other.client].map((client) => client.request(command))),
  );
  for (const answers of await Promise.all(asked)) {
    const [first, ...rest] = answers.map(outcome);
    expect(first).not.toMatchObject({ type: "error" });
    for (const each of rest) expect(each).toEqual(first ?? {});
  }
  await talk.untilTurnsEnded(1);
  expect(talk.messages).toEqual(["stream 3 words"]);
  const { sessions } = await talk.client.ask("session:list", { type: "session:list", projectId });
  expect(sessions).toHaveLength(2);
  expect((await talk.client.ask("project:list", { type: "project:list" })).projects).toHaveLength(2);
});

test("a queued message keeps its commandId, and sending it again does not queue it twice", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  await talk.send("sleep");
  await talk.untilAnswer("Sleeping");
  const first = await talk.send("stream 1 words", "queued-once");
  expect(await talk.send("stream 1 words", "queued-once")).toBe(first);
  await talk.until("the queue", ({ queue }) => queue.length > 0);
  expect(talk.state.queue).toMatchObject([{ commandId: "queued-once", content: "stream 1 words" }]);
  await talk.cancel();
  await talk.untilIdle();
  await talk.say("stream 2 words");
  await talk.untilTurnsEnded(3);
  expect(await talk.send("stream 1 words", "queued-once")).toBe(first);
  expect(talk.messages).toEqual(["sleep", "stream 2 words", "stream 1 words"]);
});

test("a commandId of 64 characters is taken, a longer or empty one is refused", async () => {
  await using server = await startTestServer();
  const { client, sessionId } = await startTalk(server);
  const rename = { type: "session:rename", sessionId, title: "x" } as const;
  await client.ask("session:title-updated", { ...rename, commandId: "c".repeat(64) });
  for (const commandId of ["c".repeat(65), ""]) {
    const { code, details } = await client.ask("error", { ...rename, commandId });
    expect({ code, about: details?.startsWith("commandId") }).toEqual({ code: "INVALID_MESSAGE", about: true });
  }
});
