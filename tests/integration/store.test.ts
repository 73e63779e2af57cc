import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkData } from "../../src/operations/doctor/check-data.ts";
import { startTestServer, TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { reopen, startTalk } from "./talk.ts";

const DATABASE = "liminal.db";
const PERMISSION_BITS = 0o777;

/** What holds data, by name: an empty journal and SQLite's scratch file beside it hold none. */
async function databaseFiles(server: TestServer): Promise<Record<string, string>> {
  const names = (await readdir(server.dataDir)).filter((name) => name.startsWith(DATABASE) && !name.endsWith("-shm"));
  const files = names.toSorted().map(async (name) => [name, await readFile(join(server.dataDir, name))] as const);
  const whole = (await Promise.all(files)).filter(([, bytes]) => bytes.length > 0);
  return Object.fromEntries(whole.map(([name, bytes]) => [name, Bun.hash(bytes).toString(16)]));
}

/** What a server logs while it starts is read independently of the line that says that it has started. */
async function untilLogged(server: TestServer, words: string): Promise<void> {
  await waitFor(
    () => server.log,
    (log) => log.includes(words),
    `the log to say "${words}"`,
  );
}

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & PERMISSION_BITS).toString(8);
}

test("everything stored is its user's alone: the directory is 0700 and the token 0600", async () => {
  await using server = await startTestServer();
  await (await startTalk(server)).say("hello");
  expect(await modeOf(server.dataDir)).toBe("700");
  expect(await modeOf(join(server.dataDir, "token"))).toBe("600");
  const token = (await readFile(join(server.dataDir, "token"), "utf8")).trim();
  expect(server.token).toBe(token);
  expect(token.length).toBeGreaterThanOrEqual(32);
  await server.stop();
  await server.start();
  expect(server.token).toBe(token);
});

for (const { name, damage, isKept } of [
  // The tables and where they are, with or without what says that it is a database.
  {
    name: "overwritten at its start",
    damage: (bytes: Buffer) => bytes.fill("no database at all", 0, 4_096),
    isKept: true,
  },
  { name: "without its list of tables", damage: (bytes: Buffer) => bytes.fill(0xff, 100, 4_096), isKept: true },
  { name: "broken in its middle", damage: (bytes: Buffer) => bytes.fill(0xff, 4_096), isKept: false },
]) {
  test(`(S10) a database that is ${name} is moved aside completely and reported; its readable data is restored`, async () => {
    await using server = await startTestServer();
    const talk = await startTalk(server);
    await talk.say("stream 500 words");
    const { projects } = (await server.connect()).all("hello")[0] ?? {};
    await server.stop();
    const path = join(server.dataDir, DATABASE);
    const damaged = await readFile(path);
    damage(damaged);
    await writeFile(path, damaged);
    await server.start();
    const aside = (await readdir(server.dataDir)).find((file) => /\.damaged-.*Z$/.test(file));
    await untilLogged(server, aside ?? "no file was moved aside");
    await untilLogged(
      server,
      isKept
        ? "1 projects, 1 sessions, 2 entries. Nothing was lost."
        : "The database was damaged and could not be read. A new one was created.",
    );
    expect(await readFile(join(server.dataDir, aside ?? ""))).toEqual(damaged);
    const found = (await checkData(server.dataDir, Date.now())).map(({ status, message }) => `${status}: ${message}`);
    expect(found.join("\n")).toContain(aside ?? "no file was moved aside");
    const client = await server.connect();
    expect(client.all("hello")[0]?.projects).toEqual(isKept ? projects : []);
    if (!isKept) await (await startTalk(server)).say("hello");
    else {
      const again = await reopen(client, talk);
      expect(again.entries).toEqual(talk.entries);
      await again.say("stream 1 words");
    }
  });
}

for (const { name, hasJournal } of [
  { name: "closed in order", hasJournal: false },
  { name: "left with its journal by a crash", hasJournal: true },
]) {
  test(`a database of a newer version, ${name}, is refused and left byte for byte as it is`, async () => {
    await using server = await startTestServer();
    await (await startTalk(server)).say("hello");
    await server.stop();
    await makeNewer(join(server.dataDir, DATABASE), hasJournal);
    const before = await databaseFiles(server);
    expect(Object.keys(before)).toEqual(hasJournal ? [DATABASE, `${DATABASE}-wal`] : [DATABASE]);
    const { code, stdout, stderr } = await server.startInVain();
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("newer version");
    expect(stderr).toContain("9999");
    expect(stderr).not.toMatch(/\bat .*\.ts:\d+/);
    expect(await databaseFiles(server)).toEqual(before);
  });
}

/** As a newer program would leave it; with its journal, as after a crash of that one. */
async function makeNewer(path: string, hasJournal: boolean): Promise<void> {
  const db = new Database(path);
  db.run("PRAGMA user_version = 9999");
  const kept = hasJournal ? await Promise.all([path, `${path}-wal`].map((file) => readFile(file))) : [];
  db.close();
  for (const [index, bytes] of kept.entries()) await writeFile(index === 0 ? path : `${path}-wal`, bytes);
}

test("a second server on the same data directory ends with 1 and names the first, which is not disturbed", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { code, stdout, stderr } = await server.startInVain();
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain(`process ${server.pid}`);
  expect(stderr).toContain(`port ${server.port}`);
  expect(stderr).not.toContain(server.token);
  await talk.say("stream 2 words");
  await server.kill();
  await server.start();
});

test("LIMINAL_PORT=0 takes the last run's port when it is free, and another when it is not", async () => {
  await using server = await startTestServer();
  const { port } = server;
  await server.stop();
  await server.start();
  expect(server.port).toBe(port);
  await server.stop();
  const squatter = squat(port);
  await server.start();
  expect(server.port).not.toBe(port);
  await squatter.stop(true);
});

test("a port that is taken, a setting that makes no sense and a certificate that cannot be used end with 1 and one clear line", async () => {
  using squatter = squat(0);
  const cases: readonly (readonly [Record<string, string>, RegExp])[] = [
    [{ LIMINAL_PORT: String(squatter.port) }, /port is in use/],
    [{ LIMINAL_PORT: "many" }, /Invalid LIMINAL_PORT "many"/],
    [{ LIMINAL_PORT: "70000" }, /Invalid LIMINAL_PORT "70000"/],
    [{ ACP_START_TIMEOUT_MS: "-1" }, /ACP_START_TIMEOUT_MS/],
    [{ LIMINAL_TLS: "maybe" }, /Invalid LIMINAL_TLS "maybe"/],
    [{ LIMINAL_TLS_CERT: "/no/such.pem" }, /LIMINAL_TLS_KEY is not/],
    [{ LIMINAL_TLS_CERT: "/no/such.pem", LIMINAL_TLS_KEY: "/no/such.key" }, /LIMINAL_TLS_CERT: .* does not exist/],
  ];
  for (const [env, words] of cases) {
    await using server = await TestServer.prepare({ env });
    const { code, stdout, stderr } = await server.startInVain();
    expect({ env, code, stdout }).toEqual({ env, code: 1, stdout: "" });
    expect(stderr.trim()).toMatch(words);
    expect(stderr).not.toMatch(/\bat .*\.ts:\d+/);
  }
});

/** One that would share its port, as another server of ours once did without a word. */
function squat(port: number) {
  return Bun.serve({ port, hostname: "127.0.0.1", reusePort: true, fetch: () => new Response("mine") });
}

const LEGACY_PROJECTS = [
  { id: "p1", path: "/tmp", name: "Scratch", addedAt: "2024-01-02T03:04:05.000Z" },
  { id: "p2", path: "/usr" },
];
const LEGACY_SESSIONS = [
  {
    id: "claude-code:abc-1",
    projectId: "p1",
    cliType: "claude-code",
    title: "An old talk",
    createdAt: "2024-02-02T00:00:00.000Z",
    lastActiveAt: "2024-03-03T00:00:00.000Z",
    archived: false,
  },
  { id: "codex:def:2", projectId: "p1", cliType: "codex", title: "Put away", archived: true },
  { id: "codex:orphan", projectId: "gone", title: "Nobody's" },
  { nonsense: true },
];

for (const { name, envelope } of [
  { name: "named", envelope: (key: string, records: unknown[]) => ({ version: 1, [key]: records }) },
  { name: "data", envelope: (_key: string, records: unknown[]) => ({ version: 1, data: records }) },
]) {
  test(`projects and sessions of the older app (${name} envelope) are imported once, and its files stay`, async () => {
    const files = {
      "projects.json": JSON.stringify(envelope("projects", LEGACY_PROJECTS)),
      "sessions.json": JSON.stringify(envelope("sessions", LEGACY_SESSIONS)),
    };
    await using server = await startTestServer({
      prepare: async (dataDir) => {
        for (const [file, text] of Object.entries(files)) await writeFile(join(dataDir, file), text);
      },
    });
    const client = await server.connect();
    const { projects } = await client.ask("project:list", { type: "project:list" });
    expect<unknown>(projects.map(({ id, path, name: shown }) => ({ id, path, name: shown }))).toEqual([
      { id: "p1", path: "/tmp", name: "Scratch" },
      { id: "p2", path: "/usr", name: "usr" },
    ]);
    const list = { type: "session:list", projectId: "p1", includeArchived: true } as const;
    const { sessions } = await client.ask("session:list", list);
    expect<unknown>(sessions.map(({ id, title, archived }) => ({ id, title, archived }))).toContainEqual({
      id: "claude-code:abc-1",
      title: "An old talk",
      archived: false,
    });
    expect<unknown>(sessions.map(({ id }) => id).toSorted()).toEqual(["claude-code:abc-1", "codex:def:2"]);
    expect(sessions.find(({ archived }) => archived)?.title).toBe("Put away");
    // What is shown when it is opened: tests/transfer/legacy-files.test.ts.

    await client.ask("project:removed", { type: "project:remove", projectId: "p2" });
    await client.ask("session:title-updated", {
      type: "session:rename",
      sessionId: "claude-code:abc-1",
      title: "Renamed here",
    });
    await server.stop();
    await server.start();
    const later = await server.connect();
    expect(later.all("hello")[0]?.projects.map(({ id }) => String(id))).toEqual(["p1"]);
    expect((await later.ask("session:list", list)).sessions.map(({ title }) => title)).toContain("Renamed here");
    for (const [file, text] of Object.entries(files))
      expect(await readFile(join(server.dataDir, file), "utf8")).toBe(text);
  });
}

test("files of the older app that cannot be read are reported and stop nothing", async () => {
  await using server = await startTestServer({
    prepare: (dataDir) => writeFile(join(dataDir, "projects.json"), '{"version":1,"projects":[{"id":'),
  });
  await untilLogged(server, "Some data of an older version could not be imported");
  await (await startTalk(server)).say("hello");
});

test("TC-2.5a what is stored survives a kill right after it was answered", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { client, sessionId } = talk;
  await client.ask("session:title-updated", { type: "session:rename", sessionId, title: "Kept" });
  await client.ask("session:archived", { type: "session:archive", sessionId });
  await client.ask("ok", { type: "session:draft", sessionId, content: "draft" });
  await server.kill();
  await server.start();
  const again = await reopen(await server.connect(), talk);
  expect(again.state).toMatchObject({ title: "Kept", titleSource: "user", archived: true });
  expect(again.client.all("session:history")[0]?.draft).toBe("draft");
});
