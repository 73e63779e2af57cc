import { constants } from "node:fs";
import { chmod, copyFile, lstat, mkdir, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ignore } from "../../lib/ignore.ts";
import { absolutePath, type RawPath, shownPath, splitRawPaths } from "../git/raw-path.ts";
import { readGit, runUserGit } from "../git/run-git.ts";
import { exists, readIfThere } from "../vault/vault-files.ts";
import { deleteDirectory } from "./delete-directory.ts";
import type { WorktreeRecord } from "./records.ts";
import {
  adminDirOf,
  dropBranchLocks,
  type Env,
  isSameDirectory,
  LOCK_WORDS,
  type RepositoryOfProject,
  refused,
  stepGit,
  untilGitEnds,
  utf8,
  writeMarker,
} from "./registration.ts";

/** How a worktree is made, and how one that is not finished goes away again. */

const CHECKOUT_TIMEOUT_MS = 30 * 60_000;
const MB = 1024 * 1024;
const INCLUDED_BYTES_MAX = 200 * MB;
const INCLUDED_FILES_MAX = 5_000;
const LFS_BYTES_MAX = 200 * MB;
const POINTER_BYTES_MAX = 1_024;
const POINTERS_MAX = 50_000;
const LOCK_WAIT_MS = 5_000;

/**
 * Fills the directory of the record, which exists and is empty. It is not used before this is done; on failure,
 * `undoMaking` removes all of it. Returns what the user should know.
 */
export async function makeWorktree(
  record: WorktreeRecord,
  repository: RepositoryOfProject,
  sparse: readonly string[],
  env: Env,
): Promise<{ readonly included: readonly string[]; readonly notes: readonly string[] }> {
  const { path, projectPath, branch, baseCommit } = record;
  const notes: string[] = [];
  await stepGit(projectPath, env, [
    ...["worktree", "add", "--quiet", "--no-checkout", ...LOCK_WORDS, "--no-track", "-b", branch, path, baseCommit],
  ]);
  await writeMarker(record);
  if (sparse.length > 0) await stepGit(path, env, ["sparse-checkout", "set", "--cone", "--end-of-options", ...sparse]);
  const lfsBytes = await lfsBytesOf(record);
  const isLfsSkipped = lfsBytes > LFS_BYTES_MAX;
  if (isLfsSkipped)
    notes.push(
      `Large files (Git LFS, ${Math.ceil(lfsBytes / MB)} MB) were not downloaded. To have them, run in the worktree: git lfs pull`,
    );
  // Without its filter, the pointers stay as they are, and Git treats them as unchanged.
  const noLfs = ["smudge=", "process=", "required=false"].flatMap((setting) => ["-c", `filter.lfs.${setting}`]);
  // The index is empty and so is the directory: this writes every file, or those of the sparse directories.
  const checkout = [...(isLfsSkipped ? noLfs : []), "read-tree", "-m", "-u", "HEAD"];
  await stepGit(path, env, checkout, CHECKOUT_TIMEOUT_MS);
  const { copied, note } = await copyIncluded(repository.topLevel, path);
  if (note !== null) notes.push(note);
  return { included: copied.map(shownPath), notes };
}

/** It was never used: directory, registration and branch are removed, if they are the ones that were created for it. */
export async function undoMaking(record: WorktreeRecord, env: Env): Promise<void> {
  if (!(await untilGitEnds(record)))
    throw refused(`Git is still working in ${record.path}. Wait for its end, then choose Repair.`);
  const { path, projectPath, branch, baseCommit } = record;
  if (record.inode === "")
    await rmdir(path).catch(ignore("it was not made yet, or it is not empty and so not this one"));
  else if (await isSameDirectory(record, path)) await deleteDirectory(path, ".git");
  const admin = adminDirOf(record);
  const gitdir = await readIfThere(join(admin, "gitdir"));
  // Git may have been killed before it wrote where its directory is.
  if (gitdir === null || gitdir.trim() === join(path, ".git")) await rm(admin, { recursive: true, force: true });
  await rmdir(dirname(admin)).catch(ignore("there are other worktrees"));
  await rmdir(dirname(path)).catch(ignore("there are other worktrees of the project"));
  const reference = `refs/heads/${branch}`;
  await dropBranchLocks(record);
  const format = "--format=%(objectname) %(worktreepath)";
  const found = (await readGit(projectPath, ["for-each-ref", "--count=1", format, reference]))?.trimEnd();
  // One with commits is none that was just made, and one that is checked out is of another worktree.
  if (found === baseCommit) await stepGit(projectPath, env, ["update-ref", "-d", reference, baseCommit]);
}

/** How many bytes Git LFS would download for a commit. */
async function lfsBytesOf({ projectPath, commonDir, baseCommit }: WorktreeRecord): Promise<number> {
  const listing = (await readGit(projectPath, ["ls-tree", "-r", "-l", "-z", "--full-tree", baseCommit])) ?? "";
  const blobs = [...listing.matchAll(/\d{6} blob ([0-9a-f]+) +(\d+)\t([^\0]+)\0/g)].map(([, id = "", size, path]) => ({
    id,
    size: Number(size),
    path: path ?? "",
  }));
  const attributes = blobs.filter(({ path }) => /(?:^|\/)\.gitattributes$/.test(path)).map(({ id }) => id);
  const info = await readIfThere(join(commonDir, "info/attributes")).catch(() => null);
  const texts = `${info ?? ""}\n${await contentsOf(projectPath, attributes)}`;
  if (!/filter=lfs\b/.test(texts)) return 0;
  const small = blobs.filter(({ size }) => size < POINTER_BYTES_MAX).map(({ id }) => id);
  const contents = await contentsOf(projectPath, [...new Set(small)].slice(0, POINTERS_MAX));
  const pointers = contents.matchAll(/^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:[^\n]+\n)*?size (\d+)$/gm);
  return [...pointers].reduce((sum, [, size]) => sum + Number(size), 0);
}

async function contentsOf(projectPath: string, ids: readonly string[]): Promise<string> {
  if (ids.length === 0) return "";
  const input = Buffer.from(ids.map((id) => `${id}\n`).join(""));
  return (await readGit(projectPath, ["cat-file", "--batch", "--buffer"], input)) ?? "";
}

/** Files that are ignored and that `.worktreeinclude` matches. Links, directories that are repositories and tracked files are none. Null when Git cannot list them in time. */
export async function includedFiles(topLevel: string): Promise<RawPath[] | null> {
  if (!(await lstat(join(topLevel, INCLUDE_FILE)).catch(() => null))?.isFile()) return [];
  const untracked = async (...patterns: string[]) => {
    const listing = await readGit(topLevel, ["ls-files", "-z", "--others", "--ignored", ...patterns]);
    return listing === null ? null : splitRawPaths(Buffer.from(listing, "latin1"));
  };
  const matched = await untracked("-X", INCLUDE_FILE);
  if (matched === null || matched.length === 0) return matched;
  const list = await untracked("--exclude-standard");
  if (list === null) return null;
  const ignored = new Set(list);
  // A repository inside is listed as a directory.
  const paths = matched.filter((path) => ignored.has(path) && !path.endsWith("/"));
  const found: RawPath[] = [];
  for (const path of paths) {
    const stats = await lstat(absolutePath(topLevel, path)).catch(() => null);
    if (stats?.isFile()) found.push(path);
  }
  return found;
}

const INCLUDE_FILE = ".worktreeinclude";

async function copyIncluded(
  from: string,
  to: string,
): Promise<{ readonly copied: readonly RawPath[]; readonly note: string | null }> {
  const wanted = await includedFiles(from);
  if (wanted === null) {
    const note = `The files of ${INCLUDE_FILE} could not be listed in time, so none was copied. Copy what you need by hand.`;
    return { copied: [], note };
  }
  const copied: RawPath[] = [];
  const left: RawPath[] = [];
  let bytes = 0;
  for (const path of wanted) {
    const source = absolutePath(from, path);
    const stats = await lstat(source).catch(() => null);
    if (!stats?.isFile()) continue;
    if (bytes + stats.size > INCLUDED_BYTES_MAX || copied.length === INCLUDED_FILES_MAX) {
      left.push(path);
      continue;
    }
    // What the commit has stays; nothing is written through a link, which could lead anywhere.
    const target = absolutePath(to, path);
    if (!(await makeDirectories(to, path)) || (await exists(target))) continue;
    await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    await chmod(target, stats.mode & 0o777);
    bytes += stats.size;
    copied.push(path);
  }
  const [first] = left;
  const note =
    first === undefined
      ? null
      : `${left.length} files of ${INCLUDE_FILE} were not copied, because together they are more than ${INCLUDED_BYTES_MAX / MB} MB or ${INCLUDED_FILES_MAX.toLocaleString("en-US")} files: ${shownPath(first)}${left.length > 1 ? " and others" : ""}.`;
  return { copied, note };
}

/** False when something on the way to the path is there and is no directory. */
async function makeDirectories(top: string, path: RawPath): Promise<boolean> {
  const names = path.split("/").slice(0, -1);
  for (let count = 1; count <= names.length; count++) {
    const directory = absolutePath(top, names.slice(0, count).join("/") as RawPath);
    const stats = await lstat(directory).catch(() => null);
    if (stats === null) await mkdir(directory);
    else if (!stats.isDirectory()) return false;
  }
  return true;
}

/** The commit that a name stands for, and the branch when it is one. */
export async function resolveBase(
  { topLevel, head, branch }: RepositoryOfProject,
  name: string | undefined,
): Promise<{ readonly commit: string; readonly branch: string | null }> {
  if (name === undefined) return { commit: head, branch };
  const verify = (word: string) => readGit(topLevel, ["rev-parse", "--verify", "--quiet", "--end-of-options", word]);
  const commit = name.startsWith("-") ? null : (await verify(`${name}^{commit}`))?.trim();
  if (!commit) throw refused(`There is no branch, tag or commit "${name}" in this repository.`);
  const isBranch = (await verify(`refs/heads/${name}`)) !== null;
  return { commit, branch: isBranch ? name : null };
}

/** Refused in words when a branch cannot be created. */
export async function checkNewBranch(topLevel: string, branch: string, env: Env): Promise<void> {
  const { exitCode } = await runUserGit({
    directory: topLevel,
    env,
    args: ["check-ref-format", "--branch", branch],
    timeoutMs: LOCK_WAIT_MS,
  });
  if (exitCode !== 0 || branch.startsWith("-")) throw refused(`"${branch}" is not a valid name of a branch.`);
  const found = await readGit(topLevel, ["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`]);
  if (found !== null) throw refused(`There is a branch "${branch}" already. Choose another name.`);
}

export async function hasDirectory(topLevel: string, commit: string, path: string): Promise<boolean> {
  const type = await readGit(topLevel, ["cat-file", "-t", `${commit}:${path}`]);
  return type !== null && utf8(type).trim() === "tree";
}
