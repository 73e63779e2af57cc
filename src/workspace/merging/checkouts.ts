import type { Stats } from "node:fs";
import { lstat, readFile, realpath } from "node:fs/promises";
import { absolutePath, type RawPath } from "../git/raw-path.ts";
import { GitError, inspectGit, readGit } from "../git/run-git.ts";

/** A directory that a commit of the repository is checked out in. */
export interface Checkout {
  readonly path: string;
  /** Null before the first commit. */
  readonly commit: string | null;
  /** Null when no branch is checked out. */
  readonly branch: string | null;
}

/** All checkouts of the repository that a directory is in; the main one first. */
export async function listCheckouts(directory: string): Promise<Checkout[]> {
  const result = await inspectGit({ directory, args: ["worktree", "list", "--porcelain", "-z"] });
  if (result.exitCode !== 0) throw new GitError(wordsOf(result));
  return result.stdout
    .toString("utf8")
    .split("\0\0")
    .flatMap((record) => {
      const fields = new Map(record.split("\0").map((line): [string, string] => splitOnce(line, " ")));
      const path = fields.get("worktree");
      if (path === undefined || path === "" || fields.has("bare")) return [];
      const commit = fields.get("HEAD") ?? "";
      const branch = fields.get("branch")?.replace(/^refs\/heads\//, "") ?? null;
      return [{ path, commit: /[1-9a-f]/.test(commit) ? commit : null, branch }];
    });
}

/** The checkout that has a branch, if its directory is there. */
export async function checkoutOf(branch: string, checkouts: readonly Checkout[]): Promise<Checkout | null> {
  const found = checkouts.find((checkout) => checkout.branch === branch);
  if (found === undefined) return null;
  return (await lstat(found.path).catch(() => null)) === null ? null : found;
}

/** Whether two paths name the same directory. */
export async function isSamePlace(one: string, other: string): Promise<boolean> {
  if (one === other) return true;
  const [a, b] = await Promise.all([one, other].map((path) => realpath(path).catch(() => null)));
  return a !== null && a === b;
}

/** A file that is not as in the last commit, as it is on disk. */
export interface UncommittedFile {
  readonly path: RawPath;
  /** As Git stores it; null when the file is not there. */
  readonly mode: string | null;
}

const STATUS = ["status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all"];
const NO_MODE = "000000";

/**
 * Uncommitted files of a checkout, new ones included, without nested repositories. Runs no filter: a file that a filter
 * changes counts as uncommitted once it was written.
 */
export async function uncommittedFiles(directory: string): Promise<UncommittedFile[]> {
  const result = await inspectGit({ directory, args: STATUS });
  if (result.exitCode !== 0) throw new GitError(wordsOf(result));
  const files = new Map<string, string | null>();
  const fresh: string[] = [];
  for (const line of result.stdout.toString("latin1").split("\0")) {
    // `1 XY sub mH mI mW hH hI path`, `u XY sub m1 m2 m3 mW h1 h2 h3 path`, `? path`.
    const [, mode = "", path] =
      /^1 \S+ \S+ \S+ \S+ (\d+) \S+ \S+ (.+)$/s.exec(line) ??
      /^u \S+ \S+ \S+ \S+ \S+ (\d+) \S+ \S+ \S+ (.+)$/s.exec(line) ??
      [];
    if (path !== undefined) files.set(path, mode === NO_MODE ? null : mode);
    else if (line.startsWith("? ") && !line.endsWith("/")) fresh.push(line.slice(2));
  }
  // A file that was removed from the index may be there again.
  for (const path of fresh) files.set(path, await modeOnDisk(directory, path as RawPath));
  return [...files].map(([path, mode]) => ({ path: path as RawPath, mode }));
}

async function modeOnDisk(directory: string, path: RawPath): Promise<string | null> {
  const stats = await lstat(absolutePath(directory, path)).catch(() => null);
  return stats && modeOf(stats);
}

/** As Git stores it; null for a file that it does not store. */
export function modeOf(stats: Stats): string | null {
  if (stats.isSymbolicLink()) return "120000";
  if (!stats.isFile()) return null;
  return stats.mode & 0o100 ? "100755" : "100644";
}

const MIDWAY_FILES = ["rebase-merge/head-name", "rebase-apply/head-name"];

/** Whether a rebase of a branch is not finished in one of the checkouts. Such a branch is not checked out anywhere. */
export async function isBeingRebased(branch: string, checkouts: readonly Checkout[]): Promise<boolean> {
  for (const { path } of checkouts.filter((checkout) => checkout.branch === null))
    for (const name of MIDWAY_FILES) {
      const file = (await readGit(path, ["rev-parse", "--path-format=absolute", "--git-path", name]))?.trimEnd();
      const head = file === undefined ? null : await readFile(Buffer.from(file, "latin1"), "utf8").catch(() => null);
      if (head?.trim() === `refs/heads/${branch}`) return true;
    }
  return false;
}

/** Where a checkout's own files of Git, and those that all checkouts share, are. */
export async function gitFiles(directory: string): Promise<{ indexFile: string; objects: string; common: string }> {
  const names = ["--git-path", "index", "--git-path", "objects", "--git-common-dir"];
  const paths = await readGit(directory, ["rev-parse", "--path-format=absolute", ...names]);
  const [indexFile, objects, common] = (paths?.trimEnd() ?? "")
    .split("\n")
    .map((path) => Buffer.from(path, "latin1").toString("utf8"));
  if (indexFile === undefined || objects === undefined || common === undefined)
    throw new GitError(`${directory} is not in a Git repository. Create one with git init.`);
  return { indexFile, objects, common };
}

export function wordsOf(result: { readonly exitCode: number; readonly stderr: string }): string {
  return result.stderr.trim() || `Git ended with code ${result.exitCode}.`;
}

/** The commit of a branch; null when there is no such branch. */
export async function commitOf(directory: string, branch: string): Promise<string | null> {
  const shown = await readGit(directory, ["show-ref", "--verify", "--hash", "--", `refs/heads/${branch}`]);
  return shown?.trim() ?? null;
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

/** The branch that is checked out in a directory; null when there is none. */
export async function branchIn(directory: string): Promise<string | null> {
  const name = (await readGit(directory, ["symbolic-ref", "-q", "--short", "HEAD"]))?.trim();
  return name === undefined ? null : Buffer.from(name, "latin1").toString("utf8");
}
