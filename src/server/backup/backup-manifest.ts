import { createHash } from "node:crypto";
import { createReadStream, existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { parseJson } from "../../lib/parse-json.ts";

export const MANIFEST_FILE = "manifest.json";
const MANIFEST_BYTES_MAX = 64 * 1024;
export const BACKUP_FORMAT = 1;

/** What a backup may hold; nothing else of it is ever looked at. */
const FILES = ["liminal.db", "config.json"] as const;
export type BackupFile = (typeof FILES)[number];
export const DATABASE: BackupFile = "liminal.db";
export const CONFIG: BackupFile = "config.json";

const BackedUpFile = z.object({
  name: z.enum(FILES),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type BackedUpFile = z.infer<typeof BackedUpFile>;

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

export async function describeFile(folder: string, name: BackupFile): Promise<BackedUpFile> {
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
      `${folder} is no backup: it has no ${MANIFEST_FILE}. Name the folder that "liminal backup" wrote.`,
    );
  const newer = "It may be of a newer version: update Liminal Builder, and try again.";
  if (found.size > MANIFEST_BYTES_MAX) throw new BackupError(`${path} cannot be read: it is too long. ${newer}`);
  const parsed = BackupManifest.safeParse(parseJson(await readFile(path, "utf8")));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new BackupError(`${path} cannot be read: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}. ${newer}`);
}

/** Every file that the manifest names is there, whole and unchanged; else a BackupError says which is not. */
export async function checkFiles(folder: string, { files }: BackupManifest): Promise<void> {
  if (!files.some(({ name }) => name === DATABASE))
    throw new BackupError(`${folder} holds no database. Nothing was changed.`);
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
