import { describe, expect, it } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { reopen, Talk } from "../../tests/integration/talk.ts";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { startTestServer } from "../../tests/support/test-server.ts";
import { ProjectId, SessionId } from "../protocol/ids.ts";
import { NoCopyError } from "./database/copy-before-migration.ts";
import { inspectDatabase, MIGRATIONS, openDatabase, SCHEMA_VERSION } from "./database/open-database.ts";
import { SqliteSessionLog } from "./session-log/sqlite-session-log.ts";
import { SqliteProjectStore } from "./sqlite-project-store.ts";

/** Written by the programs of their time: one session with three ended turns and a draft, one in the middle of a turn. */
const FIXTURES = join(import.meta.dirname, "../../tests/schemas");
const MESSAGES = ["stream 3 words", "run echo hi", "plan"];
const DATABASE = "liminal.db";

/** As they were released; whoever has to change one adds another instead. A release adds its own, and a fixture (`npm run keep-schema`). */
const RELEASED = [
  "293464c906abc9bc",
  "73be853db11aab14",
  "54ab9822b226b7be",
  "cc94d79943c0eff2",
  "d01061e1f4873d46",
  "926fed1f954f326b",
  "3933a9f6660b1631",
  "22b61bcc006ec7c3",
  "901b9de7bf01ed60",
  "2e0c86c7654a9877",
  "c03da562fb96391c",
  "d9c1b2c55558ebfd",
  "03400a4145dc4d6a",
];

function versions(): number[] {
  return Array.from({ length: RELEASED.length }, (_, index) => index + 1);
}

/** A database as that version left it. */
function writeOld(path: string, version: number): void {
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA journal_mode = WAL; BEGIN; ${readFileSync(join(FIXTURES, `schema-${version}.sql`), "utf8")} COMMIT;`);
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
    expect(digests.slice(0, RELEASED.length)).toEqual(RELEASED);
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
      const [done, running] = sessionIds(db).map((id) => {
        const stored = log.load(id);
        const page = log.page(id, null, 999);
        if (!stored || !page) throw new Error(`${id} is not there`);
        return { id, stored, entries: [...page.entries, ...stored.state.open] };
      });
      expect(done?.entries.flatMap((entry) => (entry.type === "user" ? [entry.content] : []))).toEqual(MESSAGES);
      expect(done?.entries.some((entry) => entry.type === "tool-call" && entry.result?.includes("hi"))).toBe(true);
      expect(done && log.drafts.read(done.id)).toEqual({ content: "a draft", attachments: [] });
      expect(running?.stored.state.turn.state).toBe("running");
      expect(running?.entries.map(({ type }) => type).slice(0, 2)).toContain("user");
      expect(running?.entries.some((entry) => entry.type === "assistant" && entry.content.startsWith("w1"))).toBe(true);
      expect(new SqliteProjectStore(db).list()).toHaveLength(1);
      expect(inspectDatabase(path)).toEqual({ damage: null, version: SCHEMA_VERSION });
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
