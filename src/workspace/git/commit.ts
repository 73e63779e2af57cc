import { copyFile, lstat, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ignore } from "../../lib/ignore.ts";
import { REFUSE, RefusalError } from "../../protocol/errors.ts";
import { absolutePath, joinRawPaths, type RawPath, shownPath } from "./raw-path.ts";
import { readGit, runUserGit, type UserGitCall, type UserGitResult } from "./run-git.ts";

/** A file to commit, by its path from the top of the repository. */
export interface CommittedFile {
  readonly path: RawPath;
  /** Instead of the file on disk: the last commit's file with some changes. */
  readonly part?: { readonly content: Uint8Array; readonly mode: string } | undefined;
}

export interface Committed {
  readonly commit: string;
  /** Output of Git and the user's hooks. */
  readonly output: string;
}

const COMMIT_TIMEOUT_MS = 5 * 60 * 1000;
const LOCK_WAIT_MS = 5_000;
const LOOK_EVERY_MS = 100;

/**
 * Commits files in the user's repository, with the user's hooks, signing and identity. Other staged content stays
 * staged and is not committed. Either the commit is made or nothing changes; a refusal has the reason in Git's own
 * words.
 */
export async function commitFiles(
  directory: string,
  files: readonly CommittedFile[],
  message: string,
  env: Readonly<Record<string, string>>,
  limits = { timeoutMs: COMMIT_TIMEOUT_MS, lockWaitMs: LOCK_WAIT_MS },
): Promise<Committed> {
  const names = ["index", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"].flatMap((name) => ["--git-path", name]);
  const paths = (await readGit(directory, ["rev-parse", "--path-format=absolute", ...names]))?.trimEnd().split("\n");
  const [indexFile, ...midway] = paths?.map((path) => Buffer.from(path, "latin1").toString("utf8")) ?? [];
  if (indexFile === undefined) throw refused("This directory is not in a Git repository. Create one with git init.");
  for (const file of midway)
    if (await exists(file))
      throw refused("A merge, cherry-pick or revert is not finished. Finish or abort it with Git, then commit.");
  await untilUnlocked(indexFile, limits.lockWaitMs);
  const scratch = await mkdtemp(join(tmpdir(), "liminal-commit-"));
  try {
    const commit = new Commit({ directory, env, timeoutMs: limits.timeoutMs }, indexFile, scratch);
    const isInParts = files.some(({ part }) => part !== undefined);
    const output = isInParts ? await commit.parts(files, message) : await commit.whole(files, message);
    return { commit: (await readGit(directory, ["rev-parse", "HEAD"]))?.trim() ?? "", output };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

class Commit {
  readonly #place: Pick<UserGitCall, "directory" | "env" | "timeoutMs">;
  readonly #indexFile: string;
  readonly #scratch: string;

  constructor(place: Pick<UserGitCall, "directory" | "env" | "timeoutMs">, indexFile: string, scratch: string) {
    this.#place = place;
    this.#indexFile = indexFile;
    this.#scratch = scratch;
  }

  get #directory(): string {
    return this.#place.directory;
  }

  #run(
    args: readonly string[],
    more: { input?: string | Uint8Array; indexFile?: string } = {},
  ): Promise<UserGitResult> {
    return runUserGit({ ...this.#place, args, ...more });
  }

  async #must(
    args: readonly string[],
    more: { input?: string | Uint8Array; indexFile?: string } = {},
  ): Promise<string> {
    return this.#outputOf(await this.#run(args, more));
  }

  #outputOf(result: UserGitResult): string {
    if (result.exitCode === 0) return result.output;
    if (result.isTimedOut)
      throw refused(
        `Git or one of its hooks took longer than ${this.#place.timeoutMs / 60_000} minutes and was stopped. Nothing was committed.`,
        result.output,
      );
    throw refused("Git did not commit. Nothing was changed. It said:", result.output);
  }

  /** A hook that runs after the commit may be stopped for its time: then the commit is there all the same. */
  async #commit(args: readonly string[], more: { input: string; indexFile?: string }): Promise<string> {
    const before = await this.#lastCommit("%H");
    const result = await this.#run(["commit", "-F", "-", ...args], more);
    const isMade =
      result.isTimedOut && (await this.#lastCommit("%P")) === before && (await this.#lastCommit("%H")) !== before;
    if (!isMade) return this.#outputOf(result);
    return `${result.output}\nThe commit was made. A hook that ran after it took too long and was stopped.`;
  }

  /** Empty where there is none. */
  async #lastCommit(format: "%H" | "%P"): Promise<string> {
    return (await readGit(this.#directory, ["log", "-1", `--format=${format}`]))?.trim() ?? "";
  }

  /** Names of files, which may contain anything. */
  async #pathspecs(name: string, paths: readonly RawPath[]): Promise<string[]> {
    const file = join(this.#scratch, name);
    await writeFile(file, joinRawPaths(paths.map((path) => `:(top,literal)${path}` as RawPath)));
    return [`--pathspec-from-file=${file}`, "--pathspec-file-nul"];
  }

  async whole(files: readonly CommittedFile[], message: string): Promise<string> {
    const paths = files.map(({ path }) => path);
    const fresh = await this.#untracked(paths);
    if (fresh.length > 0) await this.#must(["add", "--intent-to-add", ...(await this.#pathspecs("new", fresh))]);
    try {
      return await this.#commit(["--only", ...(await this.#pathspecs("all", paths))], { input: message });
    } catch (error) {
      // The user's index is as it was before.
      if (fresh.length > 0)
        await this.#run(["update-index", "--force-remove", "-z", "--stdin"], { input: joinRawPaths(fresh) });
      throw error;
    }
  }

  async #untracked(paths: readonly RawPath[]): Promise<RawPath[]> {
    const listed = await readGit(this.#directory, ["ls-files", "-z", "--cached"]);
    if (listed === null) throw refused("Git could not list the files. Nothing was committed.");
    const tracked = new Set(listed.split("\0"));
    const fresh: RawPath[] = [];
    for (const path of paths)
      if (!tracked.has(path) && (await exists(absolutePath(this.#directory, path)))) fresh.push(path);
    return fresh;
  }

  /** An index with nothing but the last commit and the chosen changes is committed; then the user's own follows it. */
  async parts(files: readonly CommittedFile[], message: string): Promise<string> {
    await this.#refuseParts(files.filter(({ part }) => part !== undefined).map(({ path }) => path));
    const indexFile = join(this.#scratch, "index");
    await copyFile(this.#indexFile, indexFile);
    await this.#must(["read-tree", "-m", "HEAD"], { indexFile });
    const whole = files.filter(({ part }) => part === undefined).map(({ path }) => path);
    if (whole.length > 0)
      await this.#must(["update-index", "--add", "--remove", "-z", "--stdin"], {
        indexFile,
        input: joinRawPaths(whole),
      });
    const entries: string[] = [];
    for (const { path, part } of files) {
      if (part === undefined) continue;
      // Line endings become those that the repository stores.
      const name = `--path=${shownPath(path)}`;
      const id = (await this.#must(["hash-object", "-w", "--stdin", name], { input: part.content })).trim();
      if (!/^[0-9a-f]+$/.test(id)) throw refused("Git could not store the changes. Nothing was committed.", id);
      entries.push(`${part.mode} ${id}\t${path}\0`);
    }
    await this.#must(["update-index", "-z", "--index-info"], {
      indexFile,
      input: Buffer.from(entries.join(""), "latin1"),
    });
    const output = await this.#commit([], { indexFile, input: message });
    return `${output}${await this.#follow(files.map(({ path }) => path))}`;
  }

  async #refuseParts(paths: readonly RawPath[]): Promise<void> {
    const staged = await readGit(this.#directory, ["diff-index", "--cached", "-z", "--name-only", "HEAD"]);
    if (staged === null) throw refused("There is no commit yet. Commit whole files first.");
    const isStaged = new Set(staged.split("\0"));
    const other = paths.find((path) => isStaged.has(path));
    if (other !== undefined)
      throw refused(
        `Parts of ${shownPath(other)} are staged already. Unstage it with git restore --staged, or commit the whole file.`,
      );
    const asked = ["check-attr", "-z", "--stdin", "filter", "working-tree-encoding"];
    const fields = (await readGit(this.#directory, asked, joinRawPaths(paths)))?.split("\0") ?? [];
    const filtered = fields.find((_, at) => at % 3 === 0 && /^(?!unspecified$|unset$)./.test(fields[at + 2] ?? ""));
    const odd = paths.find((path) => Buffer.from(shownPath(path), "utf8").toString("latin1") !== path);
    const whole = filtered ?? odd;
    if (whole !== undefined && whole !== "")
      throw refused(`${shownPath(whole as RawPath)} can only be committed whole. Choose the whole file.`);
  }

  /** What was committed is no longer a difference between the user's index and the last commit. */
  async #follow(paths: readonly RawPath[]): Promise<string> {
    const listing = (await readGit(this.#directory, ["ls-tree", "-r", "-z", "HEAD"])) ?? "";
    const chosen = new Set<string>(paths);
    const entries = new Map(
      listing.split("\0").flatMap((line) => {
        const [, mode = "", id = "", path = ""] = /^(\d+) \w+ ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
        return chosen.has(path) ? [[path, `${mode} ${id}\t${path}\0`]] : [];
      }),
    );
    const none = "0".repeat(/[0-9a-f]{40,}/.exec(listing)?.[0].length ?? 0);
    const input = paths.map((path) => entries.get(path) ?? `0 ${none}\t${path}\0`).join("");
    await untilUnlocked(this.#indexFile, LOCK_WAIT_MS).catch(ignore("the next step says what is wrong"));
    const followed = await this.#run(["update-index", "-z", "--index-info"], { input: Buffer.from(input, "latin1") });
    if (followed.exitCode !== 0)
      return `\nThe commit was made, but another Git process holds the index: run git reset to bring it up to date.\n${followed.output}`;
    await this.#run(["update-index", "-q", "--refresh"]);
    return "";
  }
}

/** A lock of another process is waited for, and never removed. */
export async function untilUnlocked(indexFile: string, waitMsMax: number, then = "commit"): Promise<void> {
  const lock = `${indexFile}.lock`;
  for (let waitedMs = 0; await exists(lock); waitedMs += LOOK_EVERY_MS) {
    if (waitedMs >= waitMsMax)
      throw refused(
        `Another Git process is using this repository. Wait for it to end, then ${then} again.`,
        `If no Git process is running, it was killed and left this file behind. Delete it: ${lock}`,
      );
    await Bun.sleep(LOOK_EVERY_MS);
  }
}

async function exists(path: string | Buffer): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}

function refused(words: string, details?: string): RefusalError {
  return new RefusalError(REFUSE.gitRefused(words, details));
}
