import { expect, test } from "bun:test";
import { type DiffFold, type DiffLine, diffLines, wordDiff } from "./line-diff.ts";

const flat = (rows: readonly (DiffLine | DiffFold)[]): DiffLine[] =>
  rows.flatMap((row) => (row.kind === "fold" ? row.lines : [row]));
const side = (rows: readonly (DiffLine | DiffFold)[], not: DiffLine["kind"]) =>
  flat(rows)
    .filter(({ kind }) => kind !== not)
    .map(({ text }) => text);

test("a diff holds both texts whole and in order, for random edits", () => {
  const seed = 20_260_115;
  let state = seed;
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return state % below;
  };
  for (let round = 0; round < 400; round += 1) {
    const before = Array.from({ length: random(30) }, () => `line ${random(6)}`);
    const after = before.flatMap((line) => {
      const choice = random(6);
      if (choice === 0) return [];
      if (choice === 1) return [line, `new ${random(4)}`];
      return choice === 2 ? [`changed ${random(4)}`] : [line];
    });
    const { rows } = diffLines(before.join("\n"), after.join("\n"));
    expect([seed, round, side(rows, "added")]).toEqual([seed, round, before]);
    expect([seed, round, side(rows, "removed")]).toEqual([seed, round, after]);
  }
});

test("a diff is as short as it can be, and numbers both sides", () => {
  const { rows, added, removed } = diffLines("a\nb\nc\n", "a\nx\nc\nd\n", 10);
  expect([added, removed]).toEqual([2, 1]);
  expect(flat(rows).map(({ kind, text, oldNumber, newNumber }) => [kind, text, oldNumber, newNumber])).toEqual([
    ["same", "a", 10, 10],
    ["removed", "b", 11, null],
    ["added", "x", null, 11],
    ["same", "c", 12, 12],
    ["added", "d", null, 13],
  ]);
});

test("unchanged lines far from a change are folded away", () => {
  const before = Array.from({ length: 40 }, (_, index) => `line ${index}`);
  const { rows } = diffLines(before.join("\n"), before.with(20, "changed").join("\n"));
  expect(rows.map((row) => (row.kind === "fold" ? row.lines.length : row.kind))).toEqual([
    17,
    "same",
    "same",
    "same",
    "removed",
    "added",
    "same",
    "same",
    "same",
    16,
  ]);
});

test("a new file is all added, an emptied one all removed, and a rewritten one both", () => {
  expect(diffLines(null, "a\nb").added).toBe(2);
  expect(diffLines("a\nb", "").removed).toBe(2);
  const lines = (word: string) => Array.from({ length: 2_000 }, (_, index) => `${word} ${index}`).join("\n");
  const { added, removed } = diffLines(lines("old"), lines("new"));
  expect([added, removed]).toEqual([2_000, 2_000]);
});

test("a changed line shows which of its words changed, on both sides", () => {
  const words = wordDiff("const limit = 10;", "const limit = 20;");
  expect(words?.before.filter(({ isChanged }) => isChanged).map(({ text }) => text)).toEqual(["10"]);
  expect(words?.after.filter(({ isChanged }) => isChanged).map(({ text }) => text)).toEqual(["20"]);
  expect(words?.before.map(({ text }) => text).join("")).toBe("const limit = 10;");
  expect(words?.after.map(({ text }) => text).join("")).toBe("const limit = 20;");
});

test("a change of white space alone is a change, and nothing of either line is lost", () => {
  const words = wordDiff("if (a) return;", "  if (a)  return;");
  expect(words?.before.map(({ text }) => text).join("")).toBe("if (a) return;");
  expect(words?.after.map(({ text }) => text).join("")).toBe("  if (a)  return;");
  expect(words?.after.some(({ isChanged }) => isChanged)).toBe(true);
});

test("lines that have nothing to do with each other are not compared", () => {
  expect(wordDiff("import { a } from 'b';", "return x + y * 2;")).toBeNull();
  expect(wordDiff("x".repeat(2_000), "x".repeat(2_000))).toBeNull();
});
