import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { WorktreeFacts } from "../../protocol/worktrees.ts";
import { dirtySubmodules, IGNORE_DIRTY_SUBMODULES } from "../git/dirty-submodules.ts";
import { absolutePath, type RawPath, splitRawPaths } from "../git/raw-path.ts";
import { readGit, startGit } from "../git/run-git.ts";

const LOOK_TIMEOUT_MS = 30_000;
const SIZE_TIMEOUT_MS = 60_000;
/** More are counted as so many. */
const FILES_COUNTED_MAX = 1_000_000;
/** Copies are compared with the project's files up to so many bytes; what is larger counts as the worktree's own. */
const COMPARED_BYTES_MAX = 20 * 1024 * 1024;

export interface LookedAt {
  readonly path: string;
  /** What it is compared with; null when that is unknown. */
  readonly base: string | null;
  /** The project's top directory, and the files that came from it. */
  readonly origin: { readonly topLevel: string; readonly included: readonly string[] } | null;
}

/** Everything that Git reports. The size takes longer and is measured separately. */
export async function gitFacts(
  { path, base, origin }: LookedAt,
  signal: AbortSignal,
): Promise<Omit<WorktreeFacts, "sizeBytes" | "lookedAt">> {
  const [uncommittedFiles, pushed, sides, ignored] = await Promise.all([
    uncommittedOf(path),
    pushedOf(path),
    base === null ? null : countsOf(path, base),
    ignoredOf(path, signal),
  ]);
  const copies = ignored === null || origin === null ? 0 : await copiesOf(path, origin, ignored.paths);
  return {
    uncommittedFiles,
    ...pushed,
    aheadCommits: sides?.ahead ?? null,
    behindCommits: sides?.behind ?? null,
    isMerged: sides === null ? null : sides.ahead === 0,
    isContained: base === null || sides === null ? null : sides.ahead === 0 || (await isContained(path, base)),
    ignoredFiles: ignored === null ? null : ignored.total - copies,
  };
}

/**
 * Files that differ from the last commit, untracked ones included; a submodule counts as one. Without the user's filters:
 * none of them runs.
 */
export async function uncommittedOf(path: string): Promise<number | null> {
  const words = ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", IGNORE_DIRTY_SUBMODULES];
  const [output, submodules] = await Promise.all([readGit(path, words), dirtySubmodules(path)]);
  if (output === null || submodules === null) return null;
  // Two letters and a space stand before the path.
  const changed = splitRawPaths(Buffer.from(output, "latin1")).map((line) => line.slice(3));
  return new Set([...changed, ...submodules]).size;
}

/**
 * Whether it holds work that `git status` does not show: files marked as unchanged or to be skipped that exist, or an
 * unfinished rebase or merge, which may have put work away. If this is unknown, it counts as work.
 */
export async function hidesWork(path: string, adminDir: string): Promise<boolean> {
  for (const name of ["rebase-merge", "rebase-apply", "MERGE_AUTOSTASH"])
    if (await lstat(join(adminDir, name)).catch(() => null)) return true;
  const output = await readGit(path, ["ls-files", "-v", "-z"]);
  if (output === null) return true;
  // A tag, a space, the name: "S" for skipped, a small letter for what is taken for unchanged.
  const marked = splitRawPaths(Buffer.from(output, "latin1")).filter((entry) => /^[a-zS] /.test(entry));
  for (const entry of marked)
    if (await lstat(absolutePath(path, entry.slice(2) as RawPath)).catch(() => null)) return true;
  return false;
}

/** Without a remote nothing is known of what was pushed. */
async function pushedOf(path: string): Promise<Pick<WorktreeFacts, "hasRemote" | "unpushedCommits">> {
  const remotes = await readGit(path, ["for-each-ref", "--count=1", "--format=%(refname)", "refs/remotes/"]);
  if (remotes === null) return { hasRemote: null, unpushedCommits: null };
  if (remotes.trim() === "") return { hasRemote: false, unpushedCommits: null };
  const count = await readGit(path, ["rev-list", "--count", "HEAD", "--not", "--remotes"]);
  return { hasRemote: true, unpushedCommits: numberOf(count) };
}

/** The base has every file that its commits changed, with the same content. False where Git cannot determine it. */
async function isContained(path: string, base: string): Promise<boolean> {
  const names = ["diff-tree", "-r", "-z", "--name-only", "--no-renames"];
  const [own, different] = await Promise.all([
    readGit(path, [...names, "--merge-base", base, "HEAD"]),
    readGit(path, [...names, base, "HEAD"]),
  ]);
  if (own === null || different === null) return false;
  const others = new Set(different.split("\0").filter((name) => name !== ""));
  return !own.split("\0").some((name) => others.has(name));
}

async function countsOf(
  path: string,
  base: string,
): Promise<{ readonly ahead: number; readonly behind: number } | null> {
  const range = ["rev-list", "--left-right", "--count", "--end-of-options", `${base}...HEAD`, "--"];
  const [behind, ahead] = ((await readGit(path, range)) ?? "").trim().split("\t").map(Number);
  return behind === undefined || ahead === undefined ? null : { ahead, behind };
}

function numberOf(text: string | null): number | null {
  return text === null ? null : Number(text.trim());
}

const NAMED_MAX = 10_000;

/** There may be very many of them (installed packages): they are counted as they come. */
async function ignoredOf(
  path: string,
  signal: AbortSignal,
): Promise<{ readonly total: number; readonly paths: ReadonlySet<string> } | null> {
  const ending = AbortSignal.any([signal, AbortSignal.timeout(LOOK_TIMEOUT_MS)]);
  using git = await startGit(path, ["ls-files", "-z", "--others", "--ignored", "--exclude-standard"], ending);
  if (git === null) return null;
  let total = 0;
  let rest = "";
  const paths = new Set<string>();
  const decoder = new TextDecoder();
  for await (const chunk of git.stdout) {
    const names = `${rest}${decoder.decode(chunk, { stream: true })}`.split("\0");
    rest = names.pop() ?? "";
    total += names.length;
    for (const name of names) if (paths.size < NAMED_MAX) paths.add(name);
    if (total > FILES_COUNTED_MAX) return { total: FILES_COUNTED_MAX, paths };
  }
  return (await git.exited) === 0 ? { total, paths } : null;
}

/** How many ignored files are copies of the project's that are there unchanged: nothing is lost with those. */
async function copiesOf(
  path: string,
  { topLevel, included }: { readonly topLevel: string; readonly included: readonly string[] },
  ignored: ReadonlySet<string>,
): Promise<number> {
  let bytesLeft = COMPARED_BYTES_MAX;
  let copies = 0;
  for (const name of included) {
    if (!ignored.has(name)) continue;
    const [own, other] = await Promise.all([path, topLevel].map((top) => lstat(join(top, name)).catch(() => null)));
    if (!own?.isFile() || !other?.isFile() || own.size !== other.size || own.size > bytesLeft) continue;
    bytesLeft -= own.size;
    const [one, two] = await Promise.all([path, topLevel].map((top) => readFile(join(top, name)).catch(() => null)));
    if (one && two?.equals(one)) copies += 1;
  }
  return copies;
}

const KB = 1024;

/** What the directory takes on disk, on its own file system; null when that cannot be found out in time. */
export async function sizeOf(path: string, signal: AbortSignal): Promise<number | null> {
  const du = Bun.which("du");
  // Nothing is started while the server stops.
  if (du === null || signal.aborted) return null;
  const nice = Bun.which("nice");
  const child = Bun.spawn([...(nice === null ? [] : [nice, "-n", "19"]), du, "-skx", path], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
    signal: AbortSignal.any([signal, AbortSignal.timeout(SIZE_TIMEOUT_MS)]),
    killSignal: "SIGKILL",
  });
  const kilobytes = Number.parseInt(await new Response(child.stdout).text(), 10);
  await child.exited;
  return Number.isFinite(kilobytes) ? kilobytes * KB : null;
}
