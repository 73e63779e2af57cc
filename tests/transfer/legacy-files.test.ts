import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tempDir } from "../support/temp-dir.ts";
import { startTestServer } from "../support/test-server.ts";
import { guideIn, manySessions, writeGuideSessions } from "./guide-sessions.ts";
import { onlyTalk, rows } from "./import-steps.ts";

const CREATED = "2024-02-02T00:00:00.000Z";
const ACTIVE = "2024-03-03T00:00:00.000Z";

/** A data directory as the older app left it: a project, and a session that is named by the agent's id of it. */
function legacyFiles(path: string, agentSessionId: string) {
  const session = { id: `guide:${agentSessionId}`, projectId: "p1", cliType: "guide", title: "An old talk" };
  return async (dataDir: string) => {
    const projects = [{ id: "p1", path, name: "old" }];
    const sessions = [{ ...session, createdAt: CREATED, lastActiveAt: ACTIVE, archived: false }];
    await writeFile(join(dataDir, "projects.json"), JSON.stringify({ version: 1, projects }));
    await writeFile(join(dataDir, "sessions.json"), JSON.stringify({ version: 1, sessions }));
  };
}

test("X-12 W-4 a session of the older app has its history when it is opened, and goes on in its agent session (A15)", async () => {
  await using guide = await tempDir();
  await using project = await tempDir();
  await writeGuideSessions(guide.path, manySessions(1, project.path));
  await using server = await startTestServer({
    agents: { guide: guideIn(guide.path) },
    prepare: legacyFiles(project.path, "guide_0001"),
  });
  const talk = await onlyTalk(await server.connect(), "p1");
  await talk.until("its history", () => talk.entries.length === 2);
  expect(talk.entries).toMatchObject([
    { type: "user", content: "ask of 1", timestamp: ACTIVE },
    { type: "assistant", content: "answer of 1", timestamp: ACTIVE },
  ]);
  expect(await rows(talk.client, "p1")).toMatchObject([{ title: "An old talk", lastActiveAt: ACTIVE }]);
  await talk.say("stream 2 words");
  expect(talk.shape).toEqual(["user", "assistant", "user", "assistant"]);
  expect(await Bun.file(guide.join("guide_0001.jsonl")).text()).toContain("stream 2 words");

  await server.stop();
  await server.start();
  const later = await onlyTalk(await server.connect(), "p1");
  expect(later.shape).toEqual(["user", "assistant", "user", "assistant"]);
  expect(server.agentProcesses()).toEqual([]);
});

test("X-12 a message sent to a session of the older app before its history is read stands after it (A15)", async () => {
  await using guide = await tempDir();
  await using project = await tempDir();
  await writeGuideSessions(guide.path, manySessions(1, project.path));
  await using server = await startTestServer({
    agents: { guide: guideIn(guide.path) },
    prepare: legacyFiles(project.path, "guide_0001"),
  });
  const talk = await onlyTalk(await server.connect(), "p1");
  await talk.say("stream 1 words");
  expect(talk.entries.map(({ content }) => content)).toEqual(["ask of 1", "answer of 1", "stream 1 words", "w1"]);
});

test("X-12 a session of the older app that its agent no longer has says that the agent starts afresh (A15)", async () => {
  await using guide = await tempDir();
  await using project = await tempDir();
  await using server = await startTestServer({
    agents: { guide: guideIn(guide.path) },
    prepare: legacyFiles(project.path, "guide_gone"),
  });
  const talk = await onlyTalk(await server.connect(), "p1");
  await talk.until("the notice", () => talk.entries.length > 0);
  expect(talk.entries).toMatchObject([{ type: "notice", severity: "warning" }]);
  expect(talk.entries[0]?.content).toContain("starts over");
  await talk.say("stream 1 words");
  expect(talk.answer).toBe("w1");
  expect(talk.shape).toEqual(["notice", "user", "assistant"]);
});

test("X-12 a session of the older app whose agent cannot start says so, and how to try again (A15)", async () => {
  await using project = await tempDir();
  await using server = await startTestServer({
    agents: { guide: { name: "Guide", command: "/no/such/agent" } },
    prepare: legacyFiles(project.path, "guide_0001"),
  });
  const talk = await onlyTalk(await server.connect(), "p1");
  await talk.until("the notice", () => talk.entries.length > 0);
  expect(talk.entries).toMatchObject([{ type: "notice", severity: "warning" }]);
  expect(talk.entries[0]?.content).toMatch(
    /^Could not read the history of this session\..*Send a message to try again\.$/s,
  );
});
