import { expect, it } from "bun:test";
import { copyFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { type TempDir, tempDir } from "../../../tests/support/temp-dir.ts";
import { isWalDamaged, openDatabase } from "./open-database.ts";

const FRAME_BYTES = 24 + 4_096;
const HEADER_BYTES = 32;

/** The files of a database whose program was killed: ten rows are in the write-ahead log only. */
function killedDatabase(dir: TempDir): { readonly path: string; readonly wal: string } {
  const live = dir.join("live.db");
  const { db } = openDatabase(live, "stamp");
  const path = dir.join("killed.db");
  db.exec("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA wal_autocheckpoint = 0");
  const insert = db.prepare(
    "INSERT INTO project (id, path, name, added_at, position, removed) VALUES (?, ?, 'name', 'now', 1, 0)",
  );
  for (let row = 0; row < 10; row++) insert.run(`project-${row}`, `/project-${row}`);
  for (const suffix of ["", "-wal"]) copyFileSync(live + suffix, path + suffix);
  db.close();
  return { path, wal: `${path}-wal` };
}

function flip(path: string, place: number): void {
  const bytes = readFileSync(path);
  bytes[place] = (bytes[place] ?? 0) ^ 0xff;
  writeFileSync(path, bytes);
}

function rowsIn(db: DatabaseSync): number {
  return Number(db.prepare("SELECT count(*) AS rows FROM project").get()?.["rows"]);
}

it("X-1 a log whose program was killed is whole, also in the middle of writing its last transaction", async () => {
  await using dir = await tempDir();
  const { wal } = killedDatabase(dir);
  expect(isWalDamaged(wal)).toBe(false);
  truncateSync(wal, readFileSync(wal).byteLength - 100);
  expect(isWalDamaged(wal)).toBe(false);
  expect(isWalDamaged(dir.join("none"))).toBe(false);
});

it("X-1 a log that was begun again over an older, longer one is whole", async () => {
  await using dir = await tempDir();
  const live = dir.join("live.db");
  const { db } = openDatabase(live, "stamp");
  const insert = db.prepare(
    "INSERT INTO project (id, path, name, added_at, position, removed) VALUES (?, ?, 'name', 'now', 1, 0)",
  );
  for (let row = 0; row < 50; row++) insert.run(`project-${row}`, `/project-${row}`);
  db.exec("PRAGMA wal_checkpoint(RESTART)");
  insert.run("last", "/last");
  expect(isWalDamaged(`${live}-wal`)).toBe(false);
  db.close();
});

it("X-1 damage with committed changes behind it is noticed, and what was found is kept", async () => {
  await using dir = await tempDir();
  const { path, wal } = killedDatabase(dir);
  flip(wal, HEADER_BYTES + 4 * FRAME_BYTES + 500);
  const found = readFileSync(wal);
  const { db, damagedCopy, movedAside } = openDatabase(path, "stamp");
  expect({ damagedCopy, movedAside }).toEqual({ damagedCopy: `${path}.damaged-stamp`, movedAside: null });
  expect(readFileSync(`${damagedCopy}-wal`).equals(found)).toBe(true);
  expect(existsSync(`${damagedCopy}`)).toBe(true);
  const rows = rowsIn(db);
  expect(rows).toBeLessThan(10);
  db.close();
});

it("X-1 a log without its beginning is noticed", async () => {
  await using dir = await tempDir();
  const { wal } = killedDatabase(dir);
  flip(wal, 17);
  expect(isWalDamaged(wal)).toBe(true);
});

it("X-1 whatever byte of a log is flipped, either nothing is missing or it is noticed", async () => {
  await using dir = await tempDir();
  const { path, wal } = killedDatabase(dir);
  const whole = readFileSync(wal);
  for (let place = 5; place < whole.byteLength - FRAME_BYTES; place += 1_371) {
    writeFileSync(wal, whole);
    flip(wal, place);
    const isNoticed = isWalDamaged(wal);
    const db = new DatabaseSync(path, { readOnly: true });
    expect(isNoticed || rowsIn(db) === 10).toBe(true);
    db.close();
  }
});
