import { describe, expect, it } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { LogWriter } from "../../../tests/core/log-writer.ts";
import { BINDING, NOW, PROJECT, SESSION, sessionRow } from "../../../tests/core/names.ts";
import { assistantEntry } from "../../../tests/core/some-entries.ts";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import { SessionId } from "../../protocol/ids.ts";
import { SCHEMA_VERSION } from "../migrations.ts";
import { SqliteSessionLog } from "../session-log/sqlite-session-log.ts";
import { SqliteProjectStore } from "../sqlite-project-store.ts";
import { NewerDatabaseError, openDatabase } from "./open-database.ts";

/** Where SQLite keeps the number in the file. */
const USER_VERSION_OFFSET = 60;
/** The schema this program makes. */
const NEWEST = SCHEMA_VERSION;

function versionOf(db: DatabaseSync): unknown {
  return db.prepare("PRAGMA user_version").get()?.["user_version"];
}

/** A database with enough in it that damage has something to hit. */
async function fill(path: string): Promise<void> {
  const { db } = openDatabase(path, "stamp");
  await new SqliteProjectStore(db).add({ id: PROJECT, path: "/work", name: "work", addedAt: NOW });
  const log = new SqliteSessionLog(db);
  await log.create(sessionRow(), BINDING, null);
  const writer = new LogWriter(() => log);
  for (let turn = 0; turn < 20; turn += 1)
    await writer.writeTurn(assistantEntry(`a${turn}`, { content: "word ".repeat(2_000) }));
  db.close();
}

describe("openDatabase", () => {
  it("makes a new one whole, durable and versioned", async () => {
    await using dir = await tempDir();
    const { db, created, movedAside } = openDatabase(dir.join("new.db"), "stamp");
    expect({ created, movedAside, version: versionOf(db) }).toEqual({
      created: true,
      movedAside: null,
      version: NEWEST,
    });
    expect(db.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
    expect(db.prepare("PRAGMA foreign_keys").get()).toEqual({ foreign_keys: 1 });
    db.close();
  });

  it("opens an existing one with all that is in it", async () => {
    await using dir = await tempDir();
    await fill(dir.join("kept.db"));
    const { db, created, movedAside } = openDatabase(dir.join("kept.db"), "stamp");
    expect({ created, movedAside }).toEqual({ created: false, movedAside: null });
    expect((await new SqliteSessionLog(db).page(SESSION, null, 99))?.entries).toHaveLength(20);
    db.close();
  });

  it("brings an empty file, and a file from before the first version, to the newest version", async () => {
    await using dir = await tempDir();
    writeFileSync(dir.join("empty.db"), "");
    const older = new DatabaseSync(dir.join("older.db"));
    older.exec("CREATE TABLE something_else (a TEXT)");
    older.close();
    for (const [name, created] of [
      ["empty.db", true],
      ["older.db", false],
    ] as const) {
      const opened = openDatabase(dir.join(name), "stamp");
      expect([versionOf(opened.db), opened.created]).toEqual([NEWEST, created]);
      opened.db.close();
    }
  });

  it("refuses one of a newer program and leaves every byte of it alone", async () => {
    await using dir = await tempDir();
    const path = dir.join("newer.db");
    await fill(path);
    const newer = new DatabaseSync(path);
    newer.exec(`PRAGMA user_version = ${NEWEST + 1}`);
    newer.close();
    const before = readFileSync(path);
    expect(() => openDatabase(path, "stamp")).toThrow(NewerDatabaseError);
    expect(() => openDatabase(path, "stamp")).toThrow(
      new RegExp(`newer version .*schema ${NEWEST + 1}.*supports ${NEWEST}`),
    );
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(dir.path).filter((name) => name.includes("damaged"))).toEqual([]);
  });

  for (const [how, damage, isReadable] of [
    ["is no database at all", (path: string) => writeFileSync(path, "these are words, not pages".repeat(100)), false],
    [
      "has broken pages",
      async (path: string) => {
        const bytes = readFileSync(path);
        bytes.fill(0x5a, 8_192, 40_960);
        writeFileSync(path, bytes);
      },
      true,
    ],
    ["was cut off", (path: string) => truncateSync(path, Math.floor(statSync(path).size / 8_192) * 4_096 + 100), true],
  ] as const) {
    it(`moves one that ${how} aside completely and continues with the readable data`, async () => {
      await using dir = await tempDir();
      const path = dir.join("hurt.db");
      await fill(path);
      damage(path);
      const damaged = readFileSync(path);
      const { db, movedAside, created, salvage } = openDatabase(path, "stamp");
      expect({ movedAside, created }).toEqual({ movedAside: `${path}.damaged-stamp`, created: !isReadable });
      expect(salvage !== null).toBe(isReadable);
      expect(readFileSync(`${path}.damaged-stamp`).equals(damaged)).toBe(true);
      expect(db.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
      if (!isReadable) expect(await new SqliteProjectStore(db).list()).toEqual([]);
      db.close();
    });
  }

  it("one damaged page, whichever it is, loses only its own content (S10)", async () => {
    await using dir = await tempDir();
    await fill(dir.join("whole.db"));
    const whole = readFileSync(dir.join("whole.db"));
    const PAGE_BYTES = 4_096;
    let noticed = 0;
    const emptied: number[] = [];
    // The first pages of what the user would miss, the list of tables, and some of all others.
    const source = new DatabaseSync(dir.join("whole.db"), { readOnly: true });
    const roots = source
      .prepare("SELECT rootpage - 1 AS page FROM sqlite_master WHERE name IN ('project', 'session', 'entry', 'fact')")
      .all()
      .map(({ page }) => Number(page));
    source.close();
    const listed = whole.indexOf("CREATE TABLE entry") / PAGE_BYTES;
    const pages = Array.from({ length: whole.length / PAGE_BYTES }, (_, page) => page);
    for (const page of new Set([0, Math.floor(listed), ...roots, ...pages.filter((page) => page % 40 === 1)])) {
      const path = dir.join(`page-${page}.db`);
      const bytes = Buffer.from(whole);
      bytes.fill(0xff, page * PAGE_BYTES, (page + 1) * PAGE_BYTES);
      writeFileSync(path, bytes);
      const { db, movedAside, salvage } = openDatabase(path, "stamp");
      if (movedAside !== null) {
        noticed += 1;
        const entries = Number(db.prepare("SELECT count(*) AS n FROM entry").get()?.["n"]);
        const sessions = Number(db.prepare("SELECT count(*) AS n FROM session").get()?.["n"]);
        if (entries < 15 || sessions === 0) emptied.push(page);
        else if (db.prepare("SELECT 1 FROM session WHERE id = ?").get(SESSION))
          expect((await new SqliteSessionLog(db).page(SESSION, null, 99))?.entries.length).toBe(entries);
        if (entries < 20 && salvage) expect({ page, lost: [...salvage.lost.keys()] }).not.toEqual({ page, lost: [] });
        expect(await new SqliteProjectStore(db).list()).not.toEqual([]);
        expect(db.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
        expect(db.prepare("PRAGMA foreign_key_check").all()).toEqual([]);
      }
      db.close();
    }
    expect(noticed).toBeGreaterThan(5);
    expect(emptied).toEqual([]);
  });

  it("without its first page and every other page of its list of tables, messages are found by their form (S10)", async () => {
    await using dir = await tempDir();
    const path = dir.join("unlisted.db");
    await fill(path);
    const bytes = readFileSync(path);
    const isListed = (page: number) =>
      /CREATE (TABLE|INDEX|TRIGGER)/.test(bytes.toString("latin1", page, page + 4_096));
    for (let page = 0; page < bytes.length; page += 4_096)
      if (page === 0 || isListed(page)) bytes.fill(0, page, page + 4_096);
    writeFileSync(path, bytes);
    const { db, salvage } = openDatabase(path, "stamp");
    expect((await new SqliteSessionLog(db).page(SESSION, null, 99))?.entries).toHaveLength(20);
    expect((await new SqliteSessionLog(db).load(SESSION))?.state.seq).toBeGreaterThan(0);
    expect(await new SqliteProjectStore(db).list()).toMatchObject([{ path: "/work" }]);
    expect(salvage?.missing).toContain("receipt");
    expect(db.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
    db.close();
  });

  it("the last words of a killed server are in its journal, and are read from there although the list of tables is gone (S10)", async () => {
    await using dir = await tempDir();
    const path = dir.join("killed.db");
    await fill(path);
    const running = new DatabaseSync(path);
    await new SqliteSessionLog(running).drafts.save(SESSION, "only in the journal");
    const journal = readFileSync(`${path}-wal`);
    const bytes = readFileSync(path);
    running.close();
    bytes.fill(0, 0, 4_096);
    writeFileSync(path, bytes);
    writeFileSync(`${path}-wal`, journal);
    const { db } = openDatabase(path, "stamp");
    expect((await new SqliteSessionLog(db).drafts.read(SESSION)).content).toBe("only in the journal");
    expect((await new SqliteSessionLog(db).page(SESSION, null, 99))?.entries).toHaveLength(20);
    db.close();
  });

  it("messages of a session whose own row is lost are shown in a new one (S10)", async () => {
    await using dir = await tempDir();
    const path = dir.join("ownerless.db");
    await fill(path);
    const whole = new DatabaseSync(path);
    const root = Number(
      whole.prepare("SELECT rootpage AS page FROM sqlite_master WHERE name = 'session'").get()?.["page"],
    );
    whole.close();
    const bytes = readFileSync(path);
    bytes.fill(0xff, (root - 1) * 4_096, root * 4_096);
    writeFileSync(path, bytes);
    const { db } = openDatabase(path, "stamp");
    const [row] = db.prepare("SELECT id, title FROM session").all();
    expect(row).toMatchObject({ title: "Recovered session" });
    const log = new SqliteSessionLog(db);
    const sessionId = SessionId.parse(row?.["id"]);
    expect((await log.page(sessionId, null, 99))?.entries).toHaveLength(20);
    await new LogWriter(() => log, sessionId).writeTurn(assistantEntry("more"));
    expect((await log.page(sessionId, null, 99))?.entries).toHaveLength(21);
    db.close();
  });

  for (const [what, change] of Object.entries({
    damaged: async (bytes: Buffer) => bytes.fill(0x5a, 8_192, 40_960),
    newer: (bytes: Buffer) => bytes.writeUInt32BE(NEWEST + 1, USER_VERSION_OFFSET),
  })) {
    it(`leaves a ${what} database of a killed server alone, with the journal that holds its last words`, async () => {
      await using dir = await tempDir();
      const path = dir.join("killed.db");
      await fill(path);
      const running = new DatabaseSync(path);
      await new SqliteSessionLog(running).drafts.save(SESSION, "only in the journal");
      const journal = readFileSync(`${path}-wal`);
      const bytes = readFileSync(path);
      running.close();
      change(bytes);
      writeFileSync(path, bytes);
      writeFileSync(`${path}-wal`, journal);
      const kept = what === "newer" ? path : `${path}.damaged-stamp`;
      if (what === "newer") expect(() => openDatabase(path, "stamp")).toThrow(NewerDatabaseError);
      else openDatabase(path, "stamp").db.close();
      expect(readFileSync(kept).equals(bytes)).toBe(true);
      expect(readFileSync(`${kept}-wal`).equals(journal)).toBe(true);
    });
  }

  it("a database that someone else writes to is busy, not damaged", async () => {
    await using dir = await tempDir();
    const path = dir.join("busy.db");
    await fill(path);
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    const { db, movedAside } = openDatabase(path, "stamp");
    expect(movedAside).toBeNull();
    expect(existsSync(`${path}.damaged-stamp`)).toBe(false);
    db.close();
    other.close();
  });
});
