import { expect, test } from "bun:test";
import { outputTail } from "./output-block.ts";

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}\n`).join("");
const shown = (text: string, linesMax: number, charsMax = 1_000_000) => {
  const { start, hiddenLines } = outputTail(text, linesMax, charsMax);
  return [text.slice(start), hiddenLines];
};

test("a short output is shown completely", () => {
  expect(shown("", 3)).toEqual(["", 0]);
  expect(shown("a\nb\nc", 3)).toEqual(["a\nb\nc", 0]);
  expect(shown("a\nb\nc\n", 3)).toEqual(["a\nb\nc\n", 0]);
  expect(shown("\nb\nc", 3)).toEqual(["\nb\nc", 0]);
});

test("of a long one the last lines are shown, and the others counted", () => {
  expect(shown(lines(10), 3)).toEqual(["line 7\nline 8\nline 9\n", 7]);
  expect(shown("a\nb\nc\nd", 3)).toEqual(["b\nc\nd", 1]);
});

test("an endless line is cut, too", () => {
  expect(shown("x".repeat(100), 3, 10)).toEqual(["x".repeat(10), 1]);
});

test("empty lines at the beginning count as lines", () => {
  expect(shown("\n\n\n\na", 4)).toEqual(["\n\n\na", 1]);
  expect(shown("\n\n\na", 4)).toEqual(["\n\n\na", 0]);
  expect(shown("\n", 1)).toEqual(["\n", 0]);
});
