import { expect, test } from "bun:test";
import { CheckpointId, type RestoreItem, type RestorePreview } from "../../protocol/changes.ts";
import { chooseAgain, firstChoice, rowsInView, tickedOf, withTicks } from "./restore-choice.ts";

const item = (path: string, added = 1): RestoreItem => ({ path, effect: "changed", added, removed: 0 });
const preview = (own: readonly RestoreItem[], changedSince: readonly RestoreItem[] = []): RestorePreview => ({
  checkpoint: { checkpointId: CheckpointId.parse("c1"), phase: "before", at: "2026-01-15T09:00:00.000Z" },
  version: "abc",
  own: [...own],
  changedSince: [...changedSince],
  impossible: [],
  total: own.length + changedSince.length,
});

test("files that only this session changed are ticked, and files with later changes are not", () => {
  expect([...firstChoice(preview([item("a"), item("b")], [item("c")]))]).toEqual(["a", "b"]);
});

test("after the files changed, what the user unticked stays unticked and what is new is ticked", () => {
  const before = preview([item("a"), item("b")]);
  const chosen = withTicks(firstChoice(before), ["b"], false);
  expect([...chooseAgain(before, chosen, preview([item("a"), item("b"), item("new")]))]).toEqual(["a", "new"]);
});

test("a ticked file with later edits stays ticked only while it is as it was when it was ticked", () => {
  const before = preview([], [item("same"), item("edited")]);
  const chosen = withTicks(firstChoice(before), ["same", "edited"], true);
  expect([...chooseAgain(before, chosen, preview([], [item("same"), item("edited", 2)]))]).toEqual(["same"]);
});

test("a file that the user has edited meanwhile is no longer ticked", () => {
  const before = preview([item("a"), item("b")]);
  expect([...chooseAgain(before, firstChoice(before), preview([item("a")], [item("b")]))]).toEqual(["a"]);
});

test("a group shows whether all, some or none of it is ticked", () => {
  const items = [item("a"), item("b")];
  expect([["a", "b"], ["a"], []].map((paths) => tickedOf(items, new Set(paths)))).toEqual(["all", "some", "none"]);
});

test("of a long list only the rows near the view are in the page", () => {
  expect(rowsInView(2_000, { topPx: 0, heightPx: 280 }, 28)).toEqual({ from: 0, to: 30 });
  expect(rowsInView(2_000, { topPx: 28_000, heightPx: 280 }, 28)).toEqual({ from: 980, to: 1_030 });
  expect(rowsInView(2_000, { topPx: 55_900, heightPx: 280 }, 28)).toEqual({ from: 1_976, to: 2_000 });
});
