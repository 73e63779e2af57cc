import { describe, expect, it } from "bun:test";
import { openSession } from "../../../tests/core/session-scene.ts";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import type { StorageState } from "../../protocol/storage.ts";
import { openDatabase } from "./open-database.ts";
import { StorageWatch } from "./storage-watch.ts";
import { transaction } from "./transaction.ts";

async function openWatched() {
  const dir = await tempDir();
  const { db } = openDatabase(dir.join("watched.db"), "stamp");
  const changes: StorageState["fault"][] = [];
  const watch = new StorageWatch(db, { path: "/data", onChanged: ({ fault }) => changes.push(fault) });
  const write = () =>
    transaction(db, () =>
      db.prepare("INSERT INTO receipt VALUES (?, ?, ?)").run(crypto.randomUUID(), "x".repeat(20_000), "2026"),
    );
  return {
    ...{ db, watch, changes, write },
    async [Symbol.asyncDispose]() {
      watch.stop();
      db.close();
      await dir[Symbol.asyncDispose]();
    },
  };
}

const FULL = "PRAGMA max_page_count = 1";
const ROOMY = "PRAGMA max_page_count = 1073741823";

describe("StorageWatch", () => {
  it("detects a failed write of any caller, and reports the cause and not the consequence", async () => {
    await using at = await openWatched();
    expect(at.watch.refusal()).toBeNull();
    at.db.exec(FULL);
    expect(at.write).toThrow(/full/);
    expect(at.write).toThrow(/full/);
    expect(at.changes).toEqual(["disk-full"]);
    expect(at.watch.refusal()).toMatchObject({ code: "STORAGE_UNWRITABLE" });
    expect(at.watch.refusal()?.message).toContain("/data");
  });

  it("is over with the first question after it is over, and whatever was tried leaves nothing behind", async () => {
    await using at = await openWatched();
    at.db.exec(FULL);
    expect(at.write).toThrow();
    at.db.exec(ROOMY);
    expect(at.watch.refusal()).toBeNull();
    expect(at.changes).toEqual(["disk-full", undefined]);
    expect(at.db.prepare("SELECT count(*) AS n FROM receipt").get()).toEqual({ n: 0 });
    at.write();
  });

  it("does not take a mistake for a failing disk", async () => {
    await using at = await openWatched();
    expect(() => at.db.exec("INSERT INTO nowhere VALUES (1)")).toThrow();
    expect(() => at.db.prepare("INSERT INTO receipt VALUES (?, ?, ?)").run("a", null, null)).toThrow();
    expect([at.changes, at.watch.state]).toEqual([[], { writable: true }]);
  });

  it("does not wait: a database that another program holds is detected at once", async () => {
    await using at = await openWatched();
    at.db.exec("PRAGMA busy_timeout = 0");
    const other = openDatabase(at.db.location() ?? "", "stamp").db;
    other.exec("BEGIN IMMEDIATE");
    expect(at.write).toThrow(/locked/);
    expect(at.watch.state.fault).toBe("in-use");
    expect(at.watch.refusal()).not.toBeNull();
    other.exec("ROLLBACK");
    other.close();
    expect(at.watch.refusal()).toBeNull();
  });
});

describe("X-1 a session on a full disk", () => {
  it("shows stored data, refuses commands, and stores all output of the agent in the end", async () => {
    await using at = await openSession();
    await at.say("hello");
    const says = (content: string) => at.agents.last.say({ type: "text", kind: "assistant", text: content });
    says("one");
    await at.service.flush();
    const before = await at.history();
    at.store.db.exec(FULL);
    for (let word = 0; word < 50; word++) says(` ${"word".repeat(500)}`);
    await at.service.flush();
    expect(await at.history()).toEqual(before);
    expect(await at.send({ type: "session:send", content: "more" })).toMatchObject({
      kind: "refused",
      refusal: { code: "STORAGE_UNWRITABLE" },
    });
    at.store.db.exec(ROOMY);
    await at.service.flush();
    expect((await at.history()).seq).toBeGreaterThan(before.seq);
    at.restart();
    expect(JSON.stringify(await at.entries())).toContain(`one${` ${"word".repeat(500)}`.repeat(50)}`);
  });
});
