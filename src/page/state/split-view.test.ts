import { describe, expect, it } from "bun:test";
import { SessionId } from "../../protocol/ids.ts";
import { KeptSplit, splitFromKept } from "./kept-tabs.ts";
import { closeTab, keepTabs, openTab } from "./open-tabs.ts";
import {
  type Arrangement,
  arrange,
  closeColumn,
  columnBeside,
  moveEdge,
  NO_SPLIT,
  openBeside,
  shownColumns,
} from "./split-view.ts";

const A = SessionId.parse("builtin:a");
const B = SessionId.parse("builtin:b");
const C = SessionId.parse("builtin:c");
const D = SessionId.parse("builtin:d");
const E = SessionId.parse("builtin:e");
const WIDE_PX = 2_000;

/** Five tabs with these columns of equal width; the last one has the focus. */
function columns(...ids: SessionId[]): Arrangement {
  const split = ids.length > 1 ? { columns: ids, shares: ids.map(() => 1 / ids.length) } : NO_SPLIT;
  return { tabs: { order: [A, B, C, D, E], active: ids.at(-1) ?? null }, split };
}
const places = (now: Arrangement, px = WIDE_PX) => shownColumns(now, px).map(({ id }) => id);

describe("split view", () => {
  it("[X-18] opens a session beside the one in view and focuses it", () => {
    const now = openBeside(columns(A), C);
    expect(now.split).toEqual({ columns: [A, C], shares: [0.5, 0.5] });
    expect(now.tabs.active).toBe(C);
    expect(openBeside({ ...now, tabs: { ...now.tabs, active: A } }, B).split.columns).toEqual([A, B, C]);
  });

  it("[X-18] opening the session in view to the side puts it beside its neighbour; alone it stays alone", () => {
    expect(openBeside(columns(B), B).split.columns).toEqual([A, B]);
    const alone: Arrangement = { tabs: { order: [A], active: A }, split: NO_SPLIT };
    expect(openBeside(alone, A)).toEqual(alone);
  });

  it("[X-18] a session with a column gets the focus; a fifth replaces the focused one", () => {
    expect(openBeside(columns(A, B), A)).toMatchObject({ tabs: { active: A }, split: { columns: [A, B] } });
    expect(openBeside(columns(A, B, C, D), E).split.columns).toEqual([A, B, C, E]);
  });

  it("[X-18] showing another session replaces the focused one, in its position and width", () => {
    const now = columns(A, B);
    const wide = { ...now, split: moveEdge(now.split, 0, 0.2) };
    const after = arrange(wide, openTab(wide.tabs, D));
    expect(after.split.columns).toEqual([A, D]);
    expect(after.split.shares[0]).toBeCloseTo(0.7);
  });

  it("[X-18] [TC-4.4b] closing the tab of a column closes the column; the focus goes to the next column, not to the next tab", () => {
    const now: Arrangement = { ...columns(A, C, E), tabs: { order: [A, B, C, D, E], active: C } };
    const after = arrange(now, closeTab(now.tabs, C));
    expect(after).toMatchObject({ tabs: { active: E, order: [A, B, D, E] }, split: { columns: [A, E] } });
    expect(arrange(after, closeTab(after.tabs, E))).toMatchObject({ tabs: { active: A }, split: NO_SPLIT });
  });

  it("[X-18] columns of deleted sessions are removed, however many at once", () => {
    const now = columns(A, B, C);
    const kept = keepTabs(now.tabs, (id) => id === A || id === D);
    expect(arrange(now, kept)).toMatchObject({ tabs: { active: A, order: [A, D] }, split: NO_SPLIT });
    expect(
      arrange(
        now,
        keepTabs(now.tabs, () => false),
      ),
    ).toMatchObject({ tabs: { active: null }, split: NO_SPLIT });
  });

  it("[X-18] closing a column keeps its tab and the other columns' proportions", () => {
    const now = columns(A, B, C);
    const wide = { ...now, split: { ...now.split, shares: [0.5, 0.25, 0.25] } };
    const after = closeColumn(wide, C);
    expect(after.tabs).toEqual({ order: [A, B, C, D, E], active: B });
    expect(after.split.shares.map((share) => Math.round(share * 1_000))).toEqual([667, 333]);
    expect(closeColumn(after, A)).toMatchObject({ tabs: { active: B }, split: NO_SPLIT });
  });

  it("[X-18] moving an edge changes the two beside it, down to a minimum width", () => {
    const { split } = columns(A, B, C);
    expect(moveEdge(split, 0, 0.1).shares.map((share) => share.toFixed(2))).toEqual(["0.43", "0.23", "0.33"]);
    expect(moveEdge(split, 0, -5).shares[0]).toBeCloseTo(0.15);
    expect(moveEdge(split, 1, 5).shares[2]).toBeCloseTo(0.15);
    expect(moveEdge(split, 2, 0.1)).toBe(split);
  });

  it("[X-18] shows as many columns as fit, including the focused one", () => {
    expect(places(columns(A, B, C, D))).toEqual([A, B, C, D]);
    expect(places(columns(A, B, C, D), 900)).toEqual([B, C, D]);
    expect(places({ ...columns(A, B, C, D), tabs: { order: [A, B, C, D], active: A } }, 900)).toEqual([A, B, C]);
    expect(shownColumns(columns(A, B), 390)).toEqual([{ id: B, start: 0, width: 1 }]);
    expect(shownColumns(columns(B, A), WIDE_PX)[1]).toEqual({ id: A, start: 0.5, width: 0.5 });
    expect(places(columns())).toEqual([]);
  });

  it("[X-18] steps from column to column, wrapping around the ends", () => {
    expect(columnBeside(columns(A, B), 1)).toBe(A);
    expect(columnBeside(columns(A), 1)).toBeNull();
  });
});

describe("stored split view", () => {
  const { tabs, split } = columns(A, B);
  it("[X-18] is restored unchanged", () => {
    expect(splitFromKept(KeptSplit.parse(JSON.parse(JSON.stringify(split))), tabs)).toEqual(split);
  });

  it.each([
    ["a closed session", { columns: [A, SessionId.parse("x:y")], shares: [0.5, 0.5] }, tabs],
    ["a session twice", { columns: [B, B], shares: [0.5, 0.5] }, tabs],
    ["no widths", { columns: [A, B], shares: [] }, tabs],
    ["an active one that stands elsewhere", { columns: [A, B], shares: [0.5, 0.5] }, { ...tabs, active: C }],
    ["one column", { columns: [B], shares: [1] }, tabs],
  ])("is dropped if it has %s", (_what, kept, open) => {
    expect(splitFromKept(kept, open)).toBe(NO_SPLIT);
  });
});
