import { expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { guideWith, startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { anotherTalk, startTalk } from "./talk.ts";

/** Every row of every table that knows the session, by table. */
function rowsLeft(server: TestServer): Record<string, number> {
  const db = new DatabaseSync(join(server.dataDir, "liminal.db"), { readOnly: true });
  const tables = [
    "session",
    "entry",
    "fact",
    "search_text",
    "search_index",
    "search_file",
    "search_backlog",
    "permission_record",
  ];
  const counts = tables.map((table) => [table, Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"])]);
  db.close();
  return Object.fromEntries(counts);
}

test("session:delete takes a session away for everyone, with a turn running, with all its rows, and its id is unknown", async () => {
  await using server = await startTestServer();
  const other = await server.connect();
  const talk = await startTalk(server);
  const { client, sessionId, projectId } = talk;
  await talk.say("persimmon");
  await talk.send("run sleep 100");
  await talk.asked();
  const follower = await server.connect();
  await follower.ask("session:history", { type: "session:open", sessionId });
  await client.ask("session:deleted", { type: "session:delete", sessionId });
  for (const each of [other, follower])
    await each.next("session:deleted", (message) => message.sessionId === sessionId, 0);
  const { sessions } = await client.ask("session:list", { type: "session:list", projectId, includeArchived: true });
  expect(sessions).toEqual([]);
  expect((await client.ask("search:results", { type: "search", query: "persimmon" })).hits).toEqual([]);
  const content = "hello";
  for (const command of [
    { type: "session:send", sessionId, content } as const,
    { type: "session:open", sessionId } as const,
    { type: "session:delete", sessionId } as const,
    { type: "session:rename", sessionId, title: "x" } as const,
    { type: "session:seen", sessionId, seq: 1 } as const,
    { type: "session:draft", sessionId, content } as const,
  ])
    expect((await client.ask("error", command)).code).toBe("SESSION_NOT_FOUND");
  const again = await anotherTalk(client, projectId);
  await again.say("stream 2 words");
  expect(again.answer).toBe("w1 w2");
  await client.ask("session:deleted", { type: "session:delete", sessionId: again.sessionId });
  expect(Object.values(rowsLeft(server)).every((count) => count === 0)).toBe(true);
});

test("session:delete under a commandId acts once, and its answer outlives the session and the server", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const command = { type: "session:delete", sessionId: talk.sessionId, commandId: "gone" } as const;
  await talk.client.ask("session:deleted", command);
  expect(await talk.client.ask("session:deleted", command)).toMatchObject({ sessionId: talk.sessionId });
  await server.stop();
  await server.start();
  const back = await server.connect();
  expect(await back.ask("session:deleted", command)).toMatchObject({ sessionId: talk.sessionId });
  const without = { type: "session:delete", sessionId: talk.sessionId } as const;
  expect((await back.ask("error", without)).code).toBe("SESSION_NOT_FOUND");
});

test("session:delete has the agent delete its own copy where it offers that, also when it has to be started for it", async () => {
  await using server = await startTestServer({ agents: { plain: guideWith("--without", "delete") } });
  const copies = () => readdir(join(server.dataDir, "guide")).catch(() => []);
  const talk = await startTalk(server);
  await talk.say("hello");
  const cold = await anotherTalk(talk.client, talk.projectId);
  await cold.say("hello");
  const witness = await anotherTalk(talk.client, talk.projectId);
  expect(await copies()).toHaveLength(3);
  await talk.client.ask("session:deleted", { type: "session:delete", sessionId: talk.sessionId });
  await waitFor(copies, (files) => files.length === 2, "the agent's own copy to be gone");
  const trace = await (await server.fetch(`/api/trace?sessionId=${encodeURIComponent(witness.sessionId)}`)).text();
  expect(trace.indexOf("session/close")).toBeLessThan(trace.indexOf("session/delete"));
  await server.stop();
  await server.start();
  const client = await server.connect();
  await client.ask("session:deleted", { type: "session:delete", sessionId: cold.sessionId });
  await waitFor(copies, (files) => files.length === 1, "the copy of an agent that was not running to be gone");

  const plain = await startTalk(server, "plain");
  await plain.say("hello");
  const before = (await copies()).length;
  await plain.client.ask("session:deleted", { type: "session:delete", sessionId: plain.sessionId });
  const next = await startTalk(server, "plain");
  await next.say("hello");
  const seen = await (await server.fetch(`/api/trace?sessionId=${encodeURIComponent(next.sessionId)}`)).text();
  expect(seen).not.toContain("session/delete");
  expect((await copies()).length).toBeGreaterThanOrEqual(before);
});
