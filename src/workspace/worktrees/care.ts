import { lstat, mkdir, readdir, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ignore } from "../../lib/ignore.ts";
import { REFUSE, RefusalError } from "../../protocol/errors.ts";
import { readGit } from "../git/run-git.ts";
import { exists, readIfThere } from "../vault/vault-files.ts";
import { deleteDirectory, refuseMounts } from "./delete-directory.ts";
import type { WorktreeRecord } from "./records.ts";
import {
  adminDirOf,
  dropBranchLocks,
  type Env,
  isSameDirectory,
  lockWorktree,
  MARKER,
  mustBeOurs,
  proofsOf,
  quarantinePath,
  refused,
  stepGit,
  unlockWorktree,
  untilGitEnds,
} from "./registration.ts";

/** How a worktree of ours goes into quarantine, comes back, or is deleted. Git is never told to force anything. */

const BUNDLE_TIMEOUT_MS = 10 * 60_000;
const BUNDLE_SUFFIX = ".bundle";
const BUNDLE_MS = 90 * 24 * 60 * 60_000;

/** Refused when moving it would touch files that are not ours, or when the target is not free. */
export async function checkMove(record: WorktreeRecord, from: string, to: string): Promise<void> {
  await mustBeOurs(record, from);
  await refuseMounts(from);
  if (await exists(to)) throw refused(`Something else is at ${to}. Move it elsewhere, then repeat.`);
}

/** One rename: nothing is copied, and nothing in it changes. */
export async function moveDirectory(record: WorktreeRecord, from: string, to: string, env: Env): Promise<void> {
  await lockWorktree(record, from, env);
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await rename(from, to);
  await settleRegistration(record, to, env);
}

/** Updates the directory's path in Git. In quarantine it is locked, so that it is not pruned. */
async function settleRegistration(record: WorktreeRecord, at: string, env: Env): Promise<void> {
  const { isMarked, isLinked, isRegistered } = await proofsOf(record, at);
  if (!isMarked || !isLinked) throw new RefusalError(REFUSE.notOurs(at));
  if (!isRegistered) await stepGit(record.projectPath, env, ["worktree", "repair", at]);
  if (at === record.path) await unlockWorktree(record, at, env);
  else await lockWorktree(record, at, env);
}

/** A move that was cut off ends where the directory is. */
export async function settleMoved(record: WorktreeRecord, env: Env): Promise<"ready" | "removed"> {
  if (!(await untilGitEnds(record))) throw refused(`Git is still working in ${record.path}. Wait for its end.`);
  const quarantine = quarantinePath(record);
  const isBack = await isSameDirectory(record, record.path);
  if (!isBack && !(await isSameDirectory(record, quarantine)))
    throw refused(`Its directory is neither at ${record.path} nor at ${quarantine}. Put it back at one of them.`);
  await settleRegistration(record, isBack ? record.path : quarantine, env);
  return isBack ? "ready" : "removed";
}

/** Refused unless it is ours and can be deleted as a whole. One whose directory is gone has nothing to delete. */
export async function checkDeletion(record: WorktreeRecord): Promise<void> {
  const path = quarantinePath(record);
  if (!(await exists(path))) return;
  await mustBeOurs(record, path);
  await refuseMounts(path);
}

/** Commits that no other branch, remote or tag has go into a bundle of ours first. */
export async function keepCommits(record: WorktreeRecord, directory: string, env: Env): Promise<void> {
  const admin = adminDirOf(record);
  if (!(await exists(join(admin, "HEAD")))) return;
  // Git's side still has the commit of a checkout without a directory.
  const own = ["--git-dir", admin];
  const others = ["--not", `--exclude=refs/heads/${record.branch}`, "--branches", "--remotes", "--tags"];
  const counted = await readGit(record.projectPath, [...own, "rev-list", "--count", "HEAD", ...others]);
  if (counted === null) throw refused(`Git cannot tell which commits only ${record.name} has. Nothing was deleted.`);
  if (Number(counted.trim()) === 0) return;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, `${record.worktreeId}${BUNDLE_SUFFIX}`);
  const bundle = [...own, "bundle", "create", "--quiet", file, "HEAD", ...others];
  await stepGit(record.projectPath, env, bundle, BUNDLE_TIMEOUT_MS);
}

/** Bundles are kept for as long as Git keeps commits that nothing names. */
export async function dropOldBundles(directory: string, nowMs: number): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  for (const file of names.filter((name) => name.endsWith(BUNDLE_SUFFIX)).map((name) => join(directory, name))) {
    const { mtimeMs } = await lstat(file);
    if (nowMs - mtimeMs > BUNDLE_MS) await rm(file, { force: true });
  }
}

/** Deletes directory and registration, and the branch if the base has all of it. Also goes on with what was cut off. */
export async function deleteForGood(record: WorktreeRecord, env: Env): Promise<void> {
  if (!(await untilGitEnds(record))) throw refused(`Git is still working in ${record.path}. Wait for its end.`);
  const path = quarantinePath(record);
  const admin = adminDirOf(record);
  const { isMarked, isDirectory } = await proofsOf(record, path);
  if (isDirectory && isMarked) await deleteDirectory(path, ".git");
  else if (await exists(path)) throw new RefusalError(REFUSE.notOurs(path));
  // The marker goes last, so that what is left of it is still known as ours.
  if (isMarked && (await isRegisteredHere(record))) await deleteDirectory(admin, MARKER);
  else await rmdir(admin).catch(ignore("gone, or not ours"));
  await rmdir(dirname(admin)).catch(ignore("there are other worktrees"));
  await dropBranchLocks(record);
  await deleteMergedBranch(record, env);
}

/** The registration names a place of this worktree, where nothing is any more. */
async function isRegisteredHere(record: WorktreeRecord): Promise<boolean> {
  const gitdir = (await readIfThere(join(adminDirOf(record), "gitdir")))?.trim();
  if (gitdir === undefined) return true;
  const isNamed = [record.path, quarantinePath(record)].some((path) => gitdir === join(path, ".git"));
  return isNamed && !(await exists(gitdir));
}

/**
 * Deleted only in the state in which it was checked, and only when the base has all its commits. A branch that stays
 * does no harm.
 */
async function deleteMergedBranch({ projectPath, branch, base }: WorktreeRecord, env: Env): Promise<void> {
  const read = (...args: string[]) => readGit(projectPath, args);
  const reference = `refs/heads/${branch}`;
  const tip = (await read("rev-parse", "--verify", "--quiet", reference))?.trim();
  if (!tip || base === null || base === branch) return;
  const isMerged = (await read("merge-base", "--is-ancestor", tip, `refs/heads/${base}`)) !== null;
  const listing = await read("worktree", "list", "--porcelain", "-z");
  const isElsewhere = listing === null || listing.split("\0").includes(`branch ${reference}`);
  if (!isMerged || isElsewhere) return;
  await stepGit(projectPath, env, ["update-ref", "-d", reference, tip]).catch(ignore("the branch is kept"));
}
