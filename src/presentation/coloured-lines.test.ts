import { expect, test } from "bun:test";
import { colourLines, lineRuns, tokenLines } from "./coloured-lines.ts";
import { type DiffLine, diffLines, type LineDiff } from "./line-diff.ts";
import { tokenizeCode } from "./tokenize-code.ts";

const OLD = "/* a\n   b */\nconst one = 1;\nlet x = one;\n\n\n\n\n\n\nreturn x;\n";
const NEW = OLD.replace("one = 1", "one = 100").replace("let x", "let y");

function colouredDiff(oldText: string | null, newText: string, firstLine = 1): LineDiff {
  const lines = (text: string) => tokenLines(text === "" ? [] : tokenizeCode(text, "typescript"));
  const texts = { before: lines(oldText ?? ""), after: lines(newText), firstLine };
  return colourLines(diffLines(oldText, newText, firstLine), texts);
}

function linesOf({ rows }: LineDiff): readonly DiffLine[] {
  return rows.flatMap((row) => (row.kind === "fold" ? row.lines : [row]));
}

test("X-15 a change is highlighted on both sides, folded lines included, with the same text", () => {
  for (const firstLine of [1, 40]) {
    const lines = linesOf(colouredDiff(OLD, NEW, firstLine));
    for (const line of lines) {
      expect(
        lineRuns(line)
          .map(({ text }) => text)
          .join(""),
      ).toBe(line.text);
      expect(line.tokens).toBeDefined();
    }
    const number = lines.filter(({ kind }) => kind !== "same").flatMap((line) => lineRuns(line));
    expect(number).toContainEqual({ text: "1", className: "hljs-number", isChanged: true });
    expect(number).toContainEqual({ text: "100", className: "hljs-number", isChanged: true });
    expect(number).toContainEqual({ text: "const", className: "hljs-keyword", isChanged: false });
    // A comment over two lines is one on both.
    expect(lineRuns(lines[1] ?? { kind: "same", text: "", oldNumber: 1, newNumber: 1 })[0]?.className).toBe(
      "hljs-comment",
    );
  }
});

test("X-15 a new file is highlighted; text that the tokens do not match stays plain", () => {
  expect(linesOf(colouredDiff(null, "let a;\n"))[0]?.tokens?.[0]).toEqual({ text: "let", className: "hljs-keyword" });
  const shifted = colourLines(diffLines("a\n", "b\n"), {
    before: [],
    after: tokenLines([{ text: "c", className: "x" }]),
    firstLine: 1,
  });
  expect(linesOf(shifted).map((line) => lineRuns(line))).toEqual([
    [{ text: "a", className: "", isChanged: false }],
    [{ text: "b", className: "", isChanged: false }],
  ]);
});
