import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { anotherTalk, startTalk, type Talk } from "./talk.ts";

const Counters = z.object({ counters: z.object({ searchTextsIndexed: z.int(), searchEntriesLeft: z.int() }) });

async function hitsOf({ client }: Talk, query: string, filters: object = {}) {
  const { hits } = await client.ask("search:results", { type: "search", query, ...filters });
  return hits;
}

async function countersOf(server: TestServer) {
  return Counters.parse(await (await server.fetch("/api/status")).json()).counters;
}

test("X-10 all content of a turn can be found from its end on: prompt, answer, thinking, tools, files, title", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const path = await server.directory(talk.projectId);
  const { project } = await talk.client.ask("project:added", { type: "project:add", path });
  await writeFile(join(path, "marmalade.txt"), "clementines inside");
  const inside = await anotherTalk(talk.client, project.id);
  await inside.say("read marmalade.txt");
  await talk.say("think");
  await talk.client.ask("session:title-updated", {
    type: "session:rename",
    sessionId: talk.sessionId,
    title: "Wombat",
  });
  const read = await hitsOf(talk, "clementines");
  expect(read.map(({ sessionId, projectId, kind }) => ({ sessionId, projectId, kind }))).toContainEqual({
    sessionId: inside.sessionId,
    projectId: project.id,
    kind: "tool-call",
  });
  const tool = read.find(({ kind }) => kind === "tool-call");
  expect(inside.tools.some(({ entryId }) => entryId === tool?.entryId)).toBe(true);
  expect(tool?.snippet.filter(({ hit }) => hit).map(({ text }) => text)).toEqual(["clementines"]);
  expect((await hitsOf(talk, "", { path: "marmalade" })).map(({ kind }) => kind)).toEqual(["tool-call"]);
  const thought = inside.client.sessions.state(talk.sessionId).settled.find(({ type }) => type === "thinking");
  const words = thought?.content.split(" ").slice(0, 4).join(" ") ?? "";
  const thoughts = await hitsOf(talk, `"${words}"`, { kinds: ["thinking"] });
  expect(thoughts.map(({ entryId }) => entryId)).toEqual([thought?.entryId]);
  expect((await hitsOf(talk, "womb")).map(({ kind, title }) => [kind, title])).toEqual([["title", "Wombat"]]);
  expect(await hitsOf(talk, "clementines", { projectId: talk.projectId })).toEqual([]);
});

test("X-10 no query breaks the search: quotes, operators, emoji, nothing, ten kilobytes", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  await talk.say("stream 3 words");
  const queries = [
    "",
    '"',
    '"""',
    "AND OR NOT",
    "w1 AND (",
    "*",
    "w*:",
    "🎉",
    "検索",
    "x".repeat(10_240),
    "' OR 1=1 --",
    "{a b}",
  ];
  for (const query of queries) await hitsOf(talk, query);
  expect((await hitsOf(talk, "w2")).map(({ kind }) => kind)).toEqual(["assistant"]);
  for (const wrong of [
    { query: "x".repeat(30_000) },
    { query: 1 },
    { query: "a", kinds: ["nobody"] },
    { query: "a", from: "soon" },
  ]) {
    const before = talk.client.mark();
    talk.client.sendRaw(JSON.stringify({ type: "search", ...wrong }));
    expect((await talk.client.next("error", () => true, before)).code).toBe("INVALID_MESSAGE");
  }
});

test("X-10 sessions of a removed project and archived ones are not shown, and are back with it or when asked for", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { client, sessionId, projectId } = talk;
  await talk.say("tangerine");
  const count = async (filters = {}) => (await hitsOf(talk, "tangerine", filters)).length;
  const all = await count();
  expect(all).toBeGreaterThan(0);
  await client.ask("session:archived", { type: "session:archive", sessionId });
  expect([await count(), await count({ includeArchived: true })]).toEqual([0, all]);
  await client.ask("session:unarchived", { type: "session:unarchive", sessionId });
  const { projects } = await client.ask("project:list", { type: "project:list" });
  await client.ask("project:removed", { type: "project:remove", projectId });
  expect(await count({ includeArchived: true })).toBe(0);
  await client.ask("project:added", { type: "project:add", path: projects[0]?.path ?? "" });
  expect(await count()).toBe(all);
});

test("X-10 a database from before the index is read after the start, in the background, and /api/status has the progress", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  await talk.say("pomegranate");
  await server.stop();
  const db = new DatabaseSync(join(server.dataDir, "liminal.db"));
  // As the migration leaves a database of the version before.
  db.exec("DELETE FROM search_text; DELETE FROM search_index; DELETE FROM search_file");
  db.exec("INSERT INTO search_backlog (session_key, before_position) SELECT key, next_position FROM session");
  db.close();
  await server.start();
  await waitFor(
    () => countersOf(server),
    ({ searchEntriesLeft, searchTextsIndexed }) => searchEntriesLeft === 0 && searchTextsIndexed > 0,
    "the index to be whole",
  );
  const { hits } = await (await server.connect()).ask("search:results", { type: "search", query: "pomegranate" });
  expect(hits.map(({ kind }) => kind)).toContain("user");
});

test("X-10 a page of a long session reaches down to a given entry in few bounded answers", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  for (const word of ["first", "second", "third", "fourth"]) await talk.say(word);
  const late = await server.connect();
  const { sessionId } = talk;
  const { entries } = await late.ask("session:history", { type: "session:open", sessionId, limit: 1 });
  const [newest] = entries;
  const [first] = talk.entries;
  if (!newest || !first) throw new Error("there is nothing to page");
  const page = await late.ask("session:page", {
    type: "session:page",
    sessionId,
    before: newest.entryId,
    until: first.entryId,
  });
  expect([page.entries.length, page.hasMore]).toEqual([talk.entries.length - 1, false]);
  expect(late.sessions.state(sessionId).settled).toEqual(talk.state.settled);
  for (const until of ["nobody", newest.entryId]) {
    const { code } = await late.ask("error", { type: "session:page", sessionId, before: newest.entryId, until });
    expect(code).toBe("INVALID_MESSAGE");
  }
});
