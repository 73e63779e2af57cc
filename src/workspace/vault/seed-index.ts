import { copyFile, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { joinRawPaths, type RawPath } from "../git/raw-path.ts";
import { readGit } from "../git/run-git.ts";
import { IndexReader } from "./index-file.ts";
import { linkObjects } from "./link-objects.ts";
import { type Repository, readRepository } from "./repository.ts";
import { indexVersion, type Vault } from "./vault.ts";
import { readIfThere } from "./vault-files.ts";

/** These change bytes between disk and object without necessarily changing their number. */
const CHANGES_BYTES = /\b(?:filter|ident|working-tree-encoding)\b/;
const GITLINK = 0o160000;
/** An index has the lower 32 bits of a file's size. */
const FILE_SIZES = 2 ** 32;
const ID_DIGITS = { sha1: 40, sha256: 64 } as const;
const BLOB = Buffer.from("blob ");
const ZERO = 0x30;
const LINE_END = 0x0a;
const ATTRIBUTE_FILES_MAX = 200;

interface Seed {
  readonly directory: string;
  /** The copy of the user's index. */
  readonly seed: string;
  readonly objectFormat: Repository["objectFormat"];
}

/**
 * Starts the index of a part with a copy of the user's, so that the first scan need not read every file.
 * An entry is trusted only if the object has as many bytes as the file had; every other one is read from disk.
 * On any doubt nothing is copied: the first scan then reads all files. Gives the version that was copied.
 */
export async function seedIndex(vault: Vault, directory: string, indexFile: string): Promise<string | null> {
  const repository = await repositoryOf(vault, directory);
  if (repository === null) return null;
  const seed = `${indexFile}.seed`;
  const copy = async () => {
    const stats = await stat(repository.indexFile);
    await copyFile(repository.indexFile, seed);
    // Git compares the time of the index with those of the files to find the ones that changed in the same moment.
    await utimes(seed, stats.atime, stats.mtime);
    if (!(await cleanSeed(vault, { directory, seed, objectFormat: repository.objectFormat }))) return null;
    await rename(seed, indexFile);
    return indexVersion(stats);
  };
  // No index yet, one in parts that only its own repository can read, or one that just changed.
  const seeded = await copy().catch(() => null);
  await rm(seed, { force: true });
  await rm(`${seed}.lock`, { force: true });
  return seeded;
}

async function repositoryOf(vault: Vault, directory: string): Promise<Repository | null> {
  if (directory === vault.directory) return vault.repository;
  const nested = await readRepository(directory);
  if (nested === null || nested.topLevel !== directory || nested.objectFormat !== vault.repository?.objectFormat)
    return null;
  await linkObjects(nested.objectsDir, join(vault.path, "objects"));
  return nested;
}

/** False when the copy cannot be trusted at all. */
async function cleanSeed(vault: Vault, { directory, seed, objectFormat }: Seed): Promise<boolean> {
  const git = (args: readonly string[], input?: Buffer) =>
    vault.git(args, { workTree: directory, indexFile: seed, ...(input !== undefined && { input }) });
  const bytes = await readFile(seed);
  const asked = new IndexReader(bytes, objectFormat);
  const lineBytes = ID_DIGITS[objectFormat] + 1;
  const ids = Buffer.alloc(asked.count * lineBytes, "\n");
  const attributeFiles: RawPath[] = [];
  for (let at = 0; asked.next(); at += lineBytes) {
    asked.writeId(ids, at);
    if (asked.isAttributesFile) attributeFiles.push(asked.path);
  }
  if (await mayChangeBytes(directory, attributeFiles)) return false;
  // One line for each entry, in the same order.
  const sizes = new SizeLines(await git(["cat-file", "--batch-check=%(objecttype) %(objectsize)", "--buffer"], ids));
  const removed: RawPath[] = [];
  const doubtful: string[] = [];
  const entry = new IndexReader(bytes, objectFormat);
  while (entry.next()) {
    const size = sizes.next();
    if (entry.mode === GITLINK || !entry.isMerged || entry.isIntentToAdd) removed.push(entry.path);
    // Given by its object alone an entry has no times, so that the scan compares the file with it.
    else if (!entry.isPlain || size === null || size % FILE_SIZES !== entry.size)
      doubtful.push(`${entry.mode.toString(8)} ${entry.id} 0\t${entry.path}\0`);
  }
  if (removed.length > 0) await git(["update-index", "--force-remove", "-z", "--stdin"], joinRawPaths(removed));
  if (doubtful.length > 0) await git(["update-index", "-z", "--index-info"], Buffer.from(doubtful.join(""), "latin1"));
  return true;
}

/** The sizes of objects as Git reports them. */
class SizeLines {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Of the next object; null for one that is missing or no file. */
  next(): number | null {
    const bytes = this.#bytes;
    const isFile = bytes[this.#at] === BLOB[0] && bytes[this.#at + BLOB.length - 1] === BLOB.at(-1);
    let at = this.#at + BLOB.length;
    let size = 0;
    if (isFile) for (; (bytes[at] ?? 0) >= ZERO; at++) size = size * 10 + (bytes[at] ?? 0) - ZERO;
    const end = isFile ? at : bytes.indexOf(LINE_END, this.#at);
    if (end < 0 || bytes[end] !== LINE_END) throw new Error("Git told fewer sizes than it was asked for");
    this.#at = end + 1;
    return isFile ? size : null;
  }
}

async function mayChangeBytes(directory: string, inTree: readonly RawPath[]): Promise<boolean> {
  if (inTree.length > ATTRIBUTE_FILES_MAX) return true;
  const own = (await readGit(directory, ["config", "--type=path", "--get", "core.attributesFile"]))?.trim();
  const ofRepository = (
    await readGit(directory, ["rev-parse", "--path-format=absolute", "--git-path", "info/attributes"])
  )?.trim();
  const files = [
    ...inTree.map((path) => join(directory, Buffer.from(path, "latin1").toString("utf8"))),
    ...(own ? [own] : [join(homedir(), ".config/git/attributes")]),
    ...(ofRepository ? [ofRepository] : []),
    "/etc/gitattributes",
  ];
  const texts = await Promise.all(files.map((file) => readIfThere(file).catch(() => "filter")));
  return texts.some((text) => text !== null && CHANGES_BYTES.test(text));
}
