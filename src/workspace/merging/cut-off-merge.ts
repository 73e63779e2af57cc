import type { Stats } from "node:fs";
import { lstat, mkdir, readdir, readFile, readlink, rm, rmdir, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { ignore } from "../../lib/ignore.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { absolutePath, joinRawPaths, type RawPath, shownPath } from "../git/raw-path.ts";
import { GitError, inspectGit, runUserGit, type UserGitResult } from "../git/run-git.ts";
import { untilNoGitIn, untilNoProcess } from "../git/running-processes.ts";
import { COMPARE, type FileChange, readCountedChanges } from "../vault/compare.ts";
import { vaultKey } from "../vault/vault.ts";
import { exists, readIfThere, untilClosed, writeWhole } from "../vault/vault-files.ts";
import { commitOf, wordsOf } from "./checkouts.ts";

const MergeIntent = z.object({
  /** The checkout of the branch that is merged into. */
  directory: z.string(),
  indexFile: z.string(),
  into: z.string(),
  old: z.string(),
  new: z.string(),
  /** Uncommitted files that are as after the merge already. They are staged for it, and stay whatever happens. */
  same: z.optional(z.object({ paths: z.array(z.string()), indexBefore: z.string() })),
});
/** The planned changes of a merge to a checkout. */
export type MergeIntent = z.infer<typeof MergeIntent>;

const GIT_ENDS_WAIT_MS = 5_000;
/** In an `index.lock` of ours. */
const LOCK_MARK = "liminal: putting a merge back,";
const PUT_BACK_TIMEOUT_MS = 60_000;
const SHOWN_PATHS_MAX = 20;
const LINK = "120000";
const PROGRAM = "100755";

/**
 * One intent for each repository, as a file of ours. It is written before Git changes the files of a checkout. When Git
 * is killed in the middle, the branch is still at its old commit, and files that the merge changed are as before, as
 * after, missing, or partly written. They are restored from the old commit: all of them were as committed there.
 */
export class MergeIntents {
  readonly #root: string;
  readonly #env: Readonly<Record<string, string>>;

  constructor(root: string, env: Readonly<Record<string, string>>) {
    this.#root = root;
    this.#env = env;
  }

  async write(common: string, intent: MergeIntent): Promise<void> {
    await mkdir(this.#root, { recursive: true, mode: 0o700 });
    await writeWhole(this.#fileOf(common), JSON.stringify(intent));
  }

  remove(common: string): Promise<void> {
    return rm(this.#fileOf(common), { force: true });
  }

  #fileOf(common: string): string {
    return join(this.#root, `${vaultKey(common)}.json`);
  }

  /** What the user has to do about merges that could neither be finished nor put back. */
  async settleAll(): Promise<string[]> {
    const names = (await readdir(this.#root).catch(() => [])).filter((name) => name.endsWith(".json"));
    const words: string[] = [];
    for (const name of names) {
      const stuck = await this.#settleFile(join(this.#root, name));
      if (stuck !== null) words.push(stuck);
    }
    return words;
  }

  /** Null when there is nothing left to do. */
  settle(common: string): Promise<string | null> {
    return this.#settleFile(this.#fileOf(common));
  }

  async #settleFile(file: string): Promise<string | null> {
    const text = await readIfThere(file);
    if (text === null) return null;
    const read = MergeIntent.safeParse(parseJson(text));
    if (!read.success) return `A note about a merge cannot be read. Look at "git status", then delete it: ${file}`;
    const merge = new CutOffMerge(read.data, (await lstat(file)).mtimeMs, this.#env);
    // A failure to settle it must not keep the server from starting.
    const stuck = await merge.settle().catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      return `A merge into ${read.data.into} was cut off in ${read.data.directory} and could not be put back: ${reason}`;
    });
    if (stuck === null) await rm(file, { force: true });
    return stuck;
  }
}

type FileState = "old" | "new" | "other";

class CutOffMerge {
  readonly #intent: MergeIntent;
  readonly #startedMs: number;
  readonly #env: Readonly<Record<string, string>>;

  constructor(intent: MergeIntent, startedMs: number, env: Readonly<Record<string, string>>) {
    this.#intent = intent;
    this.#startedMs = startedMs;
    this.#env = env;
  }

  get #directory(): string {
    return this.#intent.directory;
  }

  async settle(): Promise<string | null> {
    const { indexFile, into, old } = this.#intent;
    if (!(await exists(this.#directory))) return null;
    const lock = `${indexFile}.lock`;
    // When only the server is killed, its Git continues.
    const isOver = async () => (await untilEnded(this.#intent.new)) && (await untilClosed(lock, GIT_ENDS_WAIT_MS));
    const wait = `Git still works in ${this.#directory}. Wait for it to end, then try again.`;
    if (!(await isOver())) return wait;
    const mark = `${LOCK_MARK} ${this.#intent.new}\n`;
    if ((await readIfThere(lock).catch(() => null)) === mark) await rm(lock, { force: true });
    // With the lock taken, a Git that starts only now changes nothing.
    const isTaken = await writeFile(lock, mark, { flag: "wx" }).then(
      () => true,
      () => false,
    );
    // An existing lock may belong to a Git that has just started.
    if (!isTaken && !(await isOver())) return wait;
    try {
      await this.#dropReferenceLocks();
      const stuck = await this.#settleFiles(lock, into, old);
      if (stuck !== null) return stuck;
    } finally {
      if (isTaken) await rm(lock, { force: true });
    }
    const left = await this.#explainLocks();
    if (left === null && (await commitOf(this.#directory, into)) === old) await this.#unstage();
    return left;
  }

  /** The index has these files as it had them before. */
  async #unstage(): Promise<void> {
    const { same } = this.#intent;
    if (same === undefined) return;
    const result = await stage(this.#directory, same.indexBefore, this.#env);
    if (result.exitCode !== 0) throw new GitError(`Git could not put the index back: ${result.output}`);
  }

  /** Git writes the files, then the index, then the branch. */
  async #settleFiles(lock: string, into: string, old: string): Promise<string | null> {
    if ((await commitOf(this.#directory, into)) !== old) return null;
    const changes = await this.#changes();
    if (await this.#isIndexNew(changes)) return this.#finish();
    const states = await this.#statesOf(changes);
    const others = changes.filter(({ path }) => states.get(path) === "other").map(({ path }) => path);
    if (others.length > 0) return this.#explain(others);
    const touched = changes.filter(({ path }) => states.get(path) !== "old");
    if (touched.length > 0) await this.#putBack(touched, lock);
    return null;
  }

  /**
   * Git writes the branch last, and has locked HEAD and the branch for it. Such a lock is the one of the Git that was
   * killed if it was made since the merge began and no Git works in the checkout any more. One of the branch must name
   * the commit of the merge: it can be locked from another checkout.
   */
  async #dropReferenceLocks(): Promise<void> {
    const { into, new: commit } = this.#intent;
    const own = await this.#locksSince(["HEAD", "ORIG_HEAD"]);
    for (const path of await this.#locksSince([`refs/heads/${into}`]))
      if ((await readIfThere(path).catch(() => null))?.startsWith(commit)) own.push(path);
    if (own.length === 0 || !(await untilNoGitIn([this.#directory], GIT_ENDS_WAIT_MS))) return;
    for (const path of own) if (await untilClosed(path, GIT_ENDS_WAIT_MS)) await rm(path, { force: true });
  }

  /** Locks that were made since the merge began and are still there. */
  async #locksSince(references: readonly string[]): Promise<string[]> {
    const names = references.flatMap((name) => ["--git-path", `${name}.lock`]);
    const output = await this.#git(["rev-parse", "--path-format=absolute", ...names]);
    const left: string[] = [];
    for (const path of output.toString("utf8").trimEnd().split("\n")) {
      const stats = await lstat(path).catch(() => null);
      if (stats !== null && createdMs(stats) >= this.#startedMs) left.push(path);
    }
    return left;
  }

  /** The owner of these locks is uncertain: the user deletes them. */
  async #explainLocks(): Promise<string | null> {
    const { into } = this.#intent;
    const left: string[] = [];
    for (const path of await this.#locksSince(["index", "HEAD", "ORIG_HEAD", `refs/heads/${into}`]))
      if (!(await readIfThere(path).catch(() => null))?.startsWith(LOCK_MARK)) left.push(path);
    if (left.length === 0) return null;
    return `Git was killed while it merged into ${into}. No file is lost. If no Git process is running in ${this.#directory}, delete what it left behind, then try again: ${left.join(" ")}`;
  }

  async #git(args: readonly string[], input?: Uint8Array): Promise<Buffer> {
    const result = await inspectGit({ directory: this.#directory, args, input });
    if (result.exitCode !== 0) throw new GitError(wordsOf(result));
    return result.stdout;
  }

  async #changes(): Promise<FileChange[]> {
    const args = [...COMPARE, "--raw", "--no-abbrev", this.#intent.old, this.#intent.new];
    const same = new Set(this.#intent.same?.paths);
    return readCountedChanges((await this.#git(args)).toString("latin1")).filter(({ path }) => !same.has(path));
  }

  async #isIndexNew(changes: readonly FileChange[]): Promise<boolean> {
    const args = ["diff-index", "--cached", "-z", "--name-only", "--no-renames", this.#intent.new];
    const different = new Set((await this.#git(args)).toString("latin1").split("\0"));
    return changes.length > 0 && changes.every(({ path }) => !different.has(path));
  }

  async #finish(): Promise<string | null> {
    const { into, old, new: commit } = this.#intent;
    const args = ["update-ref", "-m", "merge, finished after it was cut off", `refs/heads/${into}`, commit, old];
    const result = await inspectGit({ directory: this.#directory, args });
    return result.exitCode === 0 ? null : ((await this.#explainLocks()) ?? wordsOf(result));
  }

  async #statesOf(changes: readonly FileChange[]): Promise<Map<RawPath, FileState>> {
    const states = new Map<RawPath, FileState>();
    const files: (FileChange & { readonly isProgram: boolean })[] = [];
    for (const change of changes) {
      const path = absolutePath(this.#directory, change.path);
      const stats = await lstat(path).catch(() => null);
      if (stats === null || stats.isDirectory()) {
        // A directory in its place belongs to other files of the merge, or to one side that has no such file.
        states.set(change.path, change.before === null ? "old" : "new");
      } else if (stats.isSymbolicLink()) {
        const target = await readlink(path, "latin1");
        const isOf = async (entry: FileChange["before"]) =>
          entry?.mode === LINK && (await this.#git(["cat-file", "blob", entry.id])).toString("latin1") === target;
        states.set(change.path, (await isOf(change.before)) ? "old" : (await isOf(change.after)) ? "new" : "other");
      } else if (stats.isFile()) files.push({ ...change, isProgram: (stats.mode & 0o100) !== 0 });
      else states.set(change.path, "other");
    }
    const ids = await idsOnDisk(
      this.#directory,
      files.map(({ path }) => path),
    );
    for (const change of files) {
      const { before, after, isProgram } = change;
      const id = ids.get(change.path);
      // Only the right to execute it may differ.
      const isOld = id === before?.id && (id !== after?.id || isProgram === (before?.mode === PROGRAM));
      const isNew = !isOld && (id === after?.id || (await this.#isBeginning(change)));
      states.set(change.path, isOld ? "old" : isNew ? "new" : "other");
    }
    return states;
  }

  /** A file that Git had begun to write. */
  async #isBeginning({ path, after }: FileChange): Promise<boolean> {
    if (after === null) return false;
    const name = Buffer.from(`${after.id} ${path}\0`, "latin1");
    const output = await this.#git(["cat-file", "--batch", "--filters", "-z"], name);
    const whole = output.subarray(output.indexOf(0x0a) + 1, -1);
    const there = await readFile(absolutePath(this.#directory, path));
    return there.length < whole.length && whole.subarray(0, there.length).equals(there);
  }

  async #putBack(touched: readonly FileChange[], lock: string): Promise<void> {
    const isOurs = await this.#isOurLock(lock, touched);
    for (const { path } of touched.filter(({ before }) => before === null)) {
      await unlink(absolutePath(this.#directory, path)).catch(ignore("it is gone already"));
      await this.#removeEmptied(dirname(shownPath(path)));
    }
    const files = touched.filter(({ before }) => before !== null).map(({ path }) => path);
    for (const path of files) {
      const place = absolutePath(this.#directory, path);
      // Git would delete what is in a directory that has the place of a file.
      if ((await lstat(place).catch(() => null))?.isDirectory())
        await rmdir(place).catch(() => {
          throw new GitError(
            `${shownPath(path)} was a file and is a directory with files now. Move it away, then try again.`,
          );
        });
    }
    const input = joinRawPaths(files);
    // It takes no lock, and writes these files from the index, which is the old one.
    const args = ["checkout-index", "-f", "-z", "--stdin"];
    const result = await runUserGit({
      directory: this.#directory,
      env: this.#env,
      args,
      input,
      timeoutMs: PUT_BACK_TIMEOUT_MS,
    });
    if (result.exitCode !== 0) throw new GitError(`Git could not put the files back: ${result.output}`);
    if (isOurs) await rm(lock, { force: true });
  }

  /**
   * Git has the lock while it writes files. So a lock that is older than a file of the merge, and that no program has
   * open, is the one of the Git that was killed; any other one stays.
   */
  async #isOurLock(lock: string, touched: readonly FileChange[]): Promise<boolean> {
    const stats = await lstat(lock).catch(() => null);
    if (stats === null) return false;
    const times = await Promise.all(
      touched.map(async ({ path }) => (await lstat(absolutePath(this.#directory, path)).catch(() => null))?.mtimeMs),
    );
    const madeMs = createdMs(stats);
    return madeMs >= this.#startedMs && times.some((time) => time !== undefined && time >= madeMs);
  }

  /** Directories that the merge made. */
  async #removeEmptied(path: string): Promise<void> {
    for (let at = path; at !== "." && at !== "/"; at = dirname(at)) {
      const directory = join(this.#directory, at);
      const stats = await lstat(directory).catch(() => null);
      if (!stats?.isDirectory() || stats.birthtimeMs < this.#startedMs) return;
      const isGone = await rmdir(directory).then(
        () => true,
        () => false,
      );
      if (!isGone) return;
    }
  }

  #explain(paths: readonly RawPath[]): string {
    const { into, new: commit } = this.#intent;
    const names = paths.slice(0, SHOWN_PATHS_MAX).map(shownPath).join(", ");
    return `A merge into ${into} was cut off in ${this.#directory}, and these files have changed since: ${names}. Compare them with "git diff ${commit.slice(0, 12)}", put them back with "git restore", then merge again.`;
  }
}

function createdMs(stats: Stats): number {
  return stats.birthtimeMs || stats.mtimeMs;
}

/** The ids that Git would give to the files on disk. No filter that the repository itself configures is run. */
export async function idsOnDisk(directory: string, paths: readonly RawPath[]): Promise<Map<RawPath, string>> {
  if (paths.length === 0) return new Map();
  const input = Buffer.from(paths.map((path) => `${quoted(path)}\n`).join(""), "latin1");
  const result = await inspectGit({ directory, args: ["hash-object", "--stdin-paths"], input });
  if (result.exitCode !== 0) throw new GitError(wordsOf(result));
  const ids = result.stdout.toString("latin1").split("\n");
  return new Map(paths.map((path, index) => [path, ids[index] ?? ""]));
}

/** Writes entries into the index of a checkout, as `git update-index -z --index-info` reads them. */
export function stage(
  directory: string,
  entries: string,
  env: Readonly<Record<string, string>>,
): Promise<UserGitResult> {
  const args = ["update-index", "-z", "--index-info"];
  return runUserGit({ directory, env, args, input: Buffer.from(entries, "latin1"), timeoutMs: PUT_BACK_TIMEOUT_MS });
}

/** Waits until no process of this machine was started with this word; false when one still runs. */
function untilEnded(word: string): Promise<boolean> {
  const hasWord = async (id: string) =>
    (await readFile(`/proc/${id}/cmdline`, "latin1").catch(() => "")).split("\0").includes(word);
  return untilNoProcess(hasWord, GIT_ENDS_WAIT_MS);
}

/** As Git reads a name from a line. */
export function quoted(path: RawPath): string {
  const escaped = path.replace(/["\\\n]/g, (character) => (character === "\n" ? "\\n" : `\\${character}`));
  return escaped === path ? path : `"${escaped}"`;
}
