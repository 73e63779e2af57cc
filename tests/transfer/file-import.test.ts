import { expect, test } from "bun:test";
import { z } from "zod";
import { IMPORT_BYTES_MAX } from "../../src/protocol/limits.ts";
import { rawHttp } from "../integration/raw-http.ts";
import { startTalk } from "../integration/talk.ts";
import { guideWith, startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { exported, imported, importFile } from "./file-steps.ts";
import { hostileDocument } from "./hostile-document.ts";
import { HOSTILE_TEXTS } from "./hostile-texts.ts";
import { openTalk, rows } from "./import-steps.ts";

const LONG_ENTRIES = 20_000;
const Document = z.looseObject({
  session: z.looseObject({}),
  entries: z.array(z.looseObject({ turnId: z.string().optional() })),
});

/** A document without its ids and its time: turns are numbered. */
function lasting(text: string): unknown {
  const { exportedAt: _, entries, ...document } = Document.parse(JSON.parse(text));
  const turns = [...new Set(entries.map(({ turnId }) => turnId))];
  return {
    ...document,
    entries: entries.map(({ entryId: __, turnId, ...entry }) => ({ turn: turns.indexOf(turnId), ...entry })),
  };
}

/** A long session, in turns of two entries. */
function longDocument(): string {
  const at = "2026-01-01T00:00:00.000Z";
  const entries = Array.from({ length: LONG_ENTRIES }, (_, index) => ({
    type: index % 2 === 0 ? "user" : "assistant",
    ...{ entryId: `e${index}`, turnId: `t${Math.floor(index / 2)}`, content: `entry number ${index}`, timestamp: at },
  }));
  const base: object = hostileDocument([]);
  return JSON.stringify({ ...base, entries });
}

test("X-12 export, import, export gives the same document, less the ids and the time", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  await talk.say("all");
  await talk.say("stream 20 words");
  const before = talk.answer.length;
  const seq = await talk.send("stream 500 words at 10/s");
  await talk.until("its first words", () => talk.answer.slice(before).includes("w3"));
  await talk.cancel();
  await talk.untilIdle(seq);
  const first = await exported(server, talk.sessionId, "json");
  const row = await imported(server, talk.projectId, first);
  expect(row.id).not.toBe(talk.sessionId);
  const second = await exported(server, row.id, "json");
  expect(lasting(second)).toEqual(lasting(first));
  const ids = (text: string) => Document.parse(JSON.parse(text)).entries.map((entry) => entry["entryId"]);
  expect(ids(second).filter((id) => ids(first).includes(id))).toEqual([]);
  const third = await exported(server, (await imported(server, talk.projectId, second, "&copy=1")).id, "json");
  expect(lasting(third)).toEqual(lasting(first));
});

test("X-12 the same file twice is told as already imported; a copy is made when wanted, and other projects have their own", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  await talk.say("stream 2 words");
  const file = await exported(server, talk.sessionId, "json");
  const row = await imported(server, talk.projectId, file);
  const again = await importFile(server, talk.projectId, JSON.stringify(JSON.parse(file)));
  expect(again).toMatchObject({ status: 409, code: "ALREADY_IMPORTED", session: { id: row.id } });
  expect(again.error).toBe("Already imported as “stream 2 words”.");
  const copy = await imported(server, talk.projectId, file, "&copy=1");
  expect((await rows(talk.client, talk.projectId)).map(({ id }) => id).sort()).toEqual(
    [talk.sessionId, row.id, copy.id].sort(),
  );
  const other = await startTalk(server);
  expect((await imported(server, other.projectId, file)).projectId).toBe(other.projectId);
});

test("X-12 W-4 an imported file is a session like any other: told to all, opened, and its next message starts an agent afresh", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  await talk.say("stream 2 words");
  const file = await exported(server, talk.sessionId, "json");
  const mark = talk.client.mark();
  const row = await imported(server, talk.projectId, file);
  await talk.client.next("session:created", ({ sessionId }) => sessionId === row.id, mark);
  await server.stop();
  await server.start();
  const again = await openTalk(await server.connect(), row);
  expect(again.entries.map(({ type, content }) => [type, content])).toEqual(
    talk.entries.map(({ type, content }) => [type, content]),
  );
  await again.say("stream 3 words");
  expect(again.shape).toEqual(["user", "assistant", "user", "notice", "assistant"]);
  expect(again.entries[3]?.content).toContain("starts over");
  await again.say("stream 1 words");
  expect(again.shape.slice(5)).toEqual(["user", "assistant"]);
});

test("X-12 X-3 a session of 20,000 entries comes in, is paged, and goes out whole in every form", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const row = await imported(server, talk.projectId, longDocument());
  const opened = await talk.client.ask("session:history", { type: "session:open", sessionId: row.id, limit: 50 });
  expect(opened.entries.map(({ content }) => content).at(-1)).toBe(`entry number ${LONG_ENTRIES - 1}`);
  // The index reads a long session in small steps, the newest first.
  const query = `"entry number ${LONG_ENTRIES - 2}"`;
  const { hits } = await waitFor(
    () => talk.client.ask("search:results", { type: "search", query }),
    (results) => results.hits.length > 0,
    "the newest entries to be found",
  );
  expect(hits.map(({ sessionId }) => sessionId)).toEqual([row.id]);
  const before = opened.entries[0]?.entryId ?? "";
  const page = await talk.client.ask("session:page", { type: "session:page", sessionId: row.id, before, limit: 50 });
  expect(page.entries.at(-1)?.content).toBe(`entry number ${LONG_ENTRIES - 51}`);
  for (const form of ["md", "html", "json"] as const) {
    const numbers = [...(await exported(server, row.id, form)).matchAll(/entry number (\d+)/g)].map(([, number]) =>
      Number(number),
    );
    expect(numbers).toEqual(Array.from({ length: LONG_ENTRIES }, (_, index) => index));
  }
});

test("X-12 NFR-5 hostile words survive the way in and out as the words they are", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const row = await imported(server, talk.projectId, JSON.stringify(hostileDocument(HOSTILE_TEXTS)));
  const { entries } = Document.parse(JSON.parse(await exported(server, row.id, "json")));
  const said = entries.filter(({ type }) => type === "user").map(({ content }) => content);
  expect(said).toEqual([...HOSTILE_TEXTS]);
});

const good = hostileDocument(["fine"]);
const goodEntries = z.array(z.looseObject({})).parse(Reflect.get(good, "entries"));
const goodSession: object = Reflect.get(good, "session");
const deep = `${"[".repeat(200)}${"]".repeat(200)}`;

const BROKEN = [
  { name: "nothing", body: "", words: "not JSON" },
  {
    name: "half a document",
    body: `{"format":1,\n"entries":[\n{"type":"user"},\n{"type":"us`,
    words: "line 4: not JSON",
  },
  { name: "a list", body: "[]", words: "expected an object" },
  { name: "another format", body: JSON.stringify({ ...good, format: "x" }), words: "format: " },
  { name: "a newer version", body: JSON.stringify({ ...good, version: 2 }), words: "version: " },
  { name: "no session", body: JSON.stringify({ ...good, session: undefined }), words: "session: " },
  {
    name: "no title",
    body: JSON.stringify({ ...good, session: { ...goodSession, title: "" } }),
    words: "session.title: ",
  },
  {
    name: "a time that is none",
    body: JSON.stringify({ ...good, session: { ...goodSession, createdAt: "soon" } }),
    words: "session.createdAt: not a time",
  },
  {
    name: "entries that are no list",
    body: JSON.stringify({ ...good, entries: {} }),
    words: "entries: expected a list",
  },
  {
    name: "an unknown entry",
    body: JSON.stringify({ ...good, entries: [goodEntries[0], { type: "x" }] }),
    words: "entries[1]",
  },
  {
    name: "a bad part",
    body: JSON.stringify({ ...good, entries: [{ ...goodEntries[0], attachments: [{ type: "diff" }] }] }),
    words: "entries[0].attachments[0]",
  },
  {
    name: "a bad time",
    body: JSON.stringify({ ...good, entries: [{ ...goodEntries[0], timestamp: "x" }] }),
    words: "entries[0].timestamp: not a time",
  },
  {
    name: "too deep a value",
    body: JSON.stringify({ ...good, entries: [{ ...goodEntries[3], input: JSON.parse(deep) }] }),
    words: "entries[0]: nested more than",
  },
  {
    name: "an agent nobody has",
    body: JSON.stringify({ ...good, session: { ...goodSession, cliType: "nobody" } }),
    words: 'Unknown agent "nobody"',
  },
];

test("X-12 a file that is no document is refused with the place, and nothing is made of it", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  for (const { name, body, words } of BROKEN) {
    const { status, error } = await importFile(server, talk.projectId, body);
    expect({ name, status, error }).toEqual({ name, status: 422, error: expect.stringContaining(words) });
  }
  expect(await rows(talk.client, talk.projectId)).toHaveLength(1);
});

test("X-12 an import needs the token, a project, POST and a text; another agent may be chosen for it", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const file = JSON.stringify({ ...good, session: { ...goodSession, cliType: "nobody" } });
  const path = `/api/import?projectId=${talk.projectId}`;
  expect((await server.fetch(path, { method: "POST", body: file, headers: {} })).status).toBe(401);
  expect((await server.fetch(path)).status).toBe(405);
  expect((await importFile(server, "nowhere", file)).status).toBe(404);
  expect((await importFile(server, talk.projectId, new Uint8Array([0xff, 0xfe, 0x00]))).error).toContain("UTF-8");
  expect(await imported(server, talk.projectId, file, "&cliType=builtin")).toMatchObject({ cliType: "builtin" });
});

const TOO_LARGE = "exceeds the limit of 128 MiB. To move all sessions, use liminal backup";

test("X-12 a file over the limit, however far, is refused before it is read, and the words name another way", async () => {
  await using server = await startTestServer();
  const { projectId } = await startTalk(server);
  const path = `/api/import?projectId=${projectId}`;
  for (const bytes of [IMPORT_BYTES_MAX + 1, 3 * IMPORT_BYTES_MAX, 2 ** 40]) {
    const headers = { Authorization: `Bearer ${server.token}`, "Content-Length": String(bytes) };
    const { status, body } = await rawHttp(server.port, { method: "POST", path, headers });
    expect(status).toBe(413);
    expect(body).toContain(TOO_LARGE);
  }
  expect(IMPORT_BYTES_MAX).toBe(128 * 1024 * 1024);
});

test("X-12 a file that does not say how long it is and goes past the limit is refused in the same words", async () => {
  await using server = await startTestServer();
  const { projectId } = await startTalk(server);
  const piece = new Uint8Array(1024 * 1024).fill(0x20);
  let left = IMPORT_BYTES_MAX / piece.byteLength + 1;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (left === 0) controller.close();
      else controller.enqueue(piece);
      left -= 1;
    },
  });
  const headers = { Authorization: `Bearer ${server.token}` };
  const answer = await server.fetch(`/api/import?projectId=${projectId}`, { method: "POST", body, headers });
  expect(answer.status).toBe(413);
  expect(await answer.text()).toContain(TOO_LARGE);
  expect((await server.fetch("/healthz")).status).toBe(200);
});

test("X-12 an output too long for its entry goes out whole as JSON, and comes in whole", async () => {
  await using server = await startTestServer({ agents: { guide: { ...guideWith(), permissions: "all" } } });
  const talk = await startTalk(server, "guide");
  await talk.say("run seq 1 60000");
  const [call] = talk.tools;
  expect(call?.truncated?.totalChars).toBeGreaterThan(300_000);
  const numbers = Array.from({ length: 60_000 }, (_, index) => `${index + 1}\n`).join("");
  const first = await exported(server, talk.sessionId, "json");
  expect(resultOf(first)).toBe(numbers);
  const row = await imported(server, talk.projectId, first);
  expect((await openTalk(talk.client, row)).tools[0]?.truncated).toEqual(call?.truncated);
  expect(resultOf(await exported(server, row.id, "json"))).toBe(numbers);
});

function resultOf(document: string): unknown {
  return Document.parse(JSON.parse(document)).entries.find(({ type }) => type === "tool-call")?.["result"];
}
