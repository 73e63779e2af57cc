import { expect, test } from "bun:test";
import type { PatchHunk, ReviewedFile } from "../../protocol/changes.ts";
import {
  FIRST,
  LAST,
  type LoadedPatch,
  type SettledHunk,
  type ShownFile,
  settleHunk,
  shownFile,
  stepFile,
  stepHunk,
  withSettled,
} from "./shown-changes.ts";

const hunk = (hunkId: string, at: number, isKept = false): PatchHunk => ({
  hunkId,
  oldStart: at,
  oldCount: 1,
  newStart: at,
  newCount: 3,
  isKept,
  oldLines: ["old"],
  newLines: [`a ${hunkId}`, "b", "c"],
  before: [],
  after: [],
});
const file = (path: string): ReviewedFile => ({
  path,
  status: "modified",
  added: 3,
  removed: 1,
  review: "open",
  viewed: false,
});
const loaded = (...hunks: PatchHunk[]): LoadedPatch => ({
  patch: { kind: "text", hunks, isWholeFile: false },
  version: "1",
  whole: false,
});
const shown = (path: string, patch: LoadedPatch | null, settled: readonly SettledHunk[] = []): ShownFile =>
  shownFile({
    file: file(path),
    isSettled: false,
    loaded: patch,
    trouble: null,
    settled: { file: file(path), hunks: settled, whole: null },
    decisions: [],
  });

test("a discarded hunk stays in its place, and what was settled below it moves up with the lines", () => {
  const later: SettledHunk = { hunk: hunk("c", 30), verdict: "discarded", undoId: "u1" };
  const settled = settleHunk([later], { hunk: hunk("a", 10), verdict: "discarded", undoId: "u2" });
  expect(settled.map(({ hunk: { newStart } }) => newStart)).toEqual([28, 10]);
  const view = shown("x", loaded(hunk("b", 20)), settled);
  expect(view.hunks.map(({ hunk: { hunkId }, verdict, undoId }) => [hunkId, verdict, undoId])).toEqual([
    ["a", "discarded", "u2"],
    ["b", "open", null],
    ["c", "discarded", "u1"],
  ]);
});

test("a hunk that came back by an undo is shown once, as it is now", () => {
  const view = shown("x", loaded(hunk("a", 10)), [{ hunk: hunk("a", 10), verdict: "discarded", undoId: "u" }]);
  expect(view.hunks.map(({ verdict }) => verdict)).toEqual(["open"]);
});

test("after a refresh a kept hunk can be undone when only one decision can have kept it", () => {
  const decision = (undoId: string) => ({ undoId, kind: "keep" as const, at: "", files: 1, path: "x" });
  const view = (undoIds: readonly string[]) =>
    shownFile({
      file: file("x"),
      isSettled: false,
      loaded: loaded(hunk("a", 10, true)),
      trouble: null,
      settled: null,
      decisions: undoIds.map(decision),
    }).hunks.map(({ undoId }) => undoId);
  expect(view(["u"])).toEqual(["u"]);
  expect(view(["u", "v"])).toEqual([null]);
});

test("a hunk keeps its key when lines above it come or go, and two that change the same have two", () => {
  const keys = (...places: number[]) => {
    const hunks = places.map((at) => ({ ...hunk(`${at}`, at), newLines: ["x"] }));
    return shown("x", loaded(...hunks)).hunks.map(({ key }) => key);
  };
  expect(keys(10, 20)).toEqual(keys(13, 23));
  expect(new Set(keys(10, 20)).size).toBe(2);
});

test("a file that is settled stays in the list, at its place", () => {
  const list = withSettled([file("a"), file("c")], [{ file: file("b"), hunks: [], whole: null }]);
  expect(list.map(({ file: { path }, isSettled }) => [path, isSettled])).toEqual([
    ["a", false],
    ["b", true],
    ["c", false],
  ]);
});

test("J and K step through the hunks of all files, also of those that are not loaded yet", () => {
  const files = [shown("a", loaded(hunk("a1", 1), hunk("a2", 9, true), hunk("a3", 20))), shown("b", null)];
  const from = (name: string) => ({
    path: "a",
    key: files[0]?.hunks.find(({ hunk: { hunkId } }) => hunkId === name)?.key ?? "",
  });
  expect(stepHunk(files, null, 1)).toEqual({ path: "a", key: FIRST });
  expect(stepHunk(files, from("a1"), 1)).toEqual(from("a2"));
  expect(stepHunk(files, from("a1"), 1, ({ verdict }) => verdict === "open")).toEqual(from("a3"));
  expect(stepHunk(files, from("a3"), 1)).toEqual({ path: "b", key: FIRST });
  expect(stepHunk(files, { path: "b", key: FIRST }, 1)).toBeNull();
  expect(stepHunk(files, { path: "b", key: FIRST }, -1)).toEqual(from("a3"));
  expect(stepHunk(files, from("a1"), -1)).toBeNull();
  expect(stepHunk([shown("a", null), ...files.slice(1)], { path: "b", key: FIRST }, -1)).toEqual({
    path: "a",
    key: LAST,
  });
  expect(stepFile(files, from("a1"), 1)).toEqual({ path: "b", key: FIRST });
  expect(stepFile(files, from("a1"), -1)).toBeNull();
});
