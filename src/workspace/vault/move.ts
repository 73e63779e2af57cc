import { chmod, copyFile, lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { absolutePath, joinRawPaths, type RawPath, shownPath } from "../git/raw-path.ts";
import { GitError } from "../git/run-git.ts";
import { storeCheckpoint } from "./checkpoint.ts";
import { compareTrees, emptyTree, type FileChange, pairParts, type TreeEntry } from "./compare.ts";
import { below, dropIgnored, partDirectory, type Scan, type ScannedPart, scan } from "./scan.ts";
import type { Vault } from "./vault.ts";
import { readIfThere, writeWhole } from "./vault-files.ts";

/** Files that differ from what the caller saw; nothing was touched. */
export class WorkdirChangedError extends Error {
  override readonly name = "WorkdirChangedError";
  readonly paths: readonly string[];

  constructor(paths: readonly RawPath[]) {
    super("Files changed since they were shown. Look at the changes again, then repeat.");
    this.paths = paths.map(shownPath);
  }
}

const INTENT = z.object({
  id: z.string(),
  from: z.array(z.object({ path: z.string(), tree: z.string() })),
  to: z.array(z.object({ path: z.string(), tree: z.string() })),
});

/** A move that was cut off: the state before it and the one it was to reach. */
export interface Intent {
  /** Also the id of the checkpoint with the state before. */
  readonly id: string;
  readonly from: readonly ScannedPart[];
  readonly to: readonly ScannedPart[];
}

const SAVED_FILES_MAX = 10_000;
const SAVED_BYTES_MAX = 200 * 1024 * 1024;

interface MoveOptions {
  /** A cut-off move that this one ends. Another one has to be ended by the user first. */
  readonly replaces?: string | null;
  /** Before a file is touched. What was in the way is in the state before, too. */
  readonly onPlanned?: (intent: Intent) => Promise<void>;
}

/**
 * Brings files from the state `seen` to the state `target`. Only paths that differ between the two are touched, and
 * only if they are still as seen. What is in the way is saved first: the checkpoint `id` holds the state before.
 * Either every file is moved or none.
 */
export async function move(
  vault: Vault,
  id: string,
  seen: Scan,
  target: Scan,
  { replaces = null, onPlanned }: MoveOptions = {},
): Promise<Intent> {
  const cutOff = await cutOffMove(vault);
  if (cutOff !== null && cutOff.id !== replaces)
    throw new GitError(
      "A restore or discard in this directory was cut off. Open Changes, choose Finish or Put back, then repeat.",
    );
  const current = await scan(vault);
  const steps: PartMove[] = [];
  for (const { path, from, to } of pairParts(seen.parts, target.parts)) {
    // A repository inside that has come or gone is not moved: its own data is not in the vault.
    if (from === null || to === null || from === to) continue;
    const now = current.parts.find((part) => part.path === path);
    if (now === undefined) throw new WorkdirChangedError([path]);
    steps.push(await planPart(vault, path, { from, to, now: now.tree }));
  }
  const before = steps.map(({ path, from }) => ({ path, tree: from }));
  const intent = { id, from: before, to: steps.map(({ path, to }) => ({ path, tree: to })) };
  const saved = current.parts.map((part) => before.find(({ path }) => path === part.path) ?? part);
  await storeCheckpoint(vault, id, { parts: saved, leftOut: current.leftOut });
  await onPlanned?.(intent);
  await writeWhole(intentFile(vault), JSON.stringify(intent));
  // If undoing fails as well, the intent stays: the user is asked what to do.
  const failure = await runSteps(vault, steps);
  // An ignored file that was saved, or that came back, is the user's own again.
  for (const { path, changes } of steps) {
    const created = changes.filter(({ before, after }) => before === null && after !== null);
    await dropIgnored(
      vault,
      path,
      created.map((change) => change.path),
    );
  }
  await rm(intentFile(vault), { force: true });
  if (failure !== null) throw failure;
  return intent;
}

/** The move that a killed process left behind; null when there is none, or when it had reached its end. */
export async function cutOffMove(vault: Vault): Promise<Intent | null> {
  const text = await readIfThere(intentFile(vault));
  if (text === null) return null;
  const stored = INTENT.parse(JSON.parse(text));
  const intent: Intent = { id: stored.id, from: asParts(stored.from), to: asParts(stored.to) };
  if (!(await isReached(vault, intent))) return intent;
  await rm(intentFile(vault), { force: true });
  return null;
}

/** Ends a move that was cut off: all files get the state it was to reach, or the one before it. */
export async function settleMove(
  vault: Vault,
  id: string,
  intent: Intent,
  way: "finish" | "put back",
): Promise<Intent> {
  const seen = await scan(vault);
  const parts: ScannedPart[] = [];
  for (const { path, from, to } of pairParts(intent.from, intent.to)) {
    const now = seen.parts.find((part) => part.path === path)?.tree;
    if (from === null || to === null || now === undefined) continue;
    const wanted = new Map((await compareTrees(vault, from, to)).map((change) => [change.path, change]));
    const entries = [...wanted].map(([file, change]) => ({
      path: file,
      entry: way === "finish" ? change.after : change.before,
    }));
    parts.push({ path, tree: await treeWith(vault, path, { base: now, isScanned: true }, entries) });
  }
  return move(vault, id, seen, { parts, leftOut: [] }, { replaces: intent.id });
}

async function isReached(vault: Vault, { from, to }: Intent): Promise<boolean> {
  const current = await scan(vault);
  for (const pair of pairParts(from, to)) {
    const now = current.parts.find(({ path }) => path === pair.path)?.tree;
    if (pair.from === null || pair.to === null || now === undefined) return false;
    const touched = new Set((await compareTrees(vault, pair.from, pair.to)).map(({ path }) => path));
    if ((await compareTrees(vault, now, pair.to)).some(({ path }) => touched.has(path))) return false;
  }
  return true;
}

interface PartMove {
  readonly path: RawPath;
  readonly from: string;
  readonly to: string;
  readonly changes: readonly FileChange[];
}

async function planPart(
  vault: Vault,
  part: RawPath,
  { from, to, now }: { readonly from: string; readonly to: string; readonly now: string },
): Promise<PartMove> {
  const wanted = await compareTrees(vault, from, to);
  const touched = new Set(wanted.map(({ path }) => path));
  const since = from === now ? [] : await compareTrees(vault, from, now);
  const changed = since.map(({ path }) => path).filter((path) => touched.has(path));
  if (changed.length > 0) throw new WorkdirChangedError(changed.map((path) => below(part, path)));
  const entries = wanted.map(({ path, after }) => ({ path, entry: after }));
  const blocking = await findBlocking(vault, part, wanted);
  // Nothing else has changed either: the tree that the caller wants is the one to reach.
  if (now === from && blocking.length === 0) return { path: part, from, to, changes: wanted };
  const start = blocking.length === 0 ? now : await saveBlocking(vault, part, blocking);
  const end = await treeWith(vault, part, { base: start, isScanned: true }, [
    ...blocking.map((path) => ({ path, entry: null })),
    ...entries,
  ]);
  return { path: part, from: start, to: end, changes: await compareTrees(vault, start, end) };
}

/** Files on disk that no tree holds (ignored ones, large ones) where the target puts a file, or a directory on the way to one. */
async function findBlocking(vault: Vault, part: RawPath, wanted: readonly FileChange[]): Promise<RawPath[]> {
  const directory = partDirectory(vault, part);
  const removed = new Set(wanted.filter(({ after }) => after === null).map(({ path }) => path));
  const found = new Set<RawPath>();
  const walk = async (path: RawPath): Promise<void> => {
    const place = absolutePath(directory, path);
    const stats = await lstat(place).catch(() => null);
    if (stats === null || removed.has(path)) return;
    if (!stats.isDirectory()) {
      found.add(path);
      if (found.size > SAVED_FILES_MAX) throw new GitError(`Too many files are in the way of ${shownPath(path)}.`);
      return;
    }
    for (const name of await readdir(place, { encoding: "buffer" }))
      await walk(`${path}/${Buffer.from(name).toString("latin1")}` as RawPath);
  };
  for (const { path, before, after } of wanted) {
    if (before !== null || after === null) continue;
    const above = await blockerAbove(directory, path);
    // Behind a link or a file there is nothing of this directory, whatever a path through the link finds.
    if (above === null) await walk(path);
    else if (!removed.has(above)) found.add(above);
  }
  return [...found];
}

/** The first thing on the way to a path that is there and is no directory. */
async function blockerAbove(directory: string, path: RawPath): Promise<RawPath | null> {
  const names = path.split("/").slice(0, -1);
  for (let count = 1; count <= names.length; count++) {
    const above = names.slice(0, count).join("/") as RawPath;
    const stats = await lstat(absolutePath(directory, above)).catch(() => null);
    if (stats === null) return null;
    if (!stats.isDirectory()) return above;
  }
  return null;
}

async function saveBlocking(vault: Vault, part: RawPath, paths: readonly RawPath[]): Promise<string> {
  const [workTree, indexFile] = [partDirectory(vault, part), vault.indexFileOf(part)];
  let bytes = 0;
  for (const path of paths) {
    const stats = await lstat(absolutePath(workTree, path));
    if (!stats.isFile() && !stats.isSymbolicLink())
      throw new GitError(
        `${shownPath(below(part, path))} is in the way and is not a file. Move it elsewhere, then repeat.`,
      );
    bytes += stats.size;
  }
  if (bytes > SAVED_BYTES_MAX)
    throw new GitError(
      `The files in the way are too large to be saved first: ${shownPath(paths[0] ?? part)} and others.`,
    );
  await vault.git(["update-index", "--add", "--replace", "-z", "--stdin"], {
    workTree,
    indexFile,
    input: joinRawPaths(paths),
  });
  return (await vault.git(["write-tree"], { workTree, indexFile })).toString().trim();
}

/** A tree with some entries replaced. `isScanned`: it is the one that the part's index has, which saves reading it. */
export async function treeWith(
  vault: Vault,
  part: RawPath,
  { base, isScanned }: { readonly base: string; readonly isScanned: boolean },
  entries: readonly { readonly path: RawPath; readonly entry: TreeEntry | null }[],
): Promise<string> {
  const indexFile = `${vault.indexFileOf(part)}.target`;
  try {
    if (isScanned) await copyFile(vault.indexFileOf(part), indexFile);
    const git = (args: readonly string[], input?: Buffer) =>
      vault.git(args, { indexFile, ...(input !== undefined && { input }) });
    if (!isScanned) await git(["read-tree", base]);
    const none = "0".repeat(base.length);
    // Removals come first: a file may take the place of a directory.
    const sorted = [...entries.filter(({ entry }) => entry === null), ...entries.filter(({ entry }) => entry !== null)];
    const lines = sorted.map(({ path, entry }) => `${entry?.mode ?? "0"} ${entry?.id ?? none}\t${path}\0`).join("");
    await git(["update-index", "--replace", "-z", "--index-info"], Buffer.from(lines, "latin1"));
    return (await git(["write-tree"])).toString().trim();
  } finally {
    await rm(indexFile, { force: true });
    await rm(`${indexFile}.lock`, { force: true });
  }
}

/** A file of a state: the part it is in, its path from there, and what it is to be. */
export interface PlacedEntry {
  readonly part: RawPath;
  readonly file: RawPath;
  readonly entry: TreeEntry | null;
}

/** A state with some files replaced. */
export async function scanWith(vault: Vault, base: Scan, entries: readonly PlacedEntry[]): Promise<Scan> {
  if (entries.length === 0) return base;
  const byPart = Map.groupBy(entries, ({ part }) => part);
  const parts = new Map(base.parts.map(({ path, tree }) => [path, tree]));
  for (const [part, files] of byPart) {
    const changed = files.map(({ file, entry }) => ({ path: file, entry }));
    const tree = parts.get(part) ?? (await emptyTree(vault));
    parts.set(part, await treeWith(vault, part, { base: tree, isScanned: false }, changed));
  }
  return { ...base, parts: [...parts].map(([path, tree]) => ({ path, tree })) };
}

/** Null when all went well, else the reason, once every file is back where it was. Throws when that failed, too. */
async function runSteps(vault: Vault, steps: readonly PartMove[]): Promise<unknown> {
  try {
    for (const step of steps) await runStep(vault, step);
    return null;
  } catch (error) {
    // A failed step may have changed files, too: a full disk or a damaged object stops Git in the middle.
    const current = await scan(vault);
    for (const { path, from } of steps) {
      const now = current.parts.find((part) => part.path === path)?.tree ?? from;
      await runStep(vault, { path, from: now, to: from, changes: await compareTrees(vault, now, from) });
    }
    return error;
  }
}

/** Git looks at every file first: when one is not as expected, it touches none. */
async function runStep(vault: Vault, { path, from, to, changes }: PartMove): Promise<void> {
  if (from === to) return;
  const workTree = partDirectory(vault, path);
  const modes = await readModes(workTree, changes);
  const result = await vault.tryGit(["read-tree", "-m", "-u", from, to], {
    workTree,
    indexFile: vault.indexFileOf(path),
  });
  if (result.exitCode !== 0) {
    if (/not uptodate|would be overwritten|would be removed/.test(result.stderr))
      throw new WorkdirChangedError(changes.map((change) => below(path, change.path)));
    throw new GitError(`Git could not write the files: ${result.stderr.trim()}`);
  }
  await restoreModes(workTree, modes);
}

const PERMISSIONS = 0o777;
const EXECUTABLE = 0o111;

/** Git knows only whether a file is executable. A file that only its owner may read must stay so. */
async function readModes(directory: string, changes: readonly FileChange[]): Promise<Map<RawPath, number>> {
  const modes = new Map<RawPath, number>();
  for (const { path, before, after } of changes) {
    if (before === null || after === null || !after.mode.startsWith("100")) continue;
    const stats = await lstat(absolutePath(directory, path)).catch(() => null);
    if (stats?.isFile()) modes.set(path, stats.mode & PERMISSIONS & ~EXECUTABLE);
  }
  return modes;
}

async function restoreModes(directory: string, modes: ReadonlyMap<RawPath, number>): Promise<void> {
  for (const [path, mode] of modes) {
    const place = absolutePath(directory, path);
    const stats = await lstat(place);
    if (!stats.isFile() || (stats.mode & PERMISSIONS & ~EXECUTABLE) === mode) continue;
    const readable = ((mode & 0o444) >> 2) & EXECUTABLE;
    await chmod(place, mode | (stats.mode & EXECUTABLE & readable));
  }
}

function asParts(parts: readonly { readonly path: string; readonly tree: string }[]): ScannedPart[] {
  return parts.map(({ path, tree }) => ({ path: path as RawPath, tree }));
}

function intentFile(vault: Vault): string {
  return join(vault.path, "intent.json");
}
