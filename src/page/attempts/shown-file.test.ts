import { expect, test } from "bun:test";
import type { AttemptResult } from "../../protocol/attempts.ts";
import type { FilePatch, PatchHunk } from "../../protocol/changes.ts";
import { isWhole, patchLines, usualFile } from "./shown-file.ts";

const result = (...paths: readonly string[]): AttemptResult => ({
  sessionId: "s" as never,
  files: paths.map((path) => ({
    path,
    added: path.endsWith(".bin") ? null : 1,
    removed: path.endsWith(".bin") ? null : 0,
  })),
  ...{ totalFiles: paths.length, added: 1, removed: 0, commits: 0, uncommittedFiles: 0, into: "main", lastLine: "" },
});

test("the file that most attempts changed is compared first, and never one without lines", () => {
  expect(usualFile([result("a.ts", "b.ts"), result("b.ts"), result("c.ts")])).toBe("b.ts");
  expect(usualFile([result("a.ts"), result("b.ts")])).toBe("a.ts");
  expect(usualFile([result("x.bin", "a.ts"), result("x.bin")])).toBe("a.ts");
  expect(usualFile([result("x.bin")])).toBeNull();
  expect(usualFile([])).toBeNull();
});

const hunk = (fields: Partial<PatchHunk>): PatchHunk => ({
  ...{ hunkId: "h", oldStart: 1, oldCount: 1, newStart: 1, newCount: 2, isKept: false },
  ...{ oldLines: ["old"], newLines: ["new", "more"], before: [], after: [] },
  ...fields,
});

test("lines are all there when they add up to what the attempt changed", () => {
  const patch: FilePatch = { kind: "text", hunks: [hunk({}), hunk({ oldStart: 9, newStart: 10 })], isWholeFile: false };
  const places = patchLines(patch) ?? [];
  expect(places.map((lines) => lines.map(({ text }) => text))).toEqual([
    ["old", "new", "more"],
    ["old", "new", "more"],
  ]);
  expect(isWhole(places, { added: 4, removed: 2 })).toBe(true);
  expect(isWhole(places, { added: 5, removed: 2 })).toBe(false);
  expect(patchLines({ kind: "binary", words: "Added a file, 2 bytes." })).toBeNull();
});
