import { expect, test } from "bun:test";
import { WorktreeId } from "../protocol/worktree-ref.ts";
import type { Overlap, Radar } from "../protocol/worktrees.ts";
import { overlapDetails, overlapWords } from "./worktree-words.ts";

const other = (name: string, part: Partial<Overlap> = {}): Overlap => ({
  with: { worktreeId: WorktreeId.parse("w1"), name },
  kind: "conflict",
  paths: ["src/retry.ts"],
  total: 1,
  ...part,
});
const watched = (overlaps: Overlap[], state: Radar["state"] = "overlap") => ({
  radar: { state, overlaps },
  base: "main",
});

test("a worktree without overlaps has no mark, whether it was looked at or not", () => {
  expect(overlapWords(watched([], "clean"))).toBe("");
  expect(overlapWords(watched([], "unknown"))).toBe("");
});

test("the mark names the other worktree, and the branch it was made from", () => {
  expect(overlapWords(watched([other("importer-retry")]))).toBe("overlaps importer-retry");
  expect(overlapWords(watched([other("a"), other("b"), other("c")]))).toBe("overlaps a and 2 more");
  expect(overlapWords(watched([other("", { with: null })]))).toBe("overlaps main");
});

test("the details distinguish a conflict from files that both changed", () => {
  const overlaps = [other("a"), other("b", { kind: "same-files", total: 1_204 })];
  expect(overlapDetails(watched(overlaps))).toBe(
    "Merging it with a would conflict in src/retry.ts.\nb also changed 1,204 files.",
  );
});
