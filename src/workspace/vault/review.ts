import type { RawPath } from "../git/raw-path.ts";
import { compareTrees, type FileChange, pairParts, type TreeEntry } from "./compare.ts";
import { applyHunks, compareFile, writeBlob } from "./hunks.ts";
import { type Intent, move, treeWith, WorkdirChangedError } from "./move.ts";
import { below, type Scan, type ScannedPart } from "./scan.ts";
import type { Vault } from "./vault.ts";

/** What a decision is about: a whole file, or some places in it. */
export interface ReviewItem {
  /** From the directory of the vault. */
  readonly path: RawPath;
  readonly hunkIds?: readonly string[];
}

/**
 * Accepts changes: the reviewed state takes them over. No file is touched.
 * The states are those the user decided upon; an item that does not fit them refuses the whole decision.
 */
export async function keepChanges(
  vault: Vault,
  reviewed: Scan,
  current: Scan,
  items: readonly ReviewItem[],
): Promise<Scan> {
  return { ...reviewed, parts: await decide(vault, reviewed, current, items, "keep") };
}

/** Takes changes back to the reviewed state, in the files. The checkpoint `id` holds the state before. */
export async function discardChanges(
  vault: Vault,
  id: string,
  { reviewed, current }: { readonly reviewed: Scan; readonly current: Scan },
  items: readonly ReviewItem[],
): Promise<Intent> {
  const parts = await decide(vault, reviewed, current, items, "discard");
  return move(vault, id, current, { parts, leftOut: [] });
}

type Decision = "keep" | "discard";

async function decide(
  vault: Vault,
  reviewed: Scan,
  current: Scan,
  items: readonly ReviewItem[],
  decision: Decision,
): Promise<ScannedPart[]> {
  const open = new Map(items.map((item) => [item.path, item]));
  const parts: ScannedPart[] = [];
  for (const { path: part, from, to } of pairParts(reviewed.parts, current.parts)) {
    if (from === null || to === null) continue;
    const entries: { path: RawPath; entry: TreeEntry | null }[] = [];
    for (const change of await compareTrees(vault, from, to)) {
      const whole = below(part, change.path);
      const item = open.get(whole);
      if (item === undefined) continue;
      open.delete(whole);
      entries.push({ path: change.path, entry: await decided(vault, change, item, decision) });
    }
    const base = decision === "keep" ? from : to;
    const changed = () => treeWith(vault, part, { base, isScanned: false }, entries);
    parts.push({ path: part, tree: entries.length === 0 ? base : await changed() });
  }
  if (open.size > 0) throw new WorkdirChangedError([...open.keys()]);
  return parts;
}

async function decided(
  vault: Vault,
  { path, before, after }: FileChange,
  { hunkIds }: ReviewItem,
  decision: Decision,
): Promise<TreeEntry | null> {
  if (hunkIds === undefined) return decision === "keep" ? after : before;
  const file = await compareFile(vault, before, after);
  const known = new Set(file.hunks?.map(({ id }) => id));
  if (before === null || after === null || hunkIds.some((id) => !known.has(id))) throw new WorkdirChangedError([path]);
  const chosen = new Set(hunkIds);
  const text = applyHunks(file, ({ id }) => chosen.has(id) === (decision === "keep"));
  const side = decision === "keep" ? before : after;
  return { mode: side.mode, id: await writeBlob(vault, text) };
}
