import { expect, test } from "bun:test";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startTicks } from "../../src/agents/process/process-ledger.ts";
import { tempDir } from "../support/temp-dir.ts";
import { ROOT, startTestServer, type TestServer } from "../support/test-server.ts";
import { guideIn, manySessions, projectWith } from "./guide-sessions.ts";
import { found, foundIds, GUIDE, importAll, onlyTalk, openTalk, rows, startImport, untilDone } from "./import-steps.ts";

const SOME = 150;

function killReader(server: TestServer): void {
  const reader = server.agentProcesses().find(({ commandLine }) => commandLine.includes("builtin-agent/main.ts"));
  if (!reader) throw new Error("nobody reads");
  process.kill(reader.pid, "SIGKILL");
}

test("X-12 an agent killed in the middle of an import: the rest is read by another process, and nothing is half", async () => {
  await using guide = await tempDir();
  await using server = await startTestServer({ agents: { guide: guideIn(guide.path) } });
  const client = await server.connect();
  const { projectId } = await projectWith(server, client, guide.path, (cwd) => manySessions(SOME, cwd));
  const importId = await startImport(client, projectId, await foundIds(client, projectId));
  await client.next("import:progress", ({ done }) => done > 0, 0);
  killReader(server);
  const done = await untilDone(client, importId);
  expect(done).toMatchObject({ adopted: SOME, failedCount: 0 });
  const adopted = await rows(client, projectId);
  expect(adopted).toHaveLength(SOME);
  for (const row of adopted) expect((await openTalk(client, row)).shape).toEqual(["user", "assistant"]);
});

test("X-12 X-1 a server killed in the middle of an import has whole sessions only, and imports the rest later", async () => {
  await using guide = await tempDir();
  await using server = await startTestServer({ agents: { guide: guideIn(guide.path) } });
  const client = await server.connect();
  const { projectId } = await projectWith(server, client, guide.path, (cwd) => manySessions(SOME, cwd));
  await startImport(client, projectId, await foundIds(client, projectId));
  const { sessions: told } = await client.next("import:progress", ({ sessions }) => sessions.length > 0, 0);
  await server.kill();
  await server.start();
  const again = await server.connect();
  const kept = await rows(again, projectId);
  expect(kept.map(({ id }) => id)).toEqual(expect.arrayContaining(told.map(({ id }) => id)));
  for (const row of kept) expect((await openTalk(again, row)).shape).toEqual(["user", "assistant"]);
  const done = await importAll(again, projectId);
  expect(done).toMatchObject({ adopted: SOME - kept.length, failedCount: 0 });
  expect(await rows(again, projectId)).toHaveLength(SOME);
});

test("X-12 one that cannot be read is reported by name and reason, and the rest goes on", async () => {
  await using guide = await tempDir();
  await using server = await startTestServer({ agents: { guide: guideIn(guide.path) } });
  const client = await server.connect();
  const { projectId } = await projectWith(server, client, guide.path, (cwd) => manySessions(3, cwd));
  const ids = ["guide_0001", "guide_never", "guide_0002"];
  const done = await untilDone(client, await startImport(client, projectId, ids));
  expect(done).toMatchObject({ adopted: 2, failedCount: 1 });
  expect(done.failed).toEqual([{ agentSessionId: "guide_never", message: "The agent no longer lists this session." }]);
});

test("X-12 CV-4 a session whose turn still runs in a terminal is not imported without its end", async () => {
  await using dir = await tempDir();
  const [guide, registry] = [dir.join("guide"), dir.join("claude/sessions")];
  await Promise.all([mkdir(guide), mkdir(registry, { recursive: true })]);
  // By the name of its command it is Claude Code, whose registry says what its terminals do.
  await symlink(join(ROOT, "builtin-agent"), dir.join("claude-agent-acp"));
  const agent = {
    ...guideIn(guide),
    args: [dir.join("claude-agent-acp/main.ts")],
    env: { LIMINAL_GUIDE_DIR: guide, CLAUDE_CONFIG_DIR: dir.join("claude") },
  };
  await using server = await startTestServer({ agents: { guide: agent } });
  const client = await server.connect();
  const { projectId } = await projectWith(server, client, guide, (cwd) => manySessions(2, cwd));
  await using terminal = Bun.spawn(["sleep", "600"]);
  const { pid } = terminal;
  const does = (status: string) =>
    writeFile(
      join(registry, `${pid}.json`),
      JSON.stringify({ pid, sessionId: "guide_0001", procStart: startTicks(pid), status }),
    );
  for (const status of ["busy", "waiting"]) {
    await does(status);
    const done = await untilDone(client, await startImport(client, projectId, ["guide_0001"]));
    expect(done).toMatchObject({ adopted: 0, failedCount: 1 });
    expect(done.failed[0]?.message).toBe(
      "Test Guide is in the middle of a turn of this session, in another program. Import it when the turn has ended.",
    );
  }
  await does("idle");
  expect(await importAll(client, projectId)).toMatchObject({ adopted: 2, failedCount: 0 });
});

test("X-12 an agent that repeats only after its answer is heard to the end", async () => {
  await using guide = await tempDir();
  await using server = await startTestServer({ agents: { guide: guideIn(guide.path, "--scenario", "late-replay") } });
  const client = await server.connect();
  const { projectId } = await projectWith(server, client, guide.path, (cwd) => [
    { id: "guide_late", cwd, words: ["one", "two", "three"] },
  ]);
  expect(await importAll(client, projectId)).toMatchObject({ adopted: 1 });
  const talk = await onlyTalk(client, projectId);
  expect(talk.messages).toEqual(["ask one", "ask two", "ask three"]);
  expect(talk.answer).toBe("answer oneanswer twoanswer three");
});

test("X-12 an agent that lists and resumes but cannot load: the session says so, and goes on from its memory", async () => {
  await using guide = await tempDir();
  await using server = await startTestServer({ agents: { guide: guideIn(guide.path, "--without", "load") } });
  const client = await server.connect();
  const { projectId } = await projectWith(server, client, guide.path, (cwd) => manySessions(1, cwd));
  expect(await found(client, projectId)).toMatchObject({ brings: "memory" });
  expect(await importAll(client, projectId)).toMatchObject({ adopted: 1 });
  const talk = await onlyTalk(client, projectId);
  expect(talk.shape).toEqual(["notice"]);
  expect(talk.entries[0]?.content).toContain("cannot replay the earlier transcript");
  await talk.say("stream 2 words");
  expect(talk.shape).toEqual(["notice", "user", "assistant"]);
  expect(await Bun.file(guide.join("guide_0001.jsonl")).text()).toContain("stream 2 words");
});

for (const { without, words } of [
  { without: "list", words: "cannot list its sessions" },
  { without: "load,resume", words: "neither load nor resume" },
])
  test(`X-12 an agent without ${without} is refused in words, and no process of it stays`, async () => {
    await using guide = await tempDir();
    await using server = await startTestServer({ agents: { guide: guideIn(guide.path, "--without", without) } });
    const client = await server.connect();
    const { projectId } = await projectWith(server, client, guide.path, (cwd) => manySessions(1, cwd));
    const answer = await client.request({ type: "import:list", projectId, ...GUIDE });
    expect(answer).toMatchObject({ type: "error", code: "AGENT_PROTOCOL_ERROR" });
    expect(answer).toHaveProperty("message", expect.stringContaining(words));
    const done = await untilDone(client, await startImport(client, projectId, ["guide_0001"]));
    expect(done).toMatchObject({ adopted: 0, problem: expect.stringContaining(words) });
    expect(server.agentProcesses()).toEqual([]);
  });

test("X-12 an import of an agent or a project that is not there is refused", async () => {
  await using server = await startTestServer();
  const client = await server.connect();
  const path = await server.directory("here");
  const { project } = await client.ask("project:added", { type: "project:add", path });
  const unknown = { type: "import:list", projectId: project.id, cliType: "nobody" } as const;
  expect(await client.request(unknown)).toMatchObject({ code: "AGENT_UNKNOWN" });
  expect(await client.request({ ...unknown, projectId: "nowhere" })).toMatchObject({ code: "PROJECT_NOT_FOUND" });
  const nothing = { ...unknown, type: "import:start", cliType: "builtin", agentSessionIds: [] } as const;
  expect(await client.request({ ...nothing, agentSessionIds: [] })).toMatchObject({ code: "INVALID_MESSAGE" });
});
