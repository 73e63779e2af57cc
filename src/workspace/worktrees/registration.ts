import { lstat, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { REFUSE, RefusalError } from "../../protocol/errors.ts";
import { readGit, runUserGit } from "../git/run-git.ts";
import { untilNoGitIn } from "../git/running-processes.ts";
import { readRepository } from "../vault/repository.ts";
import { readIfThere, untilClosed } from "../vault/vault-files.ts";
import type { WorktreeRecord } from "./records.ts";

/** Where Git keeps worktrees, and the proofs that one is ours: our marker, its registration, its device and inode. */

export type Env = Readonly<Record<string, string>>;

const STEP_TIMEOUT_MS = 60_000;
export const MARKER = "liminal-builder";
const LOCK_REASON = "Liminal Builder moves or keeps this worktree";
/** Nothing that a repository brings along runs. Filters do: without them the files would not be the user's. */
const NO_HOOKS = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "gc.auto=0"];

/** Runs the user's Git for a step that the user requested. On failure, the refusal has Git's words. */
export async function stepGit(
  directory: string,
  env: Env,
  args: readonly string[],
  timeoutMs = STEP_TIMEOUT_MS,
): Promise<string> {
  const result = await runUserGit({ directory, env, args: [...NO_HOOKS, ...args], timeoutMs });
  if (result.isTimedOut) throw refused(`Git took longer than ${timeoutMs / 1_000} s: git ${args.join(" ")}.`);
  if (result.exitCode !== 0) throw refused(result.output.trim() || `git ${args.join(" ")} failed.`);
  return result.output;
}

export function refused(words: string): RefusalError {
  return new RefusalError(REFUSE.gitRefused(words));
}

/** `readGit` gives one character for each byte. */
export function utf8(latin1: string): string {
  return Buffer.from(latin1, "latin1").toString("utf8");
}

export interface RepositoryOfProject {
  readonly topLevel: string;
  readonly commonDir: string;
  /** The project's directory from the top; empty when it is the top. */
  readonly prefix: string;
  /** The commit that is checked out. */
  readonly head: string;
  /** Null on a detached HEAD. */
  readonly branch: string | null;
}

/** The repository of a project that can have worktrees; refused in words otherwise. */
export async function openRepository(projectPath: string, env: Env): Promise<RepositoryOfProject> {
  const directory = await realpath(projectPath).catch(() => {
    throw new RefusalError(
      REFUSE.projectPathInvalid(`Cannot read ${projectPath}. Check that the directory still exists.`),
    );
  });
  const repository = await readRepository(directory);
  if (repository === null) {
    const { output } = await runUserGit({
      directory,
      env: { ...env, LC_ALL: "C" },
      args: ["rev-parse", "--show-toplevel"],
      timeoutMs: STEP_TIMEOUT_MS,
    });
    // Git refuses a repository of another user; that is never overridden.
    if (/dubious ownership|safe\.directory/.test(output)) throw refused(output.trim());
    throw refused(
      `${projectPath} is not in a Git repository of its own, so there can be no worktree of it. Create a repository with "git init" and a first commit, or work in the project itself.`,
    );
  }
  const asked = ["--path-format=absolute", "--git-common-dir", "--show-prefix"];
  const [commonDir = "", prefix = ""] = utf8((await readGit(directory, ["rev-parse", ...asked])) ?? "").split("\n");
  if (commonDir === "") throw refused(`Git cannot read the repository of ${projectPath}. Try "git status" there.`);
  const head = (await readGit(directory, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]))?.trim();
  if (!head) throw refused("The repository has no commit yet. Make a first commit, then create a worktree.");
  const branch = (await readGit(directory, ["symbolic-ref", "--quiet", "--short", "HEAD"]))?.trim();
  return {
    topLevel: await realpath(utf8(repository.topLevel)),
    commonDir: await realpath(commonDir),
    prefix: prefix.replace(/\/$/, ""),
    head,
    branch: branch ? utf8(branch) : null,
  };
}

/** Git's own directory for a worktree. */
export function adminDirOf({ commonDir, name }: Pick<WorktreeRecord, "commonDir" | "name">): string {
  return join(commonDir, "worktrees", name);
}

/** As deep as the worktree was: links from it to submodules are relative. */
export function quarantinePath({ path, name }: Pick<WorktreeRecord, "path" | "name">): string {
  return join(dirname(dirname(path)), ".quarantine", name);
}

export async function writeMarker(record: WorktreeRecord): Promise<void> {
  await writeFile(join(adminDirOf(record), MARKER), `${record.worktreeId}\n`, { flush: true });
}

/** Whether a directory is the one that the record was made for, whatever its name is now. */
export async function isSameDirectory(
  { device, inode }: Pick<WorktreeRecord, "device" | "inode">,
  path: string,
): Promise<boolean> {
  const stats = await lstat(path, { bigint: true }).catch(() => null);
  return stats?.isDirectory() === true && String(stats.dev) === device && String(stats.ino) === inode;
}

/** What of the four proofs holds for a worktree at a path. */
export async function proofsOf(record: WorktreeRecord, path: string) {
  const admin = adminDirOf(record);
  const [marker, gitdir, link, isDirectory] = await Promise.all([
    readIfThere(join(admin, MARKER)).catch(() => null),
    readIfThere(join(admin, "gitdir")).catch(() => null),
    readFile(join(path, ".git"), "utf8").catch(() => null),
    isSameDirectory(record, path),
  ]);
  const linked = /^gitdir: (.+)\n?$/.exec(link ?? "")?.[1];
  return {
    isMarked: marker?.trim() === record.worktreeId,
    /** Git's side names the directory. */
    isRegistered: gitdir !== null && resolve(admin, gitdir.trim()) === join(path, ".git"),
    /** The directory names Git's side. */
    isLinked: linked !== undefined && resolve(path, linked) === admin,
    isDirectory,
  };
}

/** Refused unless every proof holds: such a worktree is never touched. */
export async function mustBeOurs(record: WorktreeRecord, path: string): Promise<void> {
  const proofs = await proofsOf(record, path);
  if (!Object.values(proofs).every(Boolean)) throw new RefusalError(REFUSE.notOurs(path));
}

export async function lockWorktree(record: WorktreeRecord, path: string, env: Env): Promise<void> {
  const reason = await lockReason(record);
  if (reason?.trim() === LOCK_REASON) return;
  if (reason !== null)
    throw refused(
      `The worktree is locked${reason.trim() === "" ? "" : ` (${reason.trim()})`}. Unlock it with: git worktree unlock ${path}`,
    );
  try {
    await stepGit(record.projectPath, env, ["worktree", "lock", "--reason", LOCK_REASON, path]);
  } catch (error) {
    // A Git process of a killed server may have been faster.
    if ((await lockReason(record))?.trim() !== LOCK_REASON) throw error;
  }
}

function lockReason(record: WorktreeRecord): Promise<string | null> {
  return readIfThere(join(adminDirOf(record), "locked"));
}

/** Only a lock of ours. */
export async function unlockWorktree(record: WorktreeRecord, path: string, env: Env): Promise<void> {
  if ((await lockReason(record))?.trim() !== LOCK_REASON) return;
  try {
    await stepGit(record.projectPath, env, ["worktree", "unlock", path]);
  } catch (error) {
    // A Git process of a killed server may have been faster.
    if ((await lockReason(record)) !== null) throw error;
  }
}

export const LOCK_WORDS = ["--lock", "--reason", LOCK_REASON] as const;

const CHILDREN_WAIT_MS_MAX = 120_000;
const CLEAR_LOOKS = 3;
const CLEAR_LOOK_EVERY_MS = 100;

/** Waits until no Git process works in or on the worktree; false when one still does. */
export async function untilGitEnds(record: WorktreeRecord, waitMsMax = CHILDREN_WAIT_MS_MAX): Promise<boolean> {
  const places = [record.path, quarantinePath(record), adminDirOf(record)];
  // A Git process that a killed server was just starting cannot be identified yet: there must be none for a while.
  for (let looks = 0; looks < CLEAR_LOOKS; looks++) {
    if (looks > 0) await Bun.sleep(CLEAR_LOOK_EVERY_MS);
    if (!(await untilNoGitIn(places, waitMsMax))) return false;
  }
  return true;
}

const REF_LOCK_WAIT_MS = 5_000;

/**
 * Removes what a Git of ours that was killed while it created or deleted the branch has left. Deleting locks the branch
 * first and the list of packed ones after that, so one that is older than the lock of our branch is somebody else's. So
 * is one that a program has open.
 */
export async function dropBranchLocks({ commonDir, branch }: WorktreeRecord): Promise<void> {
  const own = join(commonDir, `refs/heads/${branch}.lock`);
  const locked = await stat(own).catch(() => null);
  if (locked === null) return;
  const packed = join(commonDir, "packed-refs.lock");
  const isFree = await untilClosed(packed, REF_LOCK_WAIT_MS);
  const listed = await stat(packed).catch(() => null);
  if (listed !== null && isFree && listed.mtimeMs >= locked.mtimeMs) await rm(packed, { force: true });
  await untilClosed(own, REF_LOCK_WAIT_MS);
  await rm(own, { force: true });
}
