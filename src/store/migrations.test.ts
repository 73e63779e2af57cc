import { describe, expect, it } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { reopen, Talk } from "../../tests/integration/talk.ts";
import { FIXTURE_TOKEN, FIXTURES } from "../../tests/support/keep-schema.ts";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { startTestServer } from "../../tests/support/test-server.ts";
import { ProjectId, SessionId } from "../protocol/ids.ts";
import { NoCopyError } from "./database/copy-before-migration.ts";
import { inspectDatabase, openDatabase } from "./database/open-database.ts";
import { MIGRATIONS, SCHEMA_VERSION } from "./migrations.ts";
import { SqliteSessionLog } from "./session-log/sqlite-session-log.ts";
import { SqliteProjectStore } from "./sqlite-project-store.ts";

const MESSAGES = ["stream 3 words", "run echo hi", "plan"];
const DATABASE = "liminal.db";
const ATTACHMENT = { type: "link" as const, uri: "file:///sample/notes.md", name: "notes.md" };

/** One fixture for each migration; `npm run keep-schema` writes that of the newest. */
function versions(): number[] {
  return MIGRATIONS.map((_, index) => index + 1);
}

function fixture(version: number): string {
  return readFileSync(join(FIXTURES, `schema-${version}.sql`), "utf8");
}

/** The first lines of a fixture, with data beside its tables. */
function noted(version: number, what: "migration sha256" | "device cookie"): string | null {
  return new RegExp(`^-- ${what} (\\S+)$`, "m").exec(fixture(version))?.[1] ?? null;
}

/** Fixtures that also have rules, attachments of a draft, an archived session and a device. */
function wholeVersions(): number[] {
  return versions().filter((version) => noted(version, "device cookie") !== null);
}

/** A database as that version left it. */
function writeOld(path: string, version: number): void {
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA journal_mode = WAL; BEGIN; ${fixture(version)} COMMIT;`);
  db.close();
}

function sessionIds(db: DatabaseSync): SessionId[] {
  return db
    .prepare("SELECT id FROM session ORDER BY key")
    .all()
    .map(({ id }) => SessionId.parse(id));
}

describe("a database of an earlier version", () => {
  it("is kept for every version there was, and no released step is ever changed", () => {
    const kept = versions().map((version) => `schema-${version}.sql`);
    expect(new Set(readdirSync(FIXTURES))).toEqual(new Set(kept));
    const digests = MIGRATIONS.map((sql) => createHash("sha256").update(sql).digest("hex").slice(0, 16));
    expect(digests).toEqual(versions().map((version) => String(noted(version, "migration sha256"))));
  });

  for (const version of versions())
    it(`X-1 of schema ${version} opens with everything in it, and is copied before it is changed`, async () => {
      await using dir = await tempDir();
      const path = dir.join(DATABASE);
      writeOld(path, version);
      const { db, copiedTo, movedAside } = openDatabase(path, "stamp");
      using _ = db;
      expect(movedAside).toBeNull();
      const isOlder = version < SCHEMA_VERSION;
      expect(copiedTo).toBe(isOlder ? `${path}.schema-${version}` : null);
      if (copiedTo !== null) {
        expect(statSync(copiedTo).mode & 0o777).toBe(0o600);
        using copy = new DatabaseSync(copiedTo, { readOnly: true });
        expect(copy.prepare("PRAGMA user_version").get()).toEqual({ user_version: version });
        expect(sessionIds(copy)).toEqual(sessionIds(db));
      }
      const log = new SqliteSessionLog(db);
      const read = sessionIds(db).map(async (id) => {
        const stored = await log.load(id);
        const page = await log.page(id, null, 999);
        if (!stored || !page) throw new Error(`${id} is not there`);
        return { id, stored, entries: [...page.entries, ...stored.state.open] };
      });
      const [done, running] = await Promise.all(read);
      expect(done?.entries.flatMap((entry) => (entry.type === "user" ? [entry.content] : []))).toEqual(MESSAGES);
      expect(done?.entries.some((entry) => entry.type === "tool-call" && entry.result?.includes("hi"))).toBe(true);
      const attachments = wholeVersions().includes(version) ? [ATTACHMENT] : [];
      expect(done && (await log.drafts.read(done.id))).toEqual({ content: "a draft", attachments });
      expect(running?.stored.state.turn.state).toBe("running");
      expect(running?.entries.map(({ type }) => type).slice(0, 2)).toContain("user");
      expect(running?.entries.some((entry) => entry.type === "assistant" && entry.content.startsWith("w1"))).toBe(true);
      expect(await new SqliteProjectStore(db).list()).toHaveLength(1);
      expect(inspectDatabase(path)).toEqual({ damage: null, version: SCHEMA_VERSION });
    });

  // Schema 11 is from before pages had keys of their own: its browsers stay listed, and sign in once more.
  it.each([
    { version: 11, isSignedIn: false },
    { version: SCHEMA_VERSION, isSignedIn: true },
  ])("X-1 X-16 of schema $version is served with its rules, devices, drafts and archived sessions", async (from) => {
    const { version, isSignedIn } = from;
    await using server = await startTestServer({
      prepare: (dataDir) => writeOld(join(dataDir, DATABASE), version),
      env: { LIMINAL_TOKEN: FIXTURE_TOKEN },
    });
    const client = await server.connect();
    const [project] = (await client.ask("project:list", { type: "project:list" })).projects;
    const projectId = ProjectId.parse(project?.id);
    const list = { type: "session:list", projectId } as const;
    const shown = (await client.ask("session:list", list)).sessions;
    const all = (await client.ask("session:list", { ...list, includeArchived: true })).sessions;
    expect([shown.length, all.length]).toEqual([2, 3]);
    expect(all.filter(({ archived }) => archived)).toHaveLength(1);

    const talks = all.map(({ id }) => new Talk(client, projectId, id));
    for (const talk of talks) await reopen(client, talk);
    const done = talks.find(({ messages }) => messages.join() === MESSAGES.join());
    if (!done) throw new Error("the session with three turns is not there");
    const opened = await client.ask("session:history", { type: "session:open", sessionId: done.sessionId });
    expect(opened).toMatchObject({ draft: "a draft", draftAttachments: [ATTACHMENT] });

    const policy = async (scope: "session" | "project" | "agent") =>
      client.ask("policy:state", { type: "policy:get", scope, sessionId: done.sessionId });
    const allowed = (command: string) => [{ effect: "allow", kind: "execute", command }];
    expect(await policy("session")).toMatchObject({ mode: "edits", rules: allowed("git status") });
    expect(await policy("project")).toMatchObject({ mode: null, rules: allowed("npm test") });
    expect(await policy("agent")).toMatchObject({ mode: "ask", rules: allowed("ls") });

    const ask = async (path: string, headers: Readonly<Record<string, string>>) =>
      fetch(`${server.origin}${path}`, { headers });
    const { devices } = await (await ask("/api/devices", { Authorization: `Bearer ${server.token}` })).json();
    expect(devices).toMatchObject([{ name: "Bun" }]);
    const Cookie = `liminal-${server.port}=${noted(version, "device cookie")}`;
    expect((await ask("/api/status", { Cookie })).status).toBe(isSignedIn ? 200 : 401);
  });

  it("keeps at most three copies, the newest", async () => {
    await using dir = await tempDir();
    for (const version of versions().filter((one) => one < SCHEMA_VERSION)) {
      writeOld(dir.join("next.db"), version);
      const { db, copiedTo } = openDatabase(dir.join("next.db"), "stamp");
      db.close();
      for (const suffix of ["", "-wal", "-shm"])
        await Bun.file(dir.join(`next.db${suffix}`))
          .unlink()
          .catch(() => null);
      expect(readdirSync(dir.path).length).toBeLessThanOrEqual(3);
      expect(readdirSync(dir.path).map((name) => dir.join(name))).toContain(String(copiedTo));
    }
  });

  it("is not changed when no copy of it can be made", async () => {
    await using dir = await tempDir();
    const path = dir.join(DATABASE);
    writeOld(path, 1);
    // A folder stands where the copy should.
    writeFileSync(dir.join("in-the-way"), "");
    await Bun.$`mkdir -p ${path}.schema-1/full`.quiet();
    expect(() => openDatabase(path, "stamp")).toThrow(NoCopyError);
    expect(inspectDatabase(path).version).toBe(1);
  });

  it("X-1 X-19 of the first schema is served: read whole, its broken-off turn ended, and talked on in", async () => {
    await using server = await startTestServer({ prepare: (dataDir) => writeOld(join(dataDir, DATABASE), 1) });
    const client = await server.connect();
    const [project] = (await client.ask("project:list", { type: "project:list" })).projects;
    const projectId = ProjectId.parse(project?.id);
    const { sessions } = await client.ask("session:list", { type: "session:list", projectId });
    expect(sessions).toHaveLength(2);
    for (const { id } of sessions) {
      const talk = await reopen(client, new Talk(client, projectId, id));
      await talk.untilIdle();
      expect(talk.messages.length).toBeGreaterThan(0);
    }
    expect(server.log).toContain("liminal.db.schema-1");
  });
});
