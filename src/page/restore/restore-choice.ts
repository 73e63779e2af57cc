import type { FileStatus, RestoreItem, RestorePreview } from "../../protocol/changes.ts";

/** The paths that are ticked. */
export type Chosen = ReadonlySet<string>;

/** Files that only this session changed are restored; files with later edits stay until they are chosen. */
export function firstChoice({ own }: RestorePreview): Chosen {
  return new Set(own.map(({ path }) => path));
}

/**
 * The choice after the files have changed: what the user unticked stays unticked, and a file with later edits stays
 * ticked only if it is as it was when the user ticked it.
 */
export function chooseAgain(before: RestorePreview, chosen: Chosen, now: RestorePreview): Chosen {
  const known = new Map([...before.own, ...before.changedSince].map((item) => [item.path, item]));
  const isUnticked = ({ path }: RestoreItem) => known.has(path) && !chosen.has(path);
  const isAsTicked = (item: RestoreItem) => chosen.has(item.path) && isSameItem(item, known.get(item.path));
  const wasOwn = new Set(before.own.map(({ path }) => path));
  return new Set(
    [
      ...now.own.filter((item) => !isUnticked(item)),
      ...now.changedSince.filter((item) => !wasOwn.has(item.path) && isAsTicked(item)),
    ].map(({ path }) => path),
  );
}

function isSameItem(item: RestoreItem, other: RestoreItem | undefined): boolean {
  return item.effect === other?.effect && item.added === other.added && item.removed === other.removed;
}

/** Ticks or unticks some paths. */
export function withTicks(chosen: Chosen, paths: readonly string[], isTicked: boolean): Chosen {
  const next = new Set(chosen);
  for (const path of paths) {
    if (isTicked) next.add(path);
    else next.delete(path);
  }
  return next;
}

/** How many of the items are ticked. */
export function tickedOf(items: readonly RestoreItem[], chosen: Chosen): "all" | "some" | "none" {
  const count = items.filter(({ path }) => chosen.has(path)).length;
  if (count === 0) return "none";
  return count === items.length ? "all" : "some";
}

/** What a restore does to a file, as the status that it has then. */
export const STATUS_OF_EFFECT: Readonly<Record<RestoreItem["effect"], FileStatus>> = {
  changed: "modified",
  created: "added",
  deleted: "deleted",
};

/** Which rows of a long list are in the page: those in view, and some on either side. */
export function rowsInView(
  count: number,
  view: { readonly topPx: number; readonly heightPx: number },
  rowPx: number,
): { readonly from: number; readonly to: number } {
  const from = Math.max(0, Math.floor(view.topPx / rowPx) - MARGIN_ROWS);
  return { from, to: Math.min(count, Math.ceil((view.topPx + view.heightPx) / rowPx) + MARGIN_ROWS) };
}

const MARGIN_ROWS = 20;
