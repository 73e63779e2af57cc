import { describe, expect, it } from "bun:test";
import { DatabaseSync } from "node:sqlite";
import { Committer } from "./committer.ts";

/** A database that counts its transactions; the value 13 is refused. */
function scene() {
  const db = new DatabaseSync(":memory:");
  db.exec("CREATE TABLE said (value INTEGER CHECK (value <> 13))");
  let transactions = 0;
  const exec = db.exec.bind(db);
  db.exec = (sql) => {
    if (sql.startsWith("BEGIN")) transactions += 1;
    exec(sql);
  };
  const committer = new Committer(db);
  const say = (value: number) =>
    committer.commit(() => void db.prepare("INSERT INTO said (value) VALUES (?)").run(value));
  const values = () =>
    db
      .prepare("SELECT value FROM said ORDER BY rowid")
      .all()
      .map((row) => Number(row["value"]));
  return { db, committer, say, values, transactions: () => transactions };
}

describe("Committer", () => {
  it("NFR-2 commits the first write at once, and all that wait after it together, in order", async () => {
    const { say, values, transactions } = scene();
    const said = [1, 2, 3, 4].map(say);
    expect([values(), transactions()]).toEqual([[1], 1]);
    await Promise.all(said);
    expect([values(), transactions()]).toEqual([[1, 2, 3, 4], 2]);
  });

  it("a write that is refused takes no other with it", async () => {
    const { say, values } = scene();
    const said = await Promise.allSettled([1, 2, 13, 4].map(say));
    expect(said.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
    expect(values()).toEqual([1, 2, 4]);
  });

  it("X-1 nothing waits any more after a flush: the database may be closed", async () => {
    const { committer, say, values } = scene();
    const said = [1, 2, 3].map(say);
    committer.flush();
    expect(values()).toEqual([1, 2, 3]);
    await Promise.all(said);
  });

  it("after a quiet turn the next write is committed at once again", async () => {
    const { say, values } = scene();
    await say(1);
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    const said = say(2);
    expect(values()).toEqual([1, 2]);
    await said;
  });
});
