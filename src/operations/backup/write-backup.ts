import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  copyFileSync,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { parseJson } from "../../lib/parse-json.ts";
import { userVersionOf } from "../../store/database/open-database.ts";
import { storageFaultOf } from "../../store/database/storage-watch.ts";

/** For what changes while it is copied, and for the rest of the disk's users. */
const SPARE_BYTES = 16 * 1024 * 1024;

interface BackupRequest {
  readonly dataDir: string;
  /** A folder that is not there yet. */
  readonly target: string;
  readonly version: string;
  readonly now: string;
}

interface WrittenBackup {
  readonly path: string;
  readonly bytes: number;
  readonly manifest: BackupManifest;
}

/**
 * Copies what cannot be had again, while the server works: all that was stored when it began is in it. It is written
 * aside and gets its name when it is whole and on the disk; until then nothing with that name exists.
 */
export async function writeBackup(request: BackupRequest): Promise<WrittenBackup> {
  const target = resolve(request.target);
  const database = join(request.dataDir, DATABASE);
  if (!existsSync(database)) throw new BackupError(`Nothing to back up: ${database} does not exist.`);
  if (existsSync(target)) throw new BackupError(`${target} already exists and was not changed. Choose another name.`);
  const aside = join(dirname(target), `.${basename(target)}.partial`);
  try {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    // Left by one that was interrupted.
    rmSync(aside, { recursive: true, force: true });
    requireRoom(dirname(target), statSync(database).size);
    mkdirSync(aside, { mode: 0o700 });
    const manifest = await fill(aside, request);
    renameSync(aside, target);
    syncPath(dirname(target));
    return { path: target, bytes: manifest.files.reduce((sum, { bytes }) => sum + bytes, 0), manifest };
  } catch (error) {
    rmSync(aside, { recursive: true, force: true });
    throw explained(error, target);
  }
}

async function fill(folder: string, { dataDir, version, now }: BackupRequest): Promise<BackupManifest> {
  const counted = copyDatabase(join(dataDir, DATABASE), join(folder, DATABASE));
  const names: BackupFile[] = [DATABASE];
  if (existsSync(join(dataDir, CONFIG))) {
    copyFileSync(join(dataDir, CONFIG), join(folder, CONFIG));
    names.push(CONFIG);
  }
  for (const name of names) {
    chmodSync(join(folder, name), 0o600);
    syncPath(join(folder, name));
  }
  const files = await Promise.all(names.map((name) => describeFile(folder, name)));
  const manifest: BackupManifest = { liminalBackup: BACKUP_FORMAT, createdAt: now, version, ...counted, files };
  writeFileSync(join(folder, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  syncPath(join(folder, MANIFEST_FILE));
  syncPath(folder);
  return manifest;
}

/** In one read transaction of SQLite's own: whoever writes meanwhile is neither stopped nor half in it. */
function copyDatabase(from: string, to: string): Pick<BackupManifest, "schema" | "sessions"> {
  const source = new DatabaseSync(from, { readOnly: true });
  try {
    source.prepare("VACUUM INTO ?").run(to);
  } finally {
    source.close();
  }
  const copy = new DatabaseSync(to, { readOnly: true });
  try {
    const sessions = Number(copy.prepare("SELECT count(*) AS sessions FROM session").get()?.["sessions"] ?? 0);
    return { schema: userVersionOf(copy), sessions };
  } finally {
    copy.close();
  }
}

function requireRoom(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  const needed = bytes + SPARE_BYTES;
  if (bavail * bsize >= needed) return;
  throw new BackupError(
    `Not enough space in ${folder} for a backup of ${Math.ceil(needed / 1024 / 1024)} MB. Free some space, or use a folder on another disk.`,
  );
}

function syncPath(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function explained(error: unknown, target: string): unknown {
  if (error instanceof BackupError || !(error instanceof Error)) return error;
  if (storageFaultOf(error) === null && !("code" in error)) return error;
  return new BackupError(`Could not write the backup ${target}: ${error.message}. The partial backup was removed.`);
}

const MANIFEST_FILE = "manifest.json";
const MANIFEST_BYTES_MAX = 64 * 1024;
const BACKUP_FORMAT = 1;

/** What a backup may hold; nothing else of it is ever looked at. */
const FILES = ["liminal.db", "config.json"] as const;
type BackupFile = (typeof FILES)[number];
export const DATABASE: BackupFile = "liminal.db";
export const CONFIG: BackupFile = "config.json";

const BackedUpFile = z.object({
  name: z.enum(FILES),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
type BackedUpFile = z.infer<typeof BackedUpFile>;

export const BackupManifest = z.object({
  liminalBackup: z.literal(BACKUP_FORMAT),
  createdAt: z.string(),
  /** Of the program that wrote it. */
  version: z.string(),
  schema: z.int().min(1),
  sessions: z.int().min(0),
  files: z.array(BackedUpFile).min(1).max(FILES.length),
});
export type BackupManifest = z.infer<typeof BackupManifest>;

/** A backup that cannot be made or used, with what to do about it. */
export class BackupError extends Error {
  override readonly name = "BackupError";
}

async function describeFile(folder: string, name: BackupFile): Promise<BackedUpFile> {
  const path = join(folder, name);
  const hash = createHash("sha256");
  for await (const bytes of createReadStream(path)) hash.update(bytes);
  return { name, bytes: statSync(path).size, sha256: hash.digest("hex") };
}

/** Throws a BackupError for what is no backup of ours. */
export async function readManifest(folder: string): Promise<BackupManifest> {
  const path = join(folder, MANIFEST_FILE);
  // Also where the folder is a file.
  const found = existsSync(path) ? statSync(path) : null;
  if (!found?.isFile())
    throw new BackupError(
      `${folder} is not a backup: ${MANIFEST_FILE} is missing. Use a folder written by "liminal backup".`,
    );
  const newer = "It may be from a newer version: update Liminal Builder and try again.";
  if (found.size > MANIFEST_BYTES_MAX) throw new BackupError(`Cannot read ${path}: it is too long. ${newer}`);
  const parsed = BackupManifest.safeParse(parseJson(await readFile(path, "utf8")));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new BackupError(`Cannot read ${path}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}. ${newer}`);
}

/** Every file that the manifest names is there, whole and unchanged; else a BackupError says which is not. */
export async function checkFiles(folder: string, { files }: BackupManifest): Promise<void> {
  if (!files.some(({ name }) => name === DATABASE))
    throw new BackupError(`${folder} contains no database. Nothing was changed.`);
  for (const { name, bytes, sha256 } of files) {
    const path = join(folder, name);
    const found = statSync(path, { throwIfNoEntry: false });
    const problem =
      found === undefined || !found.isFile()
        ? "is missing"
        : found.size !== bytes || (await describeFile(folder, name)).sha256 !== sha256
          ? "is damaged"
          : null;
    if (problem !== null) throw new BackupError(`${path} ${problem}. Use another backup. Nothing was changed.`);
  }
}
