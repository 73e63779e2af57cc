import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RawPath } from "../git/raw-path.ts";
import { GitError } from "../git/run-git.ts";
import { changedFiles, isSameEntry, type TreeEntry } from "./compare.ts";
import { isLink, readBlob, writeBlob } from "./hunks.ts";
import { type PlacedEntry, scanWith } from "./move.ts";
import type { Scan } from "./scan.ts";
import type { Vault } from "./vault.ts";

/** A file in three versions: what `base` became in `theirs` is to be done to `ours`. */
export interface ThreeVersions {
  readonly base: TreeEntry | null;
  readonly ours: TreeEntry | null;
  readonly theirs: TreeEntry | null;
}

export type Merged =
  | { readonly ok: true; readonly entry: TreeEntry | null }
  /** Both changed the same place. */
  | { readonly ok: false };

/** The exit codes of `git merge-file` above this one are errors; the others count conflicts. */
const CONFLICTS_MAX = 127;

/** `onConflict`: with `ours`, a place that both changed stays as it is in ours. */
export async function mergeEntry(
  vault: Vault,
  { base, ours, theirs }: ThreeVersions,
  onConflict: "refuse" | "ours",
): Promise<Merged> {
  if (isSameEntry(ours, base) || isSameEntry(ours, theirs)) return { ok: true, entry: theirs };
  if (isSameEntry(base, theirs)) return { ok: true, entry: ours };
  const left: Merged = onConflict === "ours" ? { ok: true, entry: ours } : { ok: false };
  if (base === null || ours === null || theirs === null || [base, ours, theirs].some(isLink)) return left;
  const mode = ours.mode === base.mode ? theirs.mode : ours.mode;
  if (ours.id === base.id || ours.id === theirs.id) return { ok: true, entry: { mode, id: theirs.id } };
  if (base.id === theirs.id) return { ok: true, entry: { mode, id: ours.id } };
  const directory = await mkdtemp(join(vault.path, "merge-"));
  try {
    const files = await Promise.all(
      [ours, base, theirs].map(async (entry, index) => {
        const file = join(directory, String(index));
        await writeFile(file, Buffer.from(await readBlob(vault, entry), "latin1"));
        return file;
      }),
    );
    const way = onConflict === "ours" ? ["--ours"] : [];
    const result = await vault.tryGit(["merge-file", "-p", "-q", ...way, ...files]);
    if (result.exitCode === 0) {
      return { ok: true, entry: { mode, id: await writeBlob(vault, result.stdout.toString("latin1")) } };
    }
    if (result.exitCode <= CONFLICTS_MAX || /binary/.test(result.stderr)) return left;
    throw new GitError(`git merge-file failed: ${result.stderr.trim()}`);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * The reviewed state after the user has changed files from `before` to `after`: what the user does needs no review.
 * Where the user changed a place that was not reviewed, that place stays as it was, and so still counts as open.
 */
export async function reviewedAfterEdits(
  vault: Vault,
  reviewed: Scan,
  { before, after }: { readonly before: Scan; readonly after: Scan },
): Promise<Scan> {
  const edits = await changedFiles(vault, before, after);
  if (edits.size === 0) return reviewed;
  const toBefore = await changedFiles(vault, reviewed, before);
  const entries: PlacedEntry[] = [];
  for (const { path, part, file, before: base, after: theirs } of edits.values()) {
    const open = toBefore.get(path);
    const ours = open === undefined ? base : open.before;
    const merged = await mergeEntry(vault, { base, ours, theirs }, "ours");
    if (merged.ok && !isSameEntry(merged.entry, ours)) entries.push({ part, file, entry: merged.entry });
  }
  return scanWith(vault, reviewed, entries);
}

/** The entries of some files in a state. */
export async function entriesAt(
  vault: Vault,
  { parts }: Scan,
  paths: readonly { readonly part: RawPath; readonly file: RawPath }[],
): Promise<(TreeEntry | null)[]> {
  const byPart = new Map<RawPath, Map<RawPath, TreeEntry>>();
  for (const part of new Set(paths.map((path) => path.part))) {
    const tree = parts.find(({ path }) => path === part)?.tree;
    const listing = tree === undefined ? "" : (await vault.git(["ls-tree", "-r", "-z", tree])).toString("latin1");
    const entries = listing.split("\0").flatMap((line): [RawPath, TreeEntry][] => {
      const [, mode = "", id = "", path] = /^(\d+) \w+ ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
      return path === undefined ? [] : [[path as RawPath, { mode, id }]];
    });
    byPart.set(part, new Map(entries));
  }
  return paths.map(({ part, file }) => byPart.get(part)?.get(file) ?? null);
}
