import type { SessionId } from "../../protocol/ids.ts";
import { type OpenTabs, openTab, tabBeside } from "./open-tabs.ts";

export const COLUMNS_MAX = 4;
/** Narrower columns are not shown: fewer fit then. */
export const COLUMN_PX_MIN = 280;
/** Of the whole width. */
const SHARE_MIN = 0.15;

/** Sessions side by side, from left to right, and each one's share of the width. None, or at least two. */
export interface SplitView {
  readonly columns: readonly SessionId[];
  /** One per column; the sum is 1. */
  readonly shares: readonly number[];
}

/** The tabs and columns of the page. In a split view the active tab is always one of the columns. */
export interface Arrangement {
  readonly tabs: OpenTabs;
  readonly split: SplitView;
}

/** A session in view and its position, in shares of the width. */
export interface ShownColumn {
  readonly id: SessionId;
  readonly start: number;
  readonly width: number;
}

export const NO_SPLIT: SplitView = { columns: [], shares: [] };

/** Updates the columns after a change of tabs: closed ones are removed, and another session replaces the focused one. */
export function arrange({ tabs: before, split }: Arrangement, tabs: OpenTabs): Arrangement {
  if (split.columns.length === 0) return { tabs, split };
  const isOpen = (id: SessionId) => tabs.order.includes(id);
  const left = split.columns.filter(isOpen);
  const kept = left.length === split.columns.length ? split : withColumns(split, left);
  if (tabs.active === null || left.includes(tabs.active)) return { tabs, split: kept };
  const { active } = tabs;
  if (before.active !== null && isOpen(before.active)) {
    const columns = kept.columns.map((id) => (id === before.active ? active : id));
    return { tabs, split: { ...kept, columns } };
  }
  const at = before.active === null ? 0 : split.columns.indexOf(before.active);
  const next = left[Math.min(Math.max(at, 0), left.length - 1)] ?? active;
  return { tabs: { ...tabs, active: next }, split: kept };
}

/** Puts a session beside the focused one, and focuses it. */
export function openBeside(now: Arrangement, id: SessionId): Arrangement {
  const { tabs, split } = now;
  const opened = openTab(tabs, id);
  if (split.columns.includes(id)) return { tabs: opened, split };
  // For the session in view itself: its neighbour stays, and it moves beside that.
  const anchor = tabs.active === id ? tabBeside(tabs, -1) : tabs.active;
  if (anchor === null || anchor === id || split.columns.length === COLUMNS_MAX) return arrange(now, opened);
  const present = split.columns.length === 0 ? [anchor] : split.columns;
  const columns = present.toSpliced(present.indexOf(anchor) + 1, 0, id);
  return { tabs: opened, split: withColumns(split, columns) };
}

/** Removes a column; its session stays open. The focus goes to the column that took its place. */
export function closeColumn({ tabs, split }: Arrangement, id: SessionId): Arrangement {
  const at = split.columns.indexOf(id);
  if (at === -1) return { tabs, split };
  const columns = split.columns.filter((other) => other !== id);
  const next = columns[Math.min(at, columns.length - 1)] ?? tabs.active;
  return {
    tabs: tabs.active === id ? { ...tabs, active: next } : tabs,
    split: withColumns(split, columns),
  };
}

/** Moves the edge between a column and the next one; the others stay unchanged. */
export function moveEdge(split: SplitView, index: number, by: number): SplitView {
  const [left, right] = [split.shares[index], split.shares[index + 1]];
  if (left === undefined || right === undefined) return split;
  const both = left + right;
  const share = Math.max(SHARE_MIN, Math.min(both - SHARE_MIN, left + by));
  return { ...split, shares: split.shares.toSpliced(index, 2, share, both - share) };
}

/** The column that many steps away, wrapping around the ends. */
export function columnBeside({ tabs, split }: Arrangement, steps: 1 | -1): SessionId | null {
  return split.columns.length === 0 ? null : tabBeside({ order: split.columns, active: tabs.active }, steps);
}

/** The columns that fit, always including the focused one. */
export function shownColumns({ tabs, split }: Arrangement, widthPx: number): readonly ShownColumn[] {
  const { active } = tabs;
  if (active === null) return [];
  const at = split.columns.indexOf(active);
  const room = Math.max(1, Math.floor(widthPx / COLUMN_PX_MIN));
  if (at === -1 || room === 1) return [{ id: active, start: 0, width: 1 }];
  const from = Math.max(0, at - room + 1);
  const ids = split.columns.slice(from, from + room);
  const shares = split.shares.slice(from, from + room);
  const whole = shares.reduce((sum, share) => sum + share, 0);
  let start = 0;
  return ids.map((id, index) => {
    const width = (shares[index] ?? 0) / whole;
    start += width;
    return { id, start: start - width, width };
  });
}

/** Remaining columns keep their relative shares; a new one gets an equal part. */
function withColumns(split: SplitView, columns: readonly SessionId[]): SplitView {
  if (columns.length < 2) return NO_SPLIT;
  const shareOf = (id: SessionId): number => split.shares[split.columns.indexOf(id)] ?? 0;
  const even = 1 / columns.length;
  const news = columns.filter((id) => !split.columns.includes(id)).length;
  const old = columns.reduce((sum, id) => sum + shareOf(id), 0);
  const shares = columns.map((id) => (shareOf(id) === 0 || old === 0 ? even : (shareOf(id) / old) * (1 - news * even)));
  return { columns, shares };
}
