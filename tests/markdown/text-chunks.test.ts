import { expect, test } from "bun:test";
import { cutChunks } from "../../src/ui/markdown/text-chunks.ts";

const CHUNK_CHARS_MAX = 8_192;
const WORDS = Array.from({ length: 20_000 }, (_, index) => `w${index}`).join(" ");

test("a dump is cut into boxes that hold all of it, after a space where one is near", () => {
  const chunks = cutChunks(WORDS);
  expect(chunks.join("")).toBe(WORDS);
  expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThanOrEqual(CHUNK_CHARS_MAX);
  expect(chunks.slice(0, -1).every((chunk) => chunk.endsWith(" "))).toBe(true);
});

test("where a dump is cut does not change while it grows", () => {
  const before = cutChunks(WORDS.slice(0, 50_001));
  const after = cutChunks(WORDS);
  expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
});

test("a cut never parts one character", () => {
  const chunks = cutChunks("😀".repeat(10_000));
  expect(chunks.every((chunk) => chunk.isWellFormed())).toBe(true);
});
