import { z } from "zod";
import { changedLines } from "../../../src/presentation/entry-text.ts";
import { type DiffLine, diffLines, wordDiff } from "../../../src/presentation/line-diff.ts";
import { splitRows } from "../../../src/ui/diff/diff-table.ts";
import { rule, ruleSame } from "../engine/broken-rule.ts";
import { fuzzTarget } from "../engine/fuzz-target.ts";
import { mutateText, someText } from "../engine/mutate-text.ts";

const WORDS = ["a\n", "b\n", "c\n", "some words here\n", "\n", "x", " ", "\r\n", "\t", "{", "😀"];
const Input = z.object({ before: z.nullable(z.string()), after: z.string(), editsMax: z.int().min(0) });

/** Two texts compared: from what is shown, both can be put together again. */
export const diffs = fuzzTarget({
  name: "diffs",
  weight: 1.5,
  shape: Input,
  make(source) {
    const before = someText(source, WORDS, 16);
    let after = before;
    for (let changes = source.between(0, 4); changes > 0; changes -= 1) after = mutateText(source, after, WORDS);
    return { before: source.isOneIn(20) ? null : before, after, editsMax: source.pick([600, 600, 2]) };
  },
  check({ before, after, editsMax }) {
    const { rows, added, removed } = diffLines(before, after, 1, editsMax);
    const lines = rows.flatMap((row) => (row.kind === "fold" ? row.lines : [row]));
    const old = lines.filter(({ kind }) => kind !== "added");
    const fresh = lines.filter(({ kind }) => kind !== "removed");
    ruleSame(textOf(old), linesOf(before ?? ""), "the old text can be put together again");
    ruleSame(textOf(fresh), linesOf(after), "the new text can be put together again");
    ruleSame(
      old.map(({ oldNumber }) => oldNumber),
      old.map((_, at) => at + 1),
      "old lines are numbered in order",
    );
    ruleSame(
      fresh.map(({ newNumber }) => newNumber),
      fresh.map((_, at) => at + 1),
      "new lines are numbered in order",
    );
    ruleSame([added, removed], [fresh.length - same(lines), old.length - same(lines)], "changes are counted");
    for (const { words, text } of lines)
      if (words) ruleSame(words.map((piece) => piece.text).join(""), text, "the pieces of a line make up the line");
    const split = splitRows(rows).flatMap((row): { before: DiffLine | null; after: DiffLine | null }[] =>
      row.kind === "fold" ? row.lines.map((line) => ({ before: line, after: line })) : [row],
    );
    ruleSame(
      split.flatMap((row) => row.before ?? []),
      old,
      "side by side, the old lines are all there",
    );
    ruleSame(
      split.flatMap((row) => row.after ?? []),
      fresh,
      "side by side, the new lines are all there",
    );
    checkWords(before ?? "", after);
    const changed = changedLines(before, after);
    rule(
      changed.every(({ mark }) => "+- ".includes(mark)),
      "exported lines are marked",
    );
  },
});

function checkWords(before: string, after: string): void {
  const words = wordDiff(before, after);
  if (words === null) return;
  ruleSame(words.before.map(({ text }) => text).join(""), before, "pieces make up the old line");
  ruleSame(words.after.map(({ text }) => text).join(""), after, "pieces make up the new line");
}

function same(lines: readonly DiffLine[]): number {
  return lines.filter(({ kind }) => kind === "same").length;
}

function textOf(lines: readonly DiffLine[]): string[] {
  return lines.map(({ text }) => text);
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
