import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SessionId } from "../../src/protocol/ids.ts";
import type { SocketClient } from "../support/socket-client.ts";
import { guideWith, startTestServer, type TestServer } from "../support/test-server.ts";
import { chunk, script, scriptedAgent } from "./scripted-agent.ts";
import { anotherTalk, startTalk, Talk } from "./talk.ts";

const ECHO = { echo: [{ echoPrompt: true }, { end: "end_turn" }] } as const;
const scripted = (embeddedContext: boolean) =>
  scriptedAgent({
    scripts: { ...ECHO, "one more": [chunk("Sure."), { end: "end_turn" }] },
    answers: {
      initialize: {
        protocolVersion: 1,
        agentInfo: { name: "scripted", version: "1" },
        agentCapabilities: { promptCapabilities: { embeddedContext } },
      },
    },
  });

async function opened(client: SocketClient, from: Talk, sessionId: SessionId): Promise<Talk> {
  await client.ask("session:history", { type: "session:open", sessionId });
  return new Talk(client, from.projectId, sessionId);
}

/** Everything that the database has of a session, byte for byte. */
function stored(server: TestServer, sessionId: SessionId): string {
  using db = new Database(join(server.dataDir, "liminal.db"), { readonly: true });
  const key = db.query("SELECT key FROM session WHERE id = ?").values(sessionId)[0]?.[0];
  const rows = [
    "session WHERE key",
    "entry WHERE session_key",
    "fact WHERE session_key",
    "output_piece WHERE session_key",
  ];
  return JSON.stringify(rows.map((what) => db.query(`SELECT * FROM ${what} = ?`).values(key as number)));
}

test("CV-10 CV-11 CV-16 every ended turn and every own message is a point; the source stays byte for byte the same", async () => {
  await using server = await startTestServer({ agents: { scripted: scripted(true) } });
  const talk = await startTalk(server, "scripted");
  for (const word of ["alpha", "beta", "gamma"]) await talk.say(script(chunk(`Said ${word}.`), { end: "end_turn" }));
  const before = stored(server, talk.sessionId);
  const source = talk.entries;
  const { client, sessionId } = talk;

  for (const [index, entry] of source.entries()) {
    const { session } = await client.ask("session:created", { type: "session:branch", sessionId, at: entry.entryId });
    const branch = await opened(client, talk, session.id);
    const end = index + (entry.type === "user" ? 2 : 1);
    expect(branch.entries).toEqual(source.slice(0, end));
    expect(session.origin).toEqual({ kind: "branch", sessionId, entryId: source[end - 1]?.entryId, how: "primed" });
    expect(branch.state.primer?.context).toMatchObject({ turns: end / 2, omitted: 0 });
  }
  for (const [index, entry] of source.entries()) {
    if (entry.type !== "user") {
      const refused = await client.ask("error", { type: "session:branch", sessionId, at: entry.entryId, before: true });
      expect(refused).toMatchObject({ code: "BRANCH_POINT" });
      continue;
    }
    const edit = { type: "session:branch", sessionId, at: entry.entryId, before: true, content: "echo" } as const;
    const { session } = await client.ask("session:created", edit);
    const branch = await opened(client, talk, session.id);
    await branch.untilTurnsEnded(index / 2 + 1);
    expect(branch.entries.slice(0, index)).toEqual(source.slice(0, index));
    expect(branch.messages.at(-1)).toBe("echo");
    const asked = branch.entries.findLast(({ type }) => type === "user");
    // Before the first message there is no context pack, and nothing to derive a title from.
    expect(asked?.type === "user" && asked.context !== undefined).toBe(index > 0);
    expect(branch.state.title).toBe(index > 0 ? talk.state.title : "echo");
  }
  expect(stored(server, sessionId)).toBe(before);
});

for (const { embeddedContext, block } of [
  { embeddedContext: true, block: "resource" },
  { embeddedContext: false, block: "text" },
]) {
  test(`CV-15 CV-16 another agent takes over, and gets message first, conversation second, as ${block}`, async () => {
    await using server = await startTestServer({ agents: { scripted: scripted(embeddedContext) } });
    const talk = await startTalk(server);
    await talk.say("stream 3 words");
    const { client, sessionId } = talk;
    const command = {
      type: "session:branch",
      sessionId,
      cliType: "scripted",
      content: "echo",
      commandId: "over-1",
    } as const;
    const { session } = await client.ask("session:created", command);
    expect(session.origin).toMatchObject({ kind: "handover", sessionId, how: "primed" });
    const branch = await opened(client, talk, session.id);
    await branch.untilTurnsEnded(2);
    // Repeated, it neither makes another one nor sends again.
    expect((await client.ask("session:created", command)).sessionId).toBe(session.id);
    const asked = branch.entries.findLast((entry) => entry.type === "user");
    const { content, context } = await client.ask("session:pack", {
      type: "session:pack",
      sessionId: session.id,
      entryId: asked?.entryId ?? "",
    });
    expect(asked).toMatchObject({ content: "echo", context });
    expect(context).toMatchObject({ chars: content.length, turns: 1, omitted: 0 });
    expect(content).toContain("stream 3 words");
    expect(content).toContain("w1 w2 w3");
    const heard = JSON.parse(branch.entries.findLast((entry) => entry.type === "assistant")?.content ?? "");
    expect(heard[0]).toEqual({ type: "text", text: "echo" });
    expect(heard[1].type).toBe(block);
    expect(block === "resource" ? heard[1].resource.text : heard[1].text).toBe(content);
    expect(heard).toHaveLength(2);
    await talk.until("the notice", () => talk.entries.at(-1)?.type === "notice");
    expect(talk.entries.at(-1)).toMatchObject({
      branch: { sessionId: session.id },
      content: expect.stringContaining("Goes on with"),
    });
    // The next message goes alone.
    await branch.say("echo");
    expect(JSON.parse(branch.entries.at(-1)?.content ?? "")).toEqual([{ type: "text", text: "echo" }]);
  });
}

test("CV-14 a branch keeps the options and the permissions of its source, not the choice made last", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  await talk.say("stream 1 words");
  const { client, sessionId } = talk;
  const [option] = talk.state.config.options.filter((one) => one.type === "select");
  const other = option?.options
    .flatMap((one) => ("group" in one ? one.options : [one]))
    .find(({ value }) => value !== option.currentValue);
  await client.ask("session:config", {
    type: "session:configure",
    sessionId,
    configId: option?.id ?? "",
    value: other?.value ?? "",
  });
  await client.ask("policy:state", { type: "policy:set", scope: "session", sessionId, mode: "edits" });
  // What a new session would begin with is another value again.
  const later = await anotherTalk(client, talk.projectId);
  await later.say("stream 1 words");
  await client.ask("session:config", {
    type: "session:configure",
    sessionId: later.sessionId,
    configId: option?.id ?? "",
    value: option?.currentValue ?? "",
  });
  const { session } = await client.ask("session:created", {
    type: "session:branch",
    sessionId,
    content: "stream 2 words",
  });
  const branch = await opened(client, talk, session.id);
  await branch.untilTurnsEnded(2);
  const same = branch.state.config.options.find(({ id }) => id === option?.id);
  expect(same?.currentValue).toBe(other?.value ?? "");
  expect(branch.shape).toEqual([...talk.shape, "user", "assistant"]);
  const state = await client.ask("policy:state", { type: "policy:get", scope: "session", sessionId: session.id });
  expect(state.mode).toBe("edits");
});

test("CV-15 another agent takes over from one that is gone", async () => {
  await using server = await startTestServer({ agents: { gone: guideWith() } });
  const talk = await startTalk(server, "gone");
  await talk.say("stream 3 words");
  await server.stop();
  await writeFile(join(server.dataDir, "config.json"), JSON.stringify({ agents: {} }));
  await server.start();
  const client = await server.connect();
  const { sessionId } = talk;
  const same = await client.ask("error", { type: "session:branch", sessionId });
  expect(same).toMatchObject({ code: "AGENT_UNKNOWN" });
  const over = { type: "session:branch", sessionId, cliType: "builtin", content: "stream 2 words" } as const;
  const { session } = await client.ask("session:created", over);
  const branch = await opened(client, talk, session.id);
  await branch.untilTurnsEnded(2);
  expect(branch.entries.findLast(({ type }) => type === "user")).toMatchObject({ context: { turns: 1, omitted: 0 } });
  expect(session.origin).toMatchObject({ kind: "handover", sessionId, how: "primed" });
});

test("CV-19 an agent that replays its context pack adds nothing to the transcript, however short the message", async () => {
  const agent = guideWith("--without", "resume");
  await using server = await startTestServer({ agents: { guide: agent } });
  const talk = await startTalk(server, "guide");
  await talk.say("stream 3 words");
  const { client, sessionId } = talk;
  const { session } = await client.ask("session:created", { type: "session:branch", sessionId, content: "hi" });
  const branch = await opened(client, talk, session.id);
  await branch.untilTurnsEnded(2);
  const before = branch.entries;
  await server.stop();
  await server.start();
  const again = await opened(await server.connect(), talk, session.id);
  expect(again.entries).toEqual(before);
  await again.say("stream 2 words");
  expect(again.entries.slice(0, before.length)).toEqual(before);
  expect(again.shape.slice(before.length)).toEqual(["user", "assistant"]);
});

test("CV-16 an agent that starts over gets the conversation with the message on its way, and the notice shows it", async () => {
  const forgetful = scriptedAgent({
    scripts: ECHO,
    refuse: "session/resume",
    refuseCode: -32002,
  });
  await using server = await startTestServer({ agents: { scripted: forgetful } });
  const talk = await startTalk(server, "scripted");
  await talk.say(script(chunk("Remember the fox."), { exit: 1 }));
  await talk.say("echo");
  const notice = talk.entries.findLast((entry) => entry.type === "notice");
  expect(notice?.content).toContain("gets what was said so far with this message");
  const asked = talk.entries.findLast((entry) => entry.type === "user");
  expect(asked).toMatchObject({ content: "echo", context: { turns: 1 } });
  expect(talk.answer).toContain("Remember the fox.");
});

test("a branch is found once by the search, and by itself when its source is gone", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  await talk.say("stream 2 words about a quokka");
  const { client, sessionId } = talk;
  const { session } = await client.ask("session:created", {
    type: "session:branch",
    sessionId,
    options: { title: "Other" },
  });
  const hits = async () => {
    const found = await client.ask("search:results", { type: "search", query: "quokka" });
    return found.hits.filter(({ kind }) => kind === "user").map((hit) => hit.sessionId);
  };
  expect(await hits()).toEqual([sessionId]);
  await client.ask("session:deleted", { type: "session:delete", sessionId });
  for (let found = await hits(); found.length === 0; found = await hits()) await Bun.sleep(5);
  expect(await hits()).toEqual([session.id]);
});
