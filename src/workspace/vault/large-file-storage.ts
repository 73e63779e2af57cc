import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { readGit } from "../git/run-git.ts";
import type { TreeEntry } from "./compare.ts";
import { readBlob } from "./hunks.ts";
import type { Vault } from "./vault.ts";

const POINTER_BYTES_MAX = 1024;
const CONTENT_BYTES_MAX = 200 * 1024 * 1024;
const POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:ext-[^\n]*\n)*oid sha256:([0-9a-f]{64})\nsize (\d+)\n?$/;

/** What Git has instead of a large file: the content itself is kept elsewhere. */
export interface LargeFile {
  readonly sha256: string;
  readonly bytes: number;
}

/** Null when the committed file is not such a pointer. */
export async function readPointer(vault: Vault, committed: TreeEntry): Promise<LargeFile | null> {
  if ((await blobBytes(vault, committed)) > POINTER_BYTES_MAX) return null;
  const [, sha256, size] = POINTER.exec(await readBlob(vault, committed)) ?? [];
  return sha256 === undefined ? null : { sha256, bytes: Number(size) };
}

/** Whether a file is the content that a pointer names; null when it is too large to tell. */
export async function isContent(vault: Vault, entry: TreeEntry, { sha256, bytes }: LargeFile): Promise<boolean | null> {
  if ((await blobBytes(vault, entry)) !== bytes) return false;
  if (bytes > CONTENT_BYTES_MAX) return null;
  const content = await vault.git(["cat-file", "blob", entry.id]);
  return createHash("sha256").update(content).digest("hex") === sha256;
}

/** The content of a pointer as an object of the vault, where this machine has it. Runs no filter. */
export async function contentOf(vault: Vault, directory: string, { sha256, bytes }: LargeFile): Promise<string | null> {
  const common = (await readGit(directory, ["rev-parse", "--path-format=absolute", "--git-common-dir"]))?.trim();
  if (!common || bytes > CONTENT_BYTES_MAX) return null;
  const top = Buffer.from(common, "latin1").toString("utf8");
  const file = join(top, "lfs/objects", sha256.slice(0, 2), sha256.slice(2, 4), sha256);
  const stats = await stat(file).catch(() => null);
  if (!stats?.isFile() || stats.size !== bytes) return null;
  return (await vault.git(["hash-object", "-w", "--no-filters", "--", file])).toString().trim();
}

async function blobBytes(vault: Vault, { id }: TreeEntry): Promise<number> {
  return Number((await vault.git(["cat-file", "-s", id])).toString().trim());
}
