import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tempDir } from "../support/temp-dir.ts";
import { startTestServer } from "../support/test-server.ts";
import { guideIn, manySessions, projectWith } from "./guide-sessions.ts";
import { found, foundIds, GUIDE, importAll, onlyTalk, openTalk, rows, startImport, untilDone } from "./import-steps.ts";

const MANY = 1_000;

test("X-12 TC-2.4c sessions made outside are listed page by page, mixed into nothing, and adopted when chosen", async () => {
  await using guide = await tempDir();
  await using server = await startTestServer({ agents: { guide: guideIn(guide.path) } });
  const client = await server.connect();
  const other = await server.directory("other");
  const { projectId } = await projectWith(server, client, guide.path, (cwd) => [
    ...manySessions(120, cwd),
    { id: "guide_elsewhere", cwd: other, words: ["not here"] },
  ]);
  expect(await rows(client, projectId)).toEqual([]);
  const list = await found(client, projectId);
  expect(list.sessions).toHaveLength(120);
  expect(list).toMatchObject({ brings: "words", known: 0, isCut: false });
  expect(list.sessions[0]).toEqual({ agentSessionId: "guide_0120", updatedAt: "2025-06-15T15:08:39.000Z" });
  const importId = await startImport(client, projectId, ["guide_0007", "guide_0003"]);
  expect(await untilDone(client, importId)).toMatchObject({ adopted: 2, known: 0, failedCount: 0, cancelled: false });
  const adopted = await rows(client, projectId);
  expect(adopted.map(({ title }) => title)).toEqual(["ask of 7", "ask of 3"]);
  expect(adopted[0]).toMatchObject({ lastActiveAt: "2025-06-15T15:06:46.000Z", turn: { state: "idle" } });
  const told = client.all("import:progress").flatMap(({ sessions }) => sessions);
  expect(told.map(({ id }) => id).sort()).toEqual(adopted.map(({ id }) => id).sort());
  expect(await found(client, projectId)).toMatchObject({ known: 2 });
  for (const [index, row] of adopted.entries()) {
    const number = index === 0 ? 7 : 3;
    expect((await openTalk(client, row)).entries.map(({ type, content }) => [type, content])).toEqual([
      ["user", `ask of ${number}`],
      ["assistant", `answer of ${number}`],
    ]);
  }
  expect(server.agentProcesses()).toEqual([]);
});

test("X-12 W-4 an imported session goes on in the same agent session, also after a restart", async () => {
  await using guide = await tempDir();
  await using server = await startTestServer({ agents: { guide: guideIn(guide.path) } });
  const client = await server.connect();
  const { projectId } = await projectWith(server, client, guide.path, (cwd) => manySessions(1, cwd));
  await importAll(client, projectId);
  await server.stop();
  await server.start();
  const talk = await onlyTalk(await server.connect(), projectId);
  await talk.say("stream 2 words");
  expect(talk.shape).toEqual(["user", "assistant", "user", "assistant"]);
  expect(talk.answer).toBe("answer of 1w1 w2");
  expect(await Bun.file(guide.join("guide_0001.jsonl")).text()).toContain("stream 2 words");
});

test("X-12 a thousand sessions are imported with progress; a second time there is nothing left to import", async () => {
  await using guide = await tempDir();
  await using server = await startTestServer({ agents: { guide: guideIn(guide.path) } });
  const client = await server.connect();
  const { projectId } = await projectWith(server, client, guide.path, (cwd) => manySessions(MANY, cwd));
  const done = await importAll(client, projectId);
  expect(done).toMatchObject({ total: MANY, adopted: MANY, known: 0, failedCount: 0, cancelled: false });
  const counts = client.all("import:progress").map((message) => message.done);
  expect(counts.length).toBeGreaterThan(3);
  expect(counts).toEqual([...counts].sort((a, b) => a - b));
  expect(counts.at(-1)).toBe(MANY);
  const adopted = await rows(client, projectId);
  expect(new Set(adopted.map(({ title }) => title)).size).toBe(MANY);
  expect(await found(client, projectId)).toMatchObject({ sessions: [], known: MANY });
  const again = await startImport(client, projectId, ["guide_0001", "guide_0500"]);
  expect(await untilDone(client, again)).toMatchObject({ adopted: 0, known: 2, failedCount: 0 });
  expect(await rows(client, projectId)).toHaveLength(MANY);
}, 300_000);

test("X-12 an import cancelled in the middle keeps what was adopted whole, and the rest can be imported later", async () => {
  await using guide = await tempDir();
  await using server = await startTestServer({ agents: { guide: guideIn(guide.path) } });
  const client = await server.connect();
  const { projectId } = await projectWith(server, client, guide.path, (cwd) => manySessions(MANY, cwd));
  const importId = await startImport(client, projectId, await foundIds(client, projectId));
  await client.next("import:progress", ({ done }) => done > 0, 0);
  await client.ask("ok", { type: "import:cancel", importId });
  const done = await untilDone(client, importId);
  expect(done).toMatchObject({ cancelled: true, failedCount: 0 });
  expect(done.adopted).toBeGreaterThan(0);
  expect(done.adopted).toBeLessThan(MANY);
  const kept = await rows(client, projectId);
  expect(kept).toHaveLength(done.adopted);
  for (const row of kept.slice(0, 20)) {
    expect((await openTalk(client, row)).shape).toEqual(["user", "assistant"]);
  }
  expect(await found(client, projectId)).toMatchObject({ known: done.adopted });
  expect(await client.request({ type: "import:cancel", importId })).toMatchObject({ code: "REQUEST_NOT_PENDING" });
  expect(server.agentProcesses()).toEqual([]);
}, 300_000);

test("X-12 two clients that import the same sessions at once get each of them once", async () => {
  await using guide = await tempDir();
  await using server = await startTestServer({ agents: { guide: guideIn(guide.path) } });
  const [one, two] = [await server.connect(), await server.connect()];
  const { projectId } = await projectWith(server, one, guide.path, (cwd) => manySessions(100, cwd));
  const ids = await foundIds(one, projectId);
  const [first, second] = await Promise.all([startImport(one, projectId, ids), startImport(two, projectId, ids)]);
  const [a, b] = await Promise.all([untilDone(one, first), untilDone(two, second)]);
  expect(a.adopted + b.adopted).toBe(100);
  expect([a.adopted + a.known, b.adopted + b.known]).toEqual([100, 100]);
  const titles = (await rows(one, projectId)).map(({ title }) => title);
  expect(titles).toHaveLength(100);
  expect(new Set(titles).size).toBe(100);
});

test("X-12 sessions that were started here are never offered, not even one whose agent had to begin anew", async () => {
  await using guide = await tempDir();
  const forgetful = { guide: guideIn(guide.path, "--without", "resume,load") };
  await using server = await startTestServer({ agents: forgetful });
  const client = await server.connect();
  const { projectId } = await projectWith(server, client, guide.path, () => []);
  await client.ask("session:created", { type: "session:create", projectId, ...GUIDE });
  await (await onlyTalk(client, projectId)).say("stream 1 words");
  await server.stop();
  await server.start();
  const talk = await onlyTalk(await server.connect(), projectId);
  await talk.say("stream 2 words");
  expect(talk.shape).toContain("notice");
  await server.stop();
  await writeFile(join(server.dataDir, "config.json"), JSON.stringify({ agents: { guide: guideIn(guide.path) } }));
  await server.start();
  expect(await found(await server.connect(), projectId)).toMatchObject({ sessions: [], known: 2 });
});

test("X-12 a session deleted here is marked as such while its agent lists it, and comes back only when it is named", async () => {
  await using guide = await tempDir();
  await using server = await startTestServer({ agents: { guide: guideIn(guide.path, "--without", "delete") } });
  const client = await server.connect();
  const { projectId } = await projectWith(server, client, guide.path, (cwd) => manySessions(2, cwd));
  const deleteOnly = async () => {
    const { sessionId } = await onlyTalk(client, projectId);
    await client.ask("session:deleted", { type: "session:delete", sessionId });
  };
  const marks = async () =>
    (await found(client, projectId)).sessions.map(({ agentSessionId, deletedHere = false }) => [
      agentSessionId,
      deletedHere,
    ]);
  await untilDone(client, await startImport(client, projectId, ["guide_0001"]));
  expect(await marks()).toEqual([["guide_0002", false]]);
  await deleteOnly();
  const deleted = [
    ["guide_0002", false],
    ["guide_0001", true],
  ];
  expect(await marks()).toEqual(deleted);
  const again = await startImport(client, projectId, ["guide_0001"]);
  expect(await untilDone(client, again)).toMatchObject({ adopted: 1, known: 0, failedCount: 0 });
  expect(await marks()).toEqual([["guide_0002", false]]);
  expect((await onlyTalk(client, projectId)).shape).toEqual(["user", "assistant"]);
  await deleteOnly();
  expect(await marks()).toEqual(deleted);
});
