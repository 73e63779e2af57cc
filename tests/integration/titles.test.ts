import { expect, test } from "bun:test";
import { startTestServer } from "../support/test-server.ts";
import { chunk, script, scriptedAgent } from "./scripted-agent.ts";
import { anotherTalk, reopen, startTalk } from "./talk.ts";

const TITLE_CHARS_MAX = 50;

test("the title is derived from the first message at once, before the answer, and sent to every client", async () => {
  await using server = await startTestServer();
  const other = await server.connect();
  const talk = await startTalk(server);
  expect(talk.state.title).toBe("New Session");
  await talk.send("  sleep\n\t ");
  await talk.untilAnswer("Sleeping");
  const kinds = talk.client.received.map((message) =>
    message.type === "session:update" ? `${message.type} ${message.entry.type}` : message.type,
  );
  const titled = kinds.indexOf("session:title-updated");
  expect(titled).toBeGreaterThan(-1);
  expect(titled).toBeLessThan(kinds.indexOf("session:update assistant"));
  expect(talk.state.title).toBe("sleep");
  const told = await other.next("session:title-updated", ({ sessionId }) => sessionId === talk.sessionId, 0);
  expect(told).toMatchObject({ title: "sleep", source: "derived" });
  await other.next("session:changed", ({ id, title }) => id === talk.sessionId && title === "sleep", 0);
  await talk.cancel();
  await talk.untilIdle();
  await talk.say("hello");
  expect(talk.state.title).toBe("sleep");
});

test("a long first message is cut at a space, or at fifty characters when there is none; no text gives no title", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { client, projectId } = talk;
  const words = "one two three four five six seven eight nine ten eleven twelve";
  const cases = [
    { content: words, title: "one two three four five six seven eight nine ten…" },
    { content: `  many \n\n lines\tand   spaces  `, title: "many lines and spaces" },
    { content: "x".repeat(TITLE_CHARS_MAX), title: "x".repeat(TITLE_CHARS_MAX) },
    { content: "x".repeat(TITLE_CHARS_MAX + 1), title: `${"x".repeat(TITLE_CHARS_MAX)}…` },
    { content: `early ${"y".repeat(80)}`, title: `early ${"y".repeat(44)}…` },
    { content: `${"z".repeat(49)}😀 and on`, title: `${"z".repeat(49)}…` },
  ];
  for (const { content, title } of cases) {
    const each = await anotherTalk(client, projectId);
    await each.send(content);
    expect((await each.until("a title", (state) => state.titleSource === "derived")).title).toBe(title);
  }
  const { sessionId } = talk;
  const image = { type: "image", mimeType: "image/png", data: "AAAA" } as const;
  const { seq } = await client.ask("ok", { type: "session:send", sessionId, content: "", attachments: [image] });
  const { title, titleSource } = await talk.untilIdle(seq);
  expect({ title, titleSource }).toEqual({ title: "New Session", titleSource: "none" });
  expect(talk.answer).toContain("an image (image/png");
});

test("a user's rename beats the agent's title, which beats the derived one, also after a restart", async () => {
  await using server = await startTestServer({ agents: { scripted: scriptedAgent() } });
  const talk = await startTalk(server, "scripted");
  const { client, sessionId } = talk;
  const titled = (title: string) => ({ update: { sessionUpdate: "session_info_update", title } });
  await talk.say(script(titled("  By the\nagent "), chunk("ok"), { end: "end_turn" }));
  expect(talk.state).toMatchObject({ title: "By the agent", titleSource: "agent" });
  await talk.say(script(titled("By the agent, again"), { end: "end_turn" }));
  expect(talk.state.title).toBe("By the agent, again");

  const renamed = await client.ask("session:title-updated", { type: "session:rename", sessionId, title: " Mine " });
  expect(renamed).toMatchObject({ title: "Mine", source: "user" });
  await talk.say(script(titled("Too late"), { end: "end_turn" }));
  expect(talk.state).toMatchObject({ title: "Mine", titleSource: "user" });
  await server.stop();
  await server.start();
  const again = await reopen(await server.connect(), talk);
  await again.say(script(titled("Too late still"), { end: "end_turn" }));
  expect(again.state).toMatchObject({ title: "Mine", titleSource: "user" });
});

test("a rename before the first message holds; an empty or too long one is refused", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { client, sessionId } = talk;
  for (const title of ["", "  \n", "x".repeat(201)]) {
    const { code } = await client.ask("error", { type: "session:rename", sessionId, title });
    expect(code).toBe("INVALID_MESSAGE");
  }
  await client.ask("session:title-updated", { type: "session:rename", sessionId, title: "First" });
  await talk.say("hello");
  expect(talk.state).toMatchObject({ title: "First", titleSource: "user" });
});
