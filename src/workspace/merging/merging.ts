import { lstat, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TaskQueue } from "../../lib/task-queue.ts";
import type { Merging, WorktreePlace } from "../../ports/worktrees.ts";
import { REFUSE, RefusalError } from "../../protocol/errors.ts";
import type { Project } from "../../protocol/server-messages.ts";
import {
  MERGE_FILES_MAX,
  MERGE_MESSAGE_CHARS_MAX,
  type MergePreview,
  type PublishPreview,
} from "../../protocol/worktrees.ts";
import { commitFiles, untilUnlocked } from "../git/commit.ts";
import { absolutePath, type RawPath, wirePath } from "../git/raw-path.ts";
import { checkGit, GitError, inspectGit, readGit, runUserGit, type UserGitResult } from "../git/run-git.ts";
import { changedFile, countsOf } from "../review.ts";
import { COMPARE, type CountedChange, type FileChange, readCountedChanges, type TreeEntry } from "../vault/compare.ts";
import {
  branchIn,
  type Checkout,
  checkoutOf,
  commitOf,
  gitFiles,
  isBeingRebased,
  listCheckouts,
  modeOf,
  type UncommittedFile,
  uncommittedFiles,
  wordsOf,
} from "./checkouts.ts";
import { idsOnDisk, MergeIntents, stage } from "./cut-off-merge.ts";
import { type PullRequest, previewPublish, publishBranch } from "./publish.ts";

interface LocalMergingDeps {
  /** A directory of ours: the intent of a merge is stored there, so that a restart can detect an interrupted one. */
  readonly root: string;
  /** The user's own: hooks, signing, `git push`, `gh` and `glab` need it. */
  readonly env: Readonly<Record<string, string>>;
  readonly limits?: { readonly lockWaitMs: number };
}

const TARGETS_MAX = 200;
const CONFLICTS_MAX = 500;
const IN_THE_WAY_MAX = 500;
const MESSAGE_COMMITS_MAX = 100;
const LSTAT_AT_ONCE = 64;
const MERGE_TIMEOUT_MS = 5 * 60 * 1000;
const LOCK_WAIT_MS = 5_000;

/** Both sides of a merge, by the commits that they are at. */
interface Sides {
  readonly branch: string;
  readonly branchCommit: string;
  readonly into: string;
  readonly intoCommit: string;
}

/** What Git makes of both sides. */
type Outcome =
  | { readonly kind: "clean"; readonly tree: string; readonly changes: readonly CountedChange[] }
  | {
      readonly kind: "conflicts";
      readonly conflicts: MergePreview["conflicts"];
      readonly changes: readonly CountedChange[];
    }
  | { readonly kind: "unknown"; readonly reason: string };

/** Merges and publishes the work of worktrees on this machine. Nothing is ever checked out, stashed, reset or cleaned. */
export class LocalMerging implements Merging {
  readonly #env: Readonly<Record<string, string>>;
  readonly #lockWaitMs: number;
  readonly #intents: MergeIntents;
  /** By the directory that all checkouts of a repository share: one merge at a time. */
  readonly #queues = new Map<string, TaskQueue>();

  constructor({ root, env, limits }: LocalMergingDeps) {
    this.#env = env;
    this.#lockWaitMs = limits?.lockWaitMs ?? LOCK_WAIT_MS;
    this.#intents = new MergeIntents(root, env);
  }

  /**
   * Restores or finishes interrupted merges. Returns what the user has to do about those for which this fails. Call it
   * at start; a preview does it, too.
   */
  settleCutOff(): Promise<readonly string[]> {
    return this.#intents.settleAll();
  }

  async preview(
    project: Project,
    worktree: WorktreePlace,
    base: string | null,
    into: string | null,
  ): Promise<MergePreview> {
    return inWords(async () => {
      const { common } = await gitFiles(worktree.path);
      const stuck = await this.#queueOf(common).run(() => this.#intents.settle(common));
      const { sides, targets } = await findSides(project, worktree, base, into);
      const preview = await previewOf(worktree, sides, targets);
      return stuck === null ? preview : { ...preview, result: "unknown", reason: stuck };
    });
  }

  async merge(
    _project: Project,
    worktree: WorktreePlace,
    merge: {
      readonly into: string;
      readonly how: "merge" | "squash";
      readonly message: string | null;
      readonly expect: string;
    },
  ): Promise<{ readonly commit: string }> {
    return inWords(async () => {
      await requireGit();
      const { common } = await gitFiles(worktree.path);
      return this.#queueOf(common).run(async () => {
        const stuck = await this.#intents.settle(common);
        if (stuck !== null) throw refused(stuck);
        const sides = await sidesOf(worktree, merge.into);
        const moved = movedSide(sides, merge.expect);
        if (moved !== null) throw new RefusalError(REFUSE.branchMoved(moved));
        return { commit: await this.#mergeNow(worktree, sides, merge, common) };
      });
    });
  }

  async #mergeNow(
    worktree: WorktreePlace,
    sides: Sides,
    { how, message }: { readonly how: "merge" | "squash"; readonly message: string | null },
    common: string,
  ): Promise<string> {
    const outcome = await mergeTrees(worktree.path, sides);
    if (outcome.kind === "unknown") throw refused("Git cannot merge these branches. It said:", outcome.reason);
    if (outcome.kind === "conflicts")
      throw refused(
        `${sides.branch} and ${sides.into} conflict. Nothing was changed. Bring ${sides.into} into the worktree first, and solve the conflicts there.`,
        outcome.conflicts.map(({ path, kind }) => `${path}: ${kind}`).join("\n"),
      );
    if ((await countCommits(worktree.path, sides)) === 0) throw refused(`${sides.into} has all commits already.`);
    const checkouts = await listCheckouts(worktree.path);
    if (await isBeingRebased(sides.into, checkouts))
      throw refused(`A rebase of ${sides.into} is not finished. Finish or abort it with Git, then merge again.`);
    const checkout = await checkoutOf(sides.into, checkouts);
    const place = { directory: checkout?.path ?? worktree.path, env: this.#env, timeoutMs: MERGE_TIMEOUT_MS };
    const touched = checkout === null ? null : await touchedFiles(checkout, outcome.changes);
    if (checkout !== null && touched !== null && touched.inTheWay.length > 0)
      throw refused(
        `${checkout.path} has uncommitted changes in files that the merge would change. Nothing was changed. Commit these files there, or put them away with "git stash push --include-untracked", then merge again.`,
        touched.inTheWay.slice(0, IN_THE_WAY_MAX).map(wirePath).join("\n"),
      );
    const text =
      message?.trim() || (how === "squash" ? await squashMessage(worktree.path, sides) : mergeMessage(sides));
    const isSigned = (await readGit(place.directory, ["config", "--type=bool", "commit.gpgSign"]))?.trim() === "true";
    const parents = how === "squash" ? [sides.intoCommit] : [sides.intoCommit, sides.branchCommit];
    const made = await runUserGit({
      ...place,
      args: [
        "commit-tree",
        ...(isSigned ? ["-S"] : []),
        ...parents.flatMap((parent) => ["-p", parent]),
        ...["-F", "-", outcome.tree],
      ],
      input: `${text}\n`,
    });
    const commit = /^[0-9a-f]{40,64}$/m.exec(made.output)?.[0];
    if (made.exitCode !== 0 || commit === undefined) throw refusedBy(made, "Git did not make the commit");
    if (checkout === null) {
      const args = ["update-ref", "-m", `merge ${sides.branch}`, `refs/heads/${sides.into}`, commit, sides.intoCommit];
      const result = await runUserGit({ ...place, args });
      if (result.exitCode === 0) return commit;
      await refuseMoved(worktree.path, sides);
      throw refusedBy(result, "Git did not merge");
    }
    await this.#fastForward(checkout, { ...sides, commit, common, same: touched?.same ?? [] });
    return commit;
  }

  /** Git checks every file before it writes one, and takes the index's lock for it. */
  async #fastForward(
    checkout: Checkout,
    to: Sides & { readonly commit: string; readonly common: string; readonly same: readonly FileChange[] },
  ): Promise<void> {
    const { indexFile } = await gitFiles(checkout.path);
    const settings = ["gc.auto=0", "maintenance.auto=false"].flatMap((setting) => ["-c", setting]);
    const args = [...settings, "merge", "--ff-only", "--no-autostash", "--no-overwrite-ignore", "--no-stat", to.commit];
    const run = { directory: checkout.path, env: this.#env, timeoutMs: MERGE_TIMEOUT_MS, args };
    await untilUnlocked(indexFile, this.#lockWaitMs, "merge");
    // Signing may have taken minutes.
    if ((await branchIn(checkout.path)) !== to.into)
      throw refused(`${checkout.path} has another branch than ${to.into} checked out now. Nothing was changed.`);
    await this.#intents.write(to.common, {
      directory: checkout.path,
      indexFile,
      into: to.into,
      old: to.intoCommit,
      new: to.commit,
      ...(to.same.length > 0 && {
        same: { paths: to.same.map(({ path }) => path), indexBefore: await indexEntries(checkout.path, to.same) },
      }),
    });
    // Git accepts uncommitted files with the content of the merge only when they are staged so.
    const staged = to.same.length > 0 ? await stage(checkout.path, entriesAfter(to.same), this.#env) : null;
    let result = staged === null || staged.exitCode === 0 ? await runUserGit(run) : staged;
    if (result.exitCode !== 0 && /index\.lock/.test(result.output)) {
      // Another process was faster.
      await untilUnlocked(indexFile, this.#lockWaitMs, "merge");
      result = await runUserGit(run);
    }
    const commit = await commitOf(checkout.path, to.into);
    if (commit === to.commit) return this.#intents.remove(to.common);
    // A hook or a filter may have ended it in the middle.
    const stuck = await this.#intents.settle(to.common);
    if (stuck !== null) throw refused(stuck, result.output);
    await refuseMoved(checkout.path, to);
    throw refusedBy(result, "Git did not merge");
  }

  commit(
    worktree: WorktreePlace,
    { message, expect }: { readonly message: string; readonly expect: string },
  ): Promise<{ readonly commit: string; readonly output: string }> {
    return inWords(async () => {
      await requireGit();
      const files = await uncommittedFiles(worktree.path);
      const head = await commitOf(worktree.path, worktree.branch);
      if (expectUncommitted(head, files) !== expect)
        throw new RefusalError(REFUSE.workdirChanged(files.map(({ path }) => wirePath(path))));
      return commitFiles(worktree.path, files, message, this.#env);
    });
  }

  publishPreview(
    _project: Project,
    worktree: WorktreePlace,
    draft: { readonly title: string; readonly body: string; readonly into: string | null },
  ): Promise<PublishPreview> {
    return inWords(async () => {
      await requireGit();
      return previewPublish(worktree, draft, this.#env);
    });
  }

  publish(
    _project: Project,
    worktree: WorktreePlace,
    publish: { readonly pullRequest: PullRequest | null; readonly expect: string },
  ): Promise<{ readonly url: string | null; readonly output: string }> {
    return inWords(async () => {
      await requireGit();
      return publishBranch(worktree, publish, this.#env);
    });
  }

  #queueOf(common: string): TaskQueue {
    const queue = this.#queues.get(common) ?? new TaskQueue();
    this.#queues.set(common, queue);
    return queue;
  }
}

async function requireGit(): Promise<void> {
  const git = await checkGit();
  if (!git.ok) throw new RefusalError(REFUSE.gitUnavailable(git.reason));
}

async function findSides(
  project: Project,
  worktree: WorktreePlace,
  base: string | null,
  into: string | null,
): Promise<{ readonly sides: Sides; readonly targets: readonly string[] }> {
  const format = ["for-each-ref", "--sort=-committerdate", "--format=%(refname)", "refs/heads"];
  const branches = ((await readGit(worktree.path, format)) ?? "")
    .split("\n")
    .filter((line) => line !== "")
    .map((ref) => Buffer.from(ref.slice("refs/heads/".length), "latin1").toString("utf8"))
    .filter((name) => name !== worktree.branch);
  const checkedOut = await branchIn(project.path);
  const usual = [base, checkedOut, "main", "master", branches[0]].find(
    (name) => name !== null && name !== undefined && branches.includes(name),
  );
  const target = into ?? usual;
  if (target === undefined || target === null)
    throw refused("There is no other branch to merge into. Create one with git branch, then try again.");
  return { sides: await sidesOf(worktree, target), targets: branches.slice(0, TARGETS_MAX) };
}

async function sidesOf({ path, branch }: WorktreePlace, into: string): Promise<Sides> {
  if (into === branch) throw refused(`${branch} is the worktree's own branch. Choose another one to merge into.`);
  const [branchCommit, intoCommit] = await Promise.all([commitOf(path, branch), commitOf(path, into)]);
  const missing = branchCommit === null ? branch : intoCommit === null ? into : null;
  if (branchCommit === null || intoCommit === null)
    throw refused(`There is no branch ${missing ?? ""}. It may have been renamed or deleted. Choose another one.`);
  return { branch, branchCommit, into, intoCommit };
}

function expectOf({ intoCommit, branchCommit }: Sides): string {
  return `${intoCommit}..${branchCommit}`;
}

/** Which files are to be committed, on which commit. */
function expectUncommitted(head: string | null, files: readonly UncommittedFile[]): string {
  return new Bun.CryptoHasher("sha256").update(JSON.stringify([head, files])).digest("hex");
}

/** The branch that is no longer at the commit that was shown. */
function movedSide(sides: Sides, expect: string): string | null {
  if (expect === expectOf(sides)) return null;
  return expect.startsWith(`${sides.intoCommit}..`) ? sides.branch : sides.into;
}

async function refuseMoved(directory: string, { into, intoCommit }: Sides): Promise<void> {
  if ((await commitOf(directory, into)) !== intoCommit) throw new RefusalError(REFUSE.branchMoved(into));
}

async function countCommits(directory: string, { intoCommit, branchCommit }: Sides): Promise<number> {
  return Number(await readGit(directory, ["rev-list", "--count", `${intoCommit}..${branchCommit}`]));
}

async function previewOf(worktree: WorktreePlace, sides: Sides, targets: readonly string[]): Promise<MergePreview> {
  const commits = await countCommits(worktree.path, sides);
  const uncommitted = await uncommittedFiles(worktree.path);
  const paths = uncommitted.slice(0, MERGE_FILES_MAX).map(({ path }) => wirePath(path));
  const shown: MergePreview = {
    worktreeId: worktree.worktreeId,
    branch: sides.branch,
    into: sides.into,
    targets: [...targets],
    result: "nothing",
    commits,
    files: [],
    totalFiles: 0,
    added: 0,
    removed: 0,
    conflicts: [],
    uncommittedFiles: uncommitted.length,
    ...(paths.length > 0 && { uncommitted: { paths, expect: expectUncommitted(sides.branchCommit, uncommitted) } }),
    inTheWay: [],
    message: commits === 0 ? "" : await squashMessage(worktree.path, sides),
    expect: expectOf(sides),
  };
  if (commits === 0) return shown;
  const git = await checkGit();
  if (!git.ok) return { ...shown, result: "unknown", reason: `${git.reason} Until then, merge with git merge.` };
  const outcome = await lookAtMerge(worktree.path, sides);
  if (outcome.kind === "unknown") return { ...shown, result: "unknown", reason: outcome.reason };
  const checkout = await checkoutOf(sides.into, await listCheckouts(worktree.path));
  const inTheWay = checkout === null ? [] : (await touchedFiles(checkout, outcome.changes)).inTheWay;
  const { files, added, removed } = countsOf(outcome.changes);
  return {
    ...shown,
    result: outcome.kind,
    files: outcome.changes.slice(0, MERGE_FILES_MAX).map(changedFile),
    totalFiles: files,
    added,
    removed,
    conflicts: outcome.kind === "conflicts" ? outcome.conflicts : [],
    inTheWay: inTheWay.slice(0, IN_THE_WAY_MAX).map(wirePath),
    ...(checkout !== null && inTheWay.length > 0 && { checkout: checkout.path }),
  };
}

/** Writes nothing into the user's repository. */
async function lookAtMerge(directory: string, sides: Sides): Promise<Outcome> {
  const scratch = await mkdtemp(join(tmpdir(), "liminal-merge-"));
  try {
    const { objects } = await gitFiles(directory);
    return await mergeTrees(directory, sides, { objects: scratch, reads: objects });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function mergeTrees(
  directory: string,
  { intoCommit, branchCommit }: Sides,
  store?: { readonly objects: string; readonly reads: string },
): Promise<Outcome> {
  const merged = await inspectGit({
    directory,
    args: ["merge-tree", "--write-tree", "-z", "--messages", intoCommit, branchCommit],
    store,
  });
  if (merged.exitCode > 1) return { kind: "unknown", reason: wordsOf(merged) };
  const { tree, conflicts } = readMergeTree(merged.stdout.toString("latin1"));
  const args = [...COMPARE, "--raw", "--no-abbrev", "--numstat", intoCommit, tree];
  const compared = await inspectGit({ directory, args, store });
  if (compared.exitCode !== 0) return { kind: "unknown", reason: wordsOf(compared) };
  const changes = readCountedChanges(compared.stdout.toString("latin1"));
  if (merged.exitCode === 0) return { kind: "clean", tree, changes };
  return { kind: "conflicts", conflicts: conflicts.slice(0, CONFLICTS_MAX), changes };
}

const KINDS: Readonly<Record<string, string>> = {
  content: "both changed the same lines",
  binary: "both changed this binary file",
  "add/add": "both added it",
  "modify/delete": "one side changed it, the other deleted it",
  "rename/delete": "one side renamed it, the other deleted it",
  "rename/rename": "both renamed it",
  "file/directory": "a file on one side, a directory on the other",
  submodule: "both moved this submodule",
};

/** The tree; the conflicting files; an empty field; then messages: the number of paths, the paths, a type, the text. */
function readMergeTree(output: string): { readonly tree: string; readonly conflicts: MergePreview["conflicts"] } {
  const [tree = "", ...fields] = output.split("\0");
  const filesEnd = fields.indexOf("");
  const kinds = new Map<string, string>();
  for (const line of fields.slice(0, Math.max(filesEnd, 0))) {
    const path = line.slice(line.indexOf("\t") + 1);
    kinds.set(path, "both changed it");
  }
  for (let at = filesEnd + 1; filesEnd >= 0 && at < fields.length; ) {
    const count = Number(fields[at]);
    if (!(count > 0)) break;
    const [path = ""] = fields.slice(at + 1, at + 1 + count);
    const [, kind] = /^CONFLICT \(([^)]+)\)/.exec(fields[at + count + 2] ?? "") ?? [];
    if (kind !== undefined) kinds.set(path, KINDS[kind] ?? kind);
    at += count + 3;
  }
  return { tree, conflicts: [...kinds].map(([path, kind]) => ({ path: wirePath(path as RawPath), kind })) };
}

/** Files of a checkout that the merge would change and that are not as committed, ignored ones included. */
interface TouchedFiles {
  readonly inTheWay: readonly RawPath[];
  /** They have the content that the merge brings, as files have that came along into the worktree. */
  readonly same: readonly FileChange[];
}

async function touchedFiles(checkout: Checkout, changes: readonly CountedChange[]): Promise<TouchedFiles> {
  const modes = new Map((await uncommittedFiles(checkout.path)).map(({ path, mode }) => [path, mode]));
  const added = changes.filter(({ path, before }) => before === null && !modes.has(path));
  for (let at = 0; at < added.length; at += LSTAT_AT_ONCE) {
    const some = added.slice(at, at + LSTAT_AT_ONCE);
    const found = await Promise.all(some.map(({ path }) => lstat(absolutePath(checkout.path, path)).catch(() => null)));
    // Ignored files.
    for (const [index, stats] of found.entries()) {
      const path = some[index]?.path;
      if (stats !== null && path !== undefined) modes.set(path, modeOf(stats));
    }
  }
  const touched = changes.filter(({ path }) => modes.has(path));
  const alike = touched.filter(({ path, after }) => after !== null && isFile(after) && modes.get(path) === after.mode);
  const ids = await idsOnDisk(
    checkout.path,
    alike.map(({ path }) => path),
  );
  const isSame = ({ path, after }: FileChange) =>
    after === null ? modes.get(path) === null : ids.get(path) === after.id;
  return {
    inTheWay: touched.filter((change) => !isSame(change)).map(({ path }) => path),
    same: touched.filter(isSame),
  };
}

function isFile({ mode }: TreeEntry): boolean {
  return mode === "100644" || mode === "100755";
}

/** What makes the index as it is now, for these files. */
async function indexEntries(directory: string, files: readonly FileChange[]): Promise<string> {
  const listing = (await readGit(directory, ["ls-files", "--stage", "-z", "--full-name"])) ?? "";
  const paths = new Set<string>(files.map(({ path }) => path));
  const there = listing.split("\0").filter((line) => paths.has(line.slice(line.indexOf("\t") + 1)));
  return [...files.map(absentEntry), ...there.map((line) => `${line}\0`)].join("");
}

function entriesAfter(files: readonly FileChange[]): string {
  return files
    .map((file) => (file.after === null ? absentEntry(file) : `${file.after.mode} ${file.after.id}\t${file.path}\0`))
    .join("");
}

function absentEntry({ path, before, after }: FileChange): string {
  return `0 ${"0".repeat((after ?? before)?.id.length ?? 0)}\t${path}\0`;
}

function mergeMessage({ branch, into }: Sides): string {
  return `Merge branch '${branch}'${into === "main" || into === "master" ? "" : ` into ${into}`}`;
}

/** The message of the only commit, or all subjects below the name of the branch. */
async function squashMessage(directory: string, { branch, intoCommit, branchCommit }: Sides): Promise<string> {
  const range = ["--no-merges", "--reverse", `${intoCommit}..${branchCommit}`];
  const log = await inspectGit({ directory, args: ["log", "--format=%B%x00", "--encoding=UTF-8", ...range] });
  const messages = log.stdout
    .toString("utf8")
    .split("\0")
    .map((text) => text.trim())
    .filter((text) => text !== "");
  if (messages.length === 1) return (messages[0] ?? "").slice(0, MERGE_MESSAGE_CHARS_MAX);
  const name = branch
    .replace(/^liminal\//, "")
    .replace(/-[a-z0-9]{4}$/, "")
    .replaceAll("-", " ");
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const subjects = messages.slice(0, MESSAGE_COMMITS_MAX).map((text) => `- ${text.split("\n", 1)[0]}`);
  return [title, ...(subjects.length > 0 ? ["", ...subjects] : [])].join("\n").slice(0, MERGE_MESSAGE_CHARS_MAX);
}

async function inWords<Result>(task: () => Promise<Result>): Promise<Result> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof GitError) throw refused(error.message);
    throw error;
  }
}

function refusedBy(result: UserGitResult, what: string): RefusalError {
  if (result.isTimedOut)
    return refused(`${what}: it or a hook took longer than ${MERGE_TIMEOUT_MS / 60_000} minutes.`, result.output);
  return refused(`${what}. It said:`, result.output);
}

function refused(words: string, details?: string): RefusalError {
  return new RefusalError(REFUSE.gitRefused(words, details));
}
