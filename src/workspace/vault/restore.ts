import type { RawPath } from "../git/raw-path.ts";
import { compareTrees, type FileChange, pairParts, type TreeEntry } from "./compare.ts";
import { treeWith, WorkdirChangedError } from "./move.ts";
import { below, type Scan, type ScannedPart } from "./scan.ts";
import type { Vault } from "./vault.ts";

/** The files before and after a turn of the session that asks. */
export interface TurnStates {
  readonly before: Scan;
  readonly after: Scan;
}

/** What a restore would do, by path from the directory of the vault. */
export interface RestorePreview {
  /** Files that only turns of this session changed. */
  readonly own: readonly RestoredFile[];
  /** Files that somebody else changed, or changed again: restored only if the user chooses them. */
  readonly changedByOthers: readonly RestoredFile[];
  /** Files that the checkpoint or the present state does not hold. */
  readonly impossible: readonly RawPath[];
}

export interface RestoredFile {
  readonly path: RawPath;
  readonly effect: "changed" | "created" | "deleted";
}

/** Sorts the files that differ from a checkpoint. `turns` are those of the session since that checkpoint, oldest first. */
export async function previewRestore(
  vault: Vault,
  { current, target, turns }: { readonly current: Scan; readonly target: Scan; readonly turns: readonly TurnStates[] },
): Promise<RestorePreview> {
  const left = await leftByTurns(vault, turns);
  const notHeld = new Set([...current.leftOut, ...target.leftOut].map(({ path }) => path));
  const own: RestoredFile[] = [];
  const changedByOthers: RestoredFile[] = [];
  const impossible: RawPath[] = [];
  for (const { path: part, from, to } of pairParts(current.parts, target.parts)) {
    // The data of a repository inside is not in the vault, so one that is gone cannot come back.
    if (from === null || to === null) {
      impossible.push(part);
      continue;
    }
    for (const change of await compareTrees(vault, from, to)) {
      const path = below(part, change.path);
      if (notHeld.has(path)) impossible.push(path);
      else (isAsLeft(left.get(path), change.before) ? own : changedByOthers).push({ path, effect: effectOf(change) });
    }
  }
  return { own, changedByOthers, impossible };
}

/** The present state with the chosen files as they are in a checkpoint. */
export async function restoredState(
  vault: Vault,
  { current, target }: { readonly current: Scan; readonly target: Scan },
  paths: readonly RawPath[],
): Promise<Scan> {
  const open = new Set(paths);
  const parts: ScannedPart[] = [];
  for (const { path: part, from, to } of pairParts(current.parts, target.parts)) {
    if (from === null) continue;
    if (to === null) {
      parts.push({ path: part, tree: from });
      continue;
    }
    const chosen = (await compareTrees(vault, from, to)).filter(({ path }) => open.delete(below(part, path)));
    const entries = chosen.map(({ path, after }) => ({ path, entry: after }));
    const changed = () => treeWith(vault, part, { base: from, isScanned: false }, entries);
    parts.push({ path: part, tree: entries.length === 0 ? from : await changed() });
  }
  if (open.size > 0) throw new WorkdirChangedError([...open]);
  return { parts, leftOut: [] };
}

/** What the last turn that touched a file left there; null for a file that it deleted. */
async function leftByTurns(vault: Vault, turns: readonly TurnStates[]): Promise<Map<RawPath, TreeEntry | null>> {
  const left = new Map<RawPath, TreeEntry | null>();
  for (const { before, after } of turns)
    for (const { path: part, from, to } of pairParts(before.parts, after.parts)) {
      if (from === null || to === null) continue;
      for (const change of await compareTrees(vault, from, to)) left.set(below(part, change.path), change.after);
    }
  return left;
}

function isAsLeft(left: TreeEntry | null | undefined, now: TreeEntry | null): boolean {
  if (left === undefined) return false;
  return left?.id === now?.id && left?.mode === now?.mode;
}

function effectOf({ before, after }: FileChange): RestoredFile["effect"] {
  if (before === null) return "created";
  return after === null ? "deleted" : "changed";
}
