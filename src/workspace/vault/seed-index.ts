import { copyFile, rename, rm, stat, utimes } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { ignore } from "../../lib/ignore.ts";
import { joinRawPaths, type RawPath } from "../git/raw-path.ts";
import { linkObjects } from "./link-objects.ts";
import { type Repository, readGit, readRepository } from "./repository.ts";
import type { Vault } from "./vault.ts";
import { readIfThere } from "./vault-files.ts";

/** These change bytes between disk and object without necessarily changing their number. */
const CHANGES_BYTES = /\b(?:filter|ident|working-tree-encoding)\b/;
const GITLINK = "160000";
/** Git's flag of an entry that has a path and no content yet. */
const INTENT_TO_ADD = 0x2000_0000;
const ATTRIBUTE_FILES_MAX = 200;

interface Entry {
  readonly isPlain: boolean;
  readonly mode: string;
  readonly id: string;
  readonly stage: string;
  readonly path: RawPath;
  readonly size: number;
  readonly flags: number;
}

/**
 * Starts the index of a part with a copy of the user's, so that the first scan need not read every file.
 * An entry is trusted only if the object has as many bytes as the file had; every other one is read from disk.
 * On any doubt nothing is copied: the first scan then reads all files.
 */
export async function seedIndex(vault: Vault, directory: string, indexFile: string): Promise<void> {
  const repository = await repositoryOf(vault, directory);
  if (repository === null) return;
  const seed = `${indexFile}.seed`;
  const copy = async () => {
    const { atime, mtime } = await stat(repository.indexFile);
    await copyFile(repository.indexFile, seed);
    // Git compares the time of the index with those of the files to find the ones that changed in the same moment.
    await utimes(seed, atime, mtime);
    if (await cleanSeed(vault, directory, seed)) await rename(seed, indexFile);
  };
  await copy().catch(
    ignore("no index yet, one in parts that only its own repository can read, or one that just changed"),
  );
  await rm(seed, { force: true });
  await rm(`${seed}.lock`, { force: true });
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
async function cleanSeed(vault: Vault, directory: string, seed: string): Promise<boolean> {
  const git = (args: readonly string[], input?: Buffer) =>
    vault.git(args, { workTree: directory, indexFile: seed, ...(input !== undefined && { input }) });
  const listing = (await git(["ls-files", "-z", "-v", "--stage", "--debug"])).toString("latin1");
  const entries = readEntries(listing);
  if (entries.length !== listing.split("\0").length - 1 || (await mayChangeBytes(directory, entries))) return false;
  const ids = [...new Set(entries.map(({ id }) => id))];
  const sizes = readSizes(
    (await git(["cat-file", "--batch-check", "--buffer"], Buffer.from(`${ids.join("\n")}\n`))).toString(),
  );
  const isOther = ({ mode, stage, flags }: Entry) => mode === GITLINK || stage !== "0" || (flags & INTENT_TO_ADD) !== 0;
  const isTrusted = ({ isPlain, id, size }: Entry) => isPlain && sizes.get(id) === size;
  const removed = entries.filter(isOther).map(({ path }) => path);
  const doubtful = entries.filter((entry) => !isOther(entry) && !isTrusted(entry));
  // Entries given by their object have no times, so that the scan compares the files with them.
  const lines = doubtful.map(({ mode, id, path }) => `${mode} ${id} 0\t${path}\0`).join("");
  if (removed.length > 0) await git(["update-index", "--force-remove", "-z", "--stdin"], joinRawPaths(removed));
  if (lines !== "") await git(["update-index", "-z", "--index-info"], Buffer.from(lines, "latin1"));
  return true;
}

/** An entry is a line that ends with a zero byte, and five lines of details. */
function readEntries(listing: string): Entry[] {
  const pattern = /(\S) (\d+) ([0-9a-f]+) (\d)\t([^\0]+)\0(?: {2}[^\n]*\n){4} {2}size: (\d+)\tflags: ([0-9a-f]+)\n/g;
  return [...listing.matchAll(pattern)].map(([, tag, mode = "", id = "", stage = "", path, size, flags]) => ({
    isPlain: tag === "H",
    mode,
    id,
    stage,
    path: path as RawPath,
    size: Number(size),
    flags: Number.parseInt(flags ?? "0", 16),
  }));
}

function readSizes(listing: string): Map<string, number> {
  const lines = listing.trimEnd().split("\n");
  return new Map(
    lines.flatMap((line) => {
      const [id = "", type, size] = line.split(" ");
      return type === "blob" ? [[id, Number(size)] as const] : [];
    }),
  );
}

async function mayChangeBytes(directory: string, entries: readonly Entry[]): Promise<boolean> {
  const inTree = entries.map(({ path }) => path).filter((path) => /(?:^|\/)\.gitattributes$/.test(path));
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
