import type { RawPath } from "../git/raw-path.ts";
import { below, type Scan, type ScannedPart } from "./scan.ts";
import type { Vault } from "./vault.ts";

/** A file as a tree names it. */
export interface TreeEntry {
  readonly mode: string;
  readonly id: string;
}

export interface FileChange {
  /** From the directory of its part. */
  readonly path: RawPath;
  /** Null when the file is not there on that side. */
  readonly before: TreeEntry | null;
  readonly after: TreeEntry | null;
}

export interface CountedChange extends FileChange {
  /** Null for a binary file. */
  readonly addedLines: number | null;
  readonly removedLines: number | null;
}

const NO_MODE = "000000";
/** Git compares two trees, and nothing that a repository configures is run. */
export const COMPARE = ["diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", "--no-textconv"];

/** Which files differ between two trees of one part. */
export async function compareTrees(vault: Vault, before: string, after: string): Promise<FileChange[]> {
  if (before === after) return [];
  return readRaw((await vault.git([...COMPARE, "--raw", "--no-abbrev", before, after])).toString("latin1")).changes;
}

/** A change with the part that its file is in. */
export interface PlacedChange extends FileChange {
  readonly part: RawPath;
  /** From the directory of its part; `path` is from that of the vault. */
  readonly file: RawPath;
}

/** Which files differ between two states, by their paths from the directory of the vault. */
export async function changedFiles(vault: Vault, before: Scan, after: Scan): Promise<Map<RawPath, PlacedChange>> {
  const leftOut = leftOutOf(before, after);
  const changes = new Map<RawPath, PlacedChange>();
  for (const { path: part, from, to } of pairParts(before.parts, after.parts)) {
    if (leftOut.has(part)) continue;
    const [old, fresh] = [from ?? (await emptyTree(vault)), to ?? (await emptyTree(vault))];
    for (const change of await compareTrees(vault, old, fresh)) {
      const path = below(part, change.path);
      if (!leftOut.has(path)) changes.set(path, { ...change, path, part, file: change.path });
    }
  }
  return changes;
}

export function isSameEntry(one: TreeEntry | null, other: TreeEntry | null): boolean {
  return one?.id === other?.id && one?.mode === other?.mode;
}

/** What one side does not hold is not known to have changed. */
function leftOutOf(before: Scan, after: Scan): Set<RawPath> {
  return new Set([...before.leftOut, ...after.leftOut].map(({ path }) => path));
}

/** The same with the numbers of lines, over all parts, by paths from the directory of the vault. */
export async function compareScans(vault: Vault, before: Scan, after: Scan): Promise<CountedChange[]> {
  const leftOut = leftOutOf(before, after);
  const changes: CountedChange[] = [];
  for (const { path, from, to } of pairParts(before.parts, after.parts)) {
    if (leftOut.has(path)) continue;
    const [old, fresh] = [from ?? (await emptyTree(vault)), to ?? (await emptyTree(vault))];
    if (old === fresh) continue;
    const output = (await vault.git([...COMPARE, "--raw", "--no-abbrev", "--numstat", old, fresh])).toString("latin1");
    for (const file of readCountedChanges(output)) changes.push({ ...file, path: below(path, file.path) });
  }
  return changes.filter(({ path }) => !leftOut.has(path));
}

/** What `git diff-tree -r -z --no-renames --raw --no-abbrev --numstat` writes. */
export function readCountedChanges(output: string): CountedChange[] {
  const { changes, rest } = readRaw(output);
  const counts = readCounts(rest);
  return changes.map((file) => {
    const { addedLines = null, removedLines = null } = counts.get(file.path) ?? {};
    return { ...file, addedLines, removedLines };
  });
}

export interface PartPair {
  readonly path: RawPath;
  readonly from: string | null;
  readonly to: string | null;
}

export function pairParts(before: readonly ScannedPart[], after: readonly ScannedPart[]): PartPair[] {
  const paths = new Set([...before, ...after].map(({ path }) => path));
  const treeIn = (parts: readonly ScannedPart[], wanted: RawPath) =>
    parts.find(({ path }) => path === wanted)?.tree ?? null;
  return [...paths].map((path) => ({ path, from: treeIn(before, path), to: treeIn(after, path) }));
}

export async function emptyTree(vault: Vault): Promise<string> {
  return (await vault.git(["mktree"], { input: "" })).toString().trim();
}

/** `:100644 100755 <id> <id> M`, a zero byte, the path, a zero byte. */
function readRaw(output: string): { readonly changes: FileChange[]; readonly rest: string } {
  const pattern = /:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) [A-Z]\d*\0([^\0]+)\0/y;
  const changes: FileChange[] = [];
  let end = 0;
  for (let match = pattern.exec(output); match !== null; match = pattern.exec(output)) {
    const [, oldMode = "", newMode = "", oldId = "", newId = "", path] = match;
    changes.push({
      path: path as RawPath,
      before: oldMode === NO_MODE ? null : { mode: oldMode, id: oldId },
      after: newMode === NO_MODE ? null : { mode: newMode, id: newId },
    });
    end = pattern.lastIndex;
  }
  return { changes, rest: output.slice(end) };
}

/** `3<tab>1<tab>path<zero>`, with dashes for a binary file. */
function readCounts(output: string): Map<RawPath, Pick<CountedChange, "addedLines" | "removedLines">> {
  const lines = output.matchAll(/(\d+|-)\t(\d+|-)\t([^\0]+)\0/g);
  const number = (text: string | undefined) => (text === "-" ? null : Number(text));
  return new Map(
    [...lines].map(([, added, removed, path]) => [
      path as RawPath,
      { addedLines: number(added), removedLines: number(removed) },
    ]),
  );
}
