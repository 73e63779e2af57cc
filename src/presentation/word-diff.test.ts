import { expect, test } from "bun:test";
import { wordDiff } from "./word-diff.ts";

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
