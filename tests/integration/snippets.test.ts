import { expect, test } from "bun:test";
import { sessionMention } from "../../src/protocol/session-mention.ts";
import { SNIPPET_BODY_CHARS_MAX } from "../../src/protocol/snippets.ts";
import { startTestServer } from "../support/test-server.ts";
import { useServer } from "../support/use-server.ts";
import { script, scriptedAgent } from "./scripted-agent.ts";
import { startTalk } from "./talk.ts";

const shared = useServer();

test("CV-53 a snippet that is saved, changed or removed is sent to every client", async () => {
  const server = shared();
  const [one, other] = [await server.connect(), await server.connect()];
  const name = `review-${crypto.randomUUID().slice(0, 8)}`;
  const mark = other.mark();
  const saved = await one.ask("snippet:list", { type: "snippet:save", name, body: "Review $ARGUMENTS." });
  const snippet = saved.snippets.find((known) => known.name === name);
  if (!snippet) throw new Error("it was not saved");
  await other.next("snippet:list", ({ snippets }) => snippets.some(({ id }) => id === snippet.id), mark);
  const change = { type: "snippet:save", snippetId: snippet.id, name, body: "Look at $ARGUMENTS." } as const;
  const changed = await other.ask("snippet:list", change);
  expect(changed.snippets.find(({ id }) => id === snippet.id)?.body).toBe("Look at $ARGUMENTS.");
  await one.ask("snippet:list", { type: "snippet:remove", snippetId: snippet.id });
  const left = await other.ask("snippet:list", { type: "snippet:list" });
  expect(left.snippets.some(({ id }) => id === snippet.id)).toBe(false);
  expect(await one.request(change)).toMatchObject({ type: "error", code: "SNIPPET_NOT_FOUND" });
});

test("CV-53 a name is given once in each place, and bad input changes nothing", async () => {
  const server = shared();
  const client = await server.connect();
  const path = await server.directory("snippets");
  const { project } = await client.ask("project:added", { type: "project:add", path });
  const save = { type: "snippet:save", name: "twice", body: "x" } as const;
  await client.ask("snippet:list", { ...save, commandId: "save-1" });
  await client.ask("snippet:list", { ...save, commandId: "save-1" });
  await client.ask("snippet:list", { ...save, projectId: project.id });
  const before = await client.ask("snippet:list", { type: "snippet:list" });
  expect(before.snippets.filter(({ name }) => name === "twice")).toHaveLength(2);
  expect(await client.request(save)).toMatchObject({ type: "error", code: "INVALID_MESSAGE" });
  const bad = [
    { ...save, name: "two words" },
    { ...save, name: "empty", body: "" },
    { ...save, name: "long", body: "x".repeat(SNIPPET_BODY_CHARS_MAX + 1) },
  ];
  for (const one of bad) expect(await client.request(one)).toMatchObject({ type: "error", code: "INVALID_MESSAGE" });
  const nowhere = { ...save, name: "nowhere", projectId: "no-project" };
  expect(await client.request(nowhere)).toMatchObject({ type: "error", code: "PROJECT_NOT_FOUND" });
  expect((await client.ask("snippet:list", { type: "snippet:list" })).snippets).toEqual(before.snippets);
});

test("a mentioned session goes to the agent as a link and is kept in the message", async () => {
  await using server = await startTestServer({ agents: { scripted: scriptedAgent() } });
  const talk = await startTalk(server, "scripted");
  const mention = sessionMention(talk.sessionId, "Fix the parser");
  const content = script({ echoPrompt: true }, { end: "end_turn" });
  const { sessionId } = talk;
  await talk.client.ask("ok", { type: "session:send", sessionId, content, attachments: [mention] });
  await talk.untilAnswer("resource_link");
  await talk.untilIdle();
  expect(talk.answer).toContain(JSON.stringify(mention.uri).slice(1, -1));
  expect(talk.entries[0]).toMatchObject({ type: "user", attachments: [mention] });
});
