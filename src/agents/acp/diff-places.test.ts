import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import type { ToolPatch } from "../../ports/agents.ts";
import { DiffPlaces } from "./diff-places.ts";

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`);

type Hunk = readonly [oldText: string, newText: string];

/** Where the hunks of one call are found, before and after they are applied. */
async function placesOf(
  before: readonly string[],
  after: readonly string[],
  hunks: readonly Hunk[],
  lines: readonly number[] = [],
) {
  await using dir = await tempDir();
  const path = dir.join("a.ts");
  const places = new DiffPlaces({ roots: [dir.path], guarded: [] });
  const parts = hunks.map(([oldText, newText]) => ({ type: "diff" as const, path, oldText, newText }));
  const locations = lines.map((line) => ({ path, line }));
  const locate = async (status: "running" | "complete", content: readonly string[]) => {
    await writeFile(path, content.join("\n"));
    const patch: ToolPatch = { toolCallId: "1", announced: true, status, parts, locations };
    return places.locate(patch).parts?.map((part) => (part.type === "diff" ? part.firstLine : "no diff"));
  };
  return { before: await locate("running", before), after: await locate("complete", after) };
}

test("X-7 every hunk of a file in one call has its own line, before and after the edit (B10)", async () => {
  const before = numbered(60);
  const after = before.with(49, "fifty").toSpliced(9, 1, "ten", "and more");
  const hunks = [
    ["line 10", "ten\nand more"],
    ["line 50", "fifty"],
  ] as const;
  expect(await placesOf(before, after, hunks)).toEqual({ before: [10, 50], after: [10, 51] });
});

test("X-7 equal hunks are assigned to equal places if their counts match (B10)", async () => {
  const before = numbered(9).with(1, "same").with(6, "same");
  const after = before.with(1, "other").with(6, "other");
  const alike = ["same", "other"] as const;
  expect(await placesOf(before, after, [alike, alike])).toEqual({ before: [2, 7], after: [2, 7] });
  const three = [alike, alike, alike];
  expect(await placesOf(before, after, three)).toEqual({
    before: [undefined, undefined, undefined],
    after: [undefined, undefined, undefined],
  });
});

test("X-7 a line named by the agent decides between several places (B10)", async () => {
  const before = numbered(9).with(1, "same").with(4, "same").with(6, "same");
  const after = before.with(4, "x").with(6, "y");
  const hunks = [
    ["same", "x"],
    ["same", "y"],
  ] as const;
  expect((await placesOf(before, after, hunks, [5, 7])).before).toEqual([5, 7]);
  expect((await placesOf(before, after, hunks)).before).toEqual([undefined, undefined]);
});

test("X-7 a hunk that changes the text of another hunk is found (B10)", async () => {
  const before = numbered(9);
  const after = before.with(4, "fünf");
  const hunks = [
    ["line 5", "five"],
    ["five", "fünf"],
  ] as const;
  expect(await placesOf(before, after, hunks)).toEqual({ before: [5, 5], after: [5, 5] });
});

test("X-7 a hunk that removes its text moves with the hunks above it (B10)", async () => {
  const before = numbered(40);
  const after = before.toSpliced(29, 2).toSpliced(9, 1, "ten", "and", "more");
  const hunks = [
    ["line 10", "ten\nand\nmore"],
    ["line 30\nline 31\n", ""],
  ] as const;
  expect(await placesOf(before, after, hunks)).toEqual({ before: [10, 30], after: [10, 32] });
});
