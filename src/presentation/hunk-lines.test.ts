import { expect, test } from "bun:test";
import type { PatchHunk } from "../protocol/changes.ts";
import { cutBlocks, hunkLines, isSameChange, rangeWords, separateHunks } from "./hunk-lines.ts";

const hunk = (fields: Partial<PatchHunk>): PatchHunk => ({
  hunkId: "h",
  oldStart: 1,
  oldCount: 0,
  newStart: 1,
  newCount: 0,
  isKept: false,
  oldLines: [],
  newLines: [],
  before: [],
  after: [],
  ...fields,
});

test("a replaced line is between its context, and both sides are numbered", () => {
  const lines = hunkLines(
    hunk({
      oldStart: 7,
      oldCount: 1,
      newStart: 9,
      newCount: 2,
      oldLines: ["old"],
      newLines: ["new", "more"],
      before: ["above"],
      after: ["below"],
    }),
  );
  expect(lines.map(({ kind, text, oldNumber, newNumber }) => [kind, text, oldNumber, newNumber])).toEqual([
    ["same", "above", 6, 8],
    ["removed", "old", 7, null],
    ["added", "new", null, 9],
    ["added", "more", null, 10],
    ["same", "below", 8, 11],
  ]);
  expect(rangeWords(lines)).toBe("Lines 8–11");
});

test("an empty range names the line before it: what is only added or only removed has the right numbers", () => {
  const added = hunkLines(
    hunk({
      oldStart: 4,
      oldCount: 0,
      newStart: 5,
      newCount: 1,
      newLines: ["x"],
      before: ["d"],
      after: ["e"],
      noEnd: "new",
    }),
  );
  expect(added.map(({ oldNumber, newNumber }) => [oldNumber, newNumber])).toEqual([
    [4, 4],
    [null, 5],
    [5, 6],
  ]);
  expect(added[1]?.hasNoEnd).toBe(true);
  const removed = hunkLines(hunk({ oldStart: 1, oldCount: 2, newStart: 0, newCount: 0, oldLines: ["a", "b"] }));
  expect(removed.map(({ oldNumber, newNumber }) => [oldNumber, newNumber])).toEqual([
    [1, null],
    [2, null],
  ]);
  expect(rangeWords(removed)).toBe("Lines 1–2");
});

test("lines between two hunks are shown once", () => {
  const first = hunk({
    newStart: 2,
    newCount: 1,
    newLines: ["two"],
    before: ["one"],
    after: ["three", "four", "FIVE"],
  });
  const second = hunk({
    newStart: 5,
    newCount: 1,
    newLines: ["FIVE"],
    before: ["two", "three", "four"],
    after: ["six"],
  });
  const shown = separateHunks([first, second]).flatMap((one) => hunkLines(one).map(({ newNumber }) => newNumber));
  expect(shown).toEqual([1, 2, 3, 4, 5, 6]);
});

test("a change has the same key at any position, and another one does not", () => {
  const one = hunk({ oldLines: ["a"], newLines: ["b"] });
  expect(isSameChange(one, { ...one, hunkId: "x", oldStart: 40, newStart: 44 })).toBe(true);
  expect(isSameChange(one, { ...one, newLines: ["b", ""] })).toBe(false);
});

test("[WS-21] rows are drawn in blocks of few lines and characters, and what has a remark below it ends one", () => {
  const rows = Array.from({ length: 130 }, (_, at) => at);
  const sizes = (chars: number) =>
    cutBlocks(
      rows,
      () => chars,
      (row) => row === 3,
    ).map((block) => block.length);
  expect(sizes(80)).toEqual([4, 40, 40, 40, 6]);
  expect(sizes(2_000).every((size) => size <= 4)).toBe(true);
  expect(sizes(1_000_000)).toEqual(rows.map(() => 1));
});
