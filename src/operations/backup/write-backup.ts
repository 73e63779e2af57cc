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
import { GitError } from "../../workspace/git/run-git.ts";
import { BUNDLE_NAME, bundleVaults } from "../../workspace/vault-bundles.ts";

/** Reserve for changes during the copy, and for other users of the disk. */
const SPARE_BYTES = 16 * 1024 * 1024;

interface BackupRequest {
  readonly dataDir: string;
  /** A folder that does not exist yet. */
  readonly target: string;
  readonly version: string;
  readonly now: string;
  /** Also the checkpoints of files, which may be as large as the files. */
  readonly withCheckpoints?: boolean;
}

interface WrittenBackup {
  readonly path: string;
  readonly bytes: number;
  readonly manifest: BackupManifest;
}

/**
 * Copies all data that cannot be recreated, while the server runs: everything stored at its start is included. It is
 * written to a staging folder and renamed once it is complete and flushed to disk.
 */
export async function writeBackup(request: BackupRequest): Promise<WrittenBackup> {
  const target = resolve(request.target);
  const database = join(request.dataDir, DATABASE);
  if (!existsSync(database)) throw new BackupError(`Nothing to back up: ${database} does not exist.`);
  if (existsSync(target)) throw new BackupError(`${target} already exists and was not changed. Choose another name.`);
  const aside = join(dirname(target), `.${basename(target)}.partial`);
  try {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    // Left by an interrupted backup.
    rmSync(aside, { recursive: true, force: true });
    requireRoom(dirname(target), statSync(database).size);
    mkdirSync(aside, { mode: 0o700 });
    const manifest = await fill(aside, request);
    renameSync(aside, target);
    syncPath(dirname(target));
    const all = [...manifest.files, ...(manifest.checkpoints ?? [])];
    return { path: target, bytes: all.reduce((sum, { bytes }) => sum + bytes, 0), manifest };
  } catch (error) {
    rmSync(aside, { recursive: true, force: true });
    throw explained(error, target);
  }
}

async function fill(
  folder: string,
  { dataDir, version, now, withCheckpoints = false }: BackupRequest,
): Promise<BackupManifest> {
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
  const files = await Promise.all(names.map(async (name) => ({ name, ...(await describeFile(folder, name)) })));
  const manifest: BackupManifest = {
    ...{ liminalBackup: BACKUP_FORMAT, createdAt: now, version, ...counted, files },
    ...(withCheckpoints && { checkpoints: await writeCheckpoints(dataDir, join(folder, CHECKPOINTS)) }),
  };
  writeFileSync(join(folder, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  syncPath(join(folder, MANIFEST_FILE));
  syncPath(folder);
  return manifest;
}

/** After the database: a turn that is in it has its checkpoint here, too. */
async function writeCheckpoints(dataDir: string, folder: string): Promise<BackedUpCheckpoints[]> {
  mkdirSync(folder, { mode: 0o700 });
  const names = await bundleVaults(join(dataDir, VAULTS), folder);
  const described: BackedUpCheckpoints[] = [];
  for (const name of names) {
    chmodSync(join(folder, name), 0o600);
    syncPath(join(folder, name));
    described.push({ name, ...(await describeFile(folder, name)) });
  }
  syncPath(folder);
  return described;
}

/** In one read transaction of SQLite: concurrent writers are neither blocked nor partially included. */
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
  if (error instanceof GitError)
    return new BackupError(
      `Could not write the checkpoints to ${target}: ${error.message} The partial backup was removed. Without --checkpoints the rest is backed up.`,
    );
  if (storageFaultOf(error) === null && !("code" in error)) return error;
  return new BackupError(`Could not write the backup ${target}: ${error.message}. The partial backup was removed.`);
}

const MANIFEST_FILE = "manifest.json";
const MANIFEST_BYTES_MAX = 1024 * 1024;
const BACKUP_FORMAT = 1;

/** The files of a backup; anything else in it is ignored. */
const FILES = ["liminal.db", "config.json"] as const;
type BackupFile = (typeof FILES)[number];
export const DATABASE: BackupFile = "liminal.db";
export const CONFIG: BackupFile = "config.json";

/** The folder with checkpoints in a backup, and the one with vaults in a data directory. */
export const CHECKPOINTS = "checkpoints";
export const VAULTS = "vaults";

const Described = { bytes: z.int().min(0), sha256: z.string().regex(/^[0-9a-f]{64}$/) };
const BackedUpFile = z.object({ name: z.enum(FILES), ...Described });
const BackedUpCheckpoints = z.object({ name: z.string().regex(BUNDLE_NAME), ...Described });
type BackedUpCheckpoints = z.infer<typeof BackedUpCheckpoints>;

export const BackupManifest = z.object({
  liminalBackup: z.literal(BACKUP_FORMAT),
  createdAt: z.string(),
  /** Of the program that wrote it. */
  version: z.string(),
  schema: z.int().min(1),
  sessions: z.int().min(0),
  files: z.array(BackedUpFile).min(1).max(FILES.length),
  /** One for each vault; absent when they were not asked for. */
  checkpoints: z.array(BackedUpCheckpoints).optional(),
});
export type BackupManifest = z.infer<typeof BackupManifest>;

/** A backup that cannot be made or used; the message says what to do. */
export class BackupError extends Error {
  override readonly name = "BackupError";
}

async function describeFile(folder: string, name: string): Promise<{ bytes: number; sha256: string }> {
  const path = join(folder, name);
  const hash = createHash("sha256");
  for await (const bytes of createReadStream(path)) hash.update(bytes);
  return { bytes: statSync(path).size, sha256: hash.digest("hex") };
}

/** Throws a BackupError if it is not a backup. */
export async function readManifest(folder: string): Promise<BackupManifest> {
  const path = join(folder, MANIFEST_FILE);
  // Also if the folder is a file.
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

/** Checks that every file in the manifest exists unchanged; otherwise a BackupError names it. */
export async function checkFiles(folder: string, { files }: BackupManifest): Promise<void> {
  if (!files.some(({ name }) => name === DATABASE))
    throw new BackupError(`${folder} contains no database. Nothing was changed.`);
  await checkListed(folder, files);
}

/** Checks that every file of a list exists unchanged. */
export async function checkListed(
  folder: string,
  files: readonly { readonly name: string; readonly bytes: number; readonly sha256: string }[],
): Promise<void> {
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
