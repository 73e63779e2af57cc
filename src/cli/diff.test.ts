import { expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { git } from "../../tests/workspace/git-scene.ts";
import type { PatchHunk } from "../protocol/changes.ts";
import { statOf, unified } from "./diff.ts";

const SCREEN = { hasColour: false };
const numbers = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`);
const shown = (path: string, hunks: readonly PatchHunk[], status: "added" | "modified" | "deleted" = "modified") =>
  [...unified({ path, status }, { kind: "text", hunks: [...hunks], isWholeFile: false })]
    .map((piece) => piece.render(SCREEN))
    .join("");

interface Place {
  readonly oldStart: number;
  readonly newStart: number;
  readonly oldLines?: string[];
  readonly newLines?: string[];
}

/** A hunk with the context that the server sends: three lines on each side, of the new file. */
function hunkOf({ oldStart, newStart, oldLines = [], newLines = [] }: Place, newFile: readonly string[]): PatchHunk {
  const first = newLines.length === 0 ? newStart : newStart - 1;
  const end = first + newLines.length;
  return {
    hunkId: "h",
    oldStart,
    oldCount: oldLines.length,
    newStart,
    newCount: newLines.length,
    isKept: false,
    oldLines,
    newLines,
    before: newFile.slice(Math.max(0, first - 3), first),
    after: newFile.slice(end, end + 3),
  };
}

test("X-14 hunks with common context are one hunk, and git apply takes what is printed", async () => {
  await using dir = await tempDir();
  const root = dir.join("work");
  await mkdir(root);
  git(root, "init", "-q");
  const old = numbers(40);
  const fresh = [
    ...old.slice(0, 4),
    "five",
    ...old.slice(5, 9),
    "nine and a half",
    ...old.slice(9, 29),
    ...old.slice(30),
  ];
  const hunks = [
    hunkOf({ oldStart: 5, newStart: 5, oldLines: ["line 5"], newLines: ["five"] }, fresh),
    hunkOf({ oldStart: 9, newStart: 10, newLines: ["nine and a half"] }, fresh),
    { ...hunkOf({ oldStart: 30, newStart: 30, oldLines: ["line 30"] }, fresh), heading: "line 20" },
  ];
  const text = shown("a.txt", hunks);
  expect(text.match(/^@@.*$/gm)).toEqual(["@@ -2,11 +2,12 @@", "@@ -27,7 +28,6 @@ line 20"]);
  await writeFile(dir.join("patch"), text);
  await writeFile(`${root}/a.txt`, `${old.join("\n")}\n`);
  git(root, "apply", dir.join("patch"));
  expect(await Bun.file(`${root}/a.txt`).text()).toBe(`${fresh.join("\n")}\n`);
});

test("X-14 a new file, a deleted one, and one without a last line end are printed as Git does", () => {
  const added = hunkOf({ oldStart: 0, newStart: 1, newLines: ["a", "b"] }, ["a", "b"]);
  expect(shown("n.txt", [{ ...added, noEnd: "new" }], "added")).toBe(
    "--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n",
  );
  const deleted = hunkOf({ oldStart: 1, newStart: 0, oldLines: ["a"] }, []);
  expect(shown("n.txt", [deleted], "deleted")).toBe("--- a/n.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n");
});

test("WS-22 control and invisible characters are shown by their codes; tabs and spaces stay", () => {
  const line = `\t\t\t\t\tx = "\u001b[31m\u202e"\r-fake${" ".repeat(60)}end`;
  const text = shown("odd\u001b\nname", [hunkOf({ oldStart: 0, newStart: 1, newLines: [line] }, [line])], "added");
  expect(text).toContain(`+\t\t\t\t\tx = "<U+001B>[31m<U+202E>"<U+000D>-fake${" ".repeat(60)}end\n`);
  expect(text.split("\n")).toHaveLength(5);
  for (const sign of ["\u001b", "\u202e", "\r"]) expect(text).not.toContain(sign);
});

test("[X-14] one long name makes no other line of the table long; programs get it whole, a terminal its end", () => {
  const long = `${"deep/".repeat(60)}last.txt`;
  const file = { status: "modified", added: 1, removed: 0, review: "open", viewed: false } as const;
  const files = [
    { ...file, path: "a.txt" },
    { ...file, path: long },
  ];
  const [short = "", piped] = statOf(files, { hasColour: false, columns: null })
    .render({ hasColour: false })
    .split("\n");
  expect(short).toMatch(/^ a\.txt {10,50}\| 1 \+$/);
  expect(piped).toBe(` ${long} | 1 +`);
  const shown = statOf(files, { hasColour: false, columns: 60 }).render({ hasColour: false }).split("\n");
  expect(shown[1]).toMatch(/^ ….*deep\/last\.txt \| 1 \+$/);
  expect(Math.max(...shown.map((row) => row.length))).toBeLessThanOrEqual(60);
});
