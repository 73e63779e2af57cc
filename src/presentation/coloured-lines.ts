import type { DiffFold, DiffLine, LineDiff } from "./line-diff.ts";
import type { CodeToken } from "./tokenize-code.ts";

/** A run of a line in one colour, changed or not. */
export interface LineRun extends CodeToken {
  readonly isChanged: boolean;
}

interface ColouredTexts {
  readonly before: readonly (readonly CodeToken[])[];
  readonly after: readonly (readonly CodeToken[])[];
  readonly firstLine: number;
}

/** The tokens of a text, line by line. */
export function tokenLines(tokens: readonly CodeToken[]): readonly (readonly CodeToken[])[] {
  const lines: CodeToken[][] = [[]];
  for (const { text, className } of tokens) {
    for (const [index, part] of text.split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push({ text: part, className });
    }
  }
  return lines;
}

/** The same change with its colours, also on folded lines. */
export function colourLines(diff: LineDiff, { before, after, firstLine }: ColouredTexts): LineDiff {
  const colour = (line: DiffLine): DiffLine => {
    const tokens =
      line.newNumber === null ? before[(line.oldNumber ?? 0) - firstLine] : after[line.newNumber - firstLine];
    // Text that differs from the tokens stays plain.
    return tokens?.map(({ text }) => text).join("") === line.text ? { ...line, tokens } : line;
  };
  const rows = diff.rows.map((row): DiffLine | DiffFold =>
    row.kind === "fold" ? { ...row, lines: row.lines.map(colour) } : colour(row),
  );
  return { ...diff, rows };
}

/** A line split where its colour or its changed state begins and ends. */
export function lineRuns({ text, words, tokens }: DiffLine): readonly LineRun[] {
  const runs: LineRun[] = [];
  const colours = [...(tokens ?? [{ text, className: "" }])];
  for (const { text: piece, isChanged } of words ?? [{ text, isChanged: false }]) {
    let left = piece.length;
    while (left > 0) {
      const token = colours.shift();
      if (token === undefined) break;
      runs.push({ text: token.text.slice(0, left), className: token.className, isChanged });
      if (token.text.length > left) colours.unshift({ ...token, text: token.text.slice(left) });
      left -= Math.min(left, token.text.length);
    }
  }
  return runs;
}
