import { closeSync, openSync, statSync, truncateSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { SeededRandom } from "../../support/seeded-random.ts";
import { Scene } from "../scene/scene.ts";
import { StoreView } from "../scene/store-view.ts";
import { killQuietly } from "./cut-off.ts";
import { DONE, type Fault, type FaultOutcome } from "./fault.ts";

const SIZE = { sessions: 2, agents: 1, readers: 1 };
const PAGE_BYTES = 4_096;
/** What must stand in the log where something that readers were given is gone. */
const REPORT = /damaged|has newer data/i;

/** A page of the database is not what it was. */
export const databaseCorrupt: Fault = damaging("database-page", ({ database }, random) => {
  foldIn(database);
  const pages = Math.floor(size(database) / PAGE_BYTES);
  if (pages < 2) return false;
  // Not the first: without its header the file would not even be taken for a database.
  overwrite(database, random.between(1, pages - 1) * PAGE_BYTES, PAGE_BYTES, random);
  return true;
});

/** Some bytes in the middle of the write-ahead log are not what they were. */
export const walCorrupt: Fault = damaging("wal-corrupt", ({ wal }, random) => {
  if (size(wal) < 2 * PAGE_BYTES) return false;
  overwrite(wal, random.between(PAGE_BYTES, size(wal) - PAGE_BYTES), 8, random);
  return true;
});

/** The end of the write-ahead log never reached the disk. */
export const walTorn: Fault = damaging("wal-torn", ({ wal }, random) => {
  if (size(wal) < 2 * PAGE_BYTES) return false;
  truncateSync(wal, size(wal) - random.between(1, Math.floor(size(wal) / 2)));
  return true;
});

type Files = { readonly database: string; readonly wal: string };

/** Each has a scene of its own: what it destroys is destroyed for good. */
function damaging(name: string, damage: (files: Files, random: SeededRandom) => boolean): Fault {
  let count = 0;
  return {
    name,
    async inject({ scene: { dirs }, random }) {
      const root = join(dirs.root, `${name}-${++count}`);
      const scene = await Scene.open(root, SIZE, String(random.between(0, 1_000_000)));
      try {
        return await damageOnce(scene, random, damage);
      } finally {
        await scene.close();
      }
    },
  };
}

async function damageOnce(
  scene: Scene,
  random: SeededRandom,
  damage: (files: Files, random: SeededRandom) => boolean,
): Promise<FaultOutcome> {
  const { server, user, dirs } = scene;
  await scene.createAll();
  for (const sessionId of scene.sessions) user.send(sessionId, "say", random.between(10, 60), 2);
  const stuck = await scene.settle();
  if (stuck !== null) return { breaches: [stuck] };
  scene.isStoreHidden = true;
  await server.kill();
  for (const pid of scene.holderPids()) killQuietly(pid);
  const database = join(dirs.data, "liminal.db");
  if (!damage({ database, wal: `${database}-wal` }, random)) return { skipped: "there was nothing to damage" };
  await server.start();
  const missing = await scene.until(() => (REPORT.test(server.log) ? null : missingIn(scene, database)), REPORT_MS_MAX);
  return missing === null ? DONE : { breaches: [`lost without a word: ${missing}`] };
}

const REPORT_MS_MAX = 20_000;

/** Something that a reader was given and the store does not have. */
function missingIn(scene: Scene, database: string): string | null {
  using view = new StoreView(database);
  const stored = new Map(view.sessions().map(({ id, lastSeq }) => [id, lastSeq]));
  for (const sessionId of scene.sessions) {
    const shown = scene.witness.highest(sessionId);
    if ((stored.get(sessionId) ?? 0) < shown)
      return `${sessionId} was shown up to ${shown}, stored is ${stored.get(sessionId)}`;
  }
  return null;
}

/** What stands in the write-ahead log would heal the page. */
function foldIn(database: string): void {
  const db = new DatabaseSync(database);
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
}

function size(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function overwrite(path: string, place: number, bytes: number, random: SeededRandom): void {
  const file = openSync(path, "r+");
  writeSync(
    file,
    Uint8Array.from({ length: bytes }, () => random.between(0, 255)),
    0,
    bytes,
    place,
  );
  closeSync(file);
}
