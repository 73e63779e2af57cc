import type { PatchHunk } from "../protocol/changes.ts";
import type { DiffLine } from "./line-diff.ts";

/** A line of a hunk; `hasNoEnd`: the file ends here without a line end. */
export interface HunkLine extends DiffLine {
  readonly hasNoEnd?: true;
}

/** The first line of a range; an empty range names the line before it. */
function firstOf(start: number, count: number): number {
  return count > 0 ? start : start + 1;
}

export function firstNewLine({ newStart, newCount }: PatchHunk): number {
  return firstOf(newStart, newCount);
}

/** All lines of a hunk in unified order, with their numbers on both sides. */
export function hunkLines(hunk: PatchHunk): readonly HunkLine[] {
  const { before, oldLines, newLines, after, noEnd } = hunk;
  const oldFirst = firstOf(hunk.oldStart, hunk.oldCount);
  const newFirst = firstNewLine(hunk);
  const same = (texts: readonly string[], oldFrom: number, newFrom: number): HunkLine[] =>
    texts.map((text, at) => ({ kind: "same", text, oldNumber: oldFrom + at, newNumber: newFrom + at }));
  const isLast = (lines: readonly string[], at: number, side: "old" | "new") =>
    at === lines.length - 1 && (noEnd === side || noEnd === "both");
  return [
    ...same(before, oldFirst - before.length, newFirst - before.length),
    ...oldLines.map(
      (text, at): HunkLine => ({
        kind: "removed",
        text,
        oldNumber: oldFirst + at,
        newNumber: null,
        ...(isLast(oldLines, at, "old") && { hasNoEnd: true }),
      }),
    ),
    ...newLines.map(
      (text, at): HunkLine => ({
        kind: "added",
        text,
        oldNumber: null,
        newNumber: newFirst + at,
        ...(isLast(newLines, at, "new") && { hasNoEnd: true }),
      }),
    ),
    ...same(after, oldFirst + oldLines.length, newFirst + newLines.length),
  ];
}

/**
 * Hunks whose context does not overlap: lines between two of them are shown once. `linesNow`: how many lines of the
 * current file a hunk covers; a discarded one covers its old lines.
 */
export function separateHunks(
  hunks: readonly PatchHunk[],
  linesNow: (hunk: PatchHunk, at: number) => number = ({ newCount }) => newCount,
): readonly PatchHunk[] {
  let shownTo = 0;
  return hunks.map((hunk, at) => {
    const first = firstNewLine(hunk);
    const end = first + linesNow(hunk, at);
    const next = hunks[at + 1];
    const roomBefore = Math.max(0, first - 1 - shownTo);
    const roomAfter = next === undefined ? hunk.after.length : Math.max(0, firstNewLine(next) - end);
    const before = roomBefore === 0 ? [] : hunk.before.slice(-roomBefore);
    const after = hunk.after.slice(0, roomAfter);
    shownTo = end - 1 + after.length;
    if (before.length === hunk.before.length && after.length === hunk.after.length) return hunk;
    return { ...hunk, before, after };
  });
}

/** The lines of the file that a hunk shows: "Lines 8–16". A deleted file has only old ones. */
export function rangeWords(lines: readonly HunkLine[]): string {
  const numbersOn = (side: "oldNumber" | "newNumber") => lines.flatMap((line) => line[side] ?? []);
  const numbers = numbersOn("newNumber");
  return lineWords(numbers.length > 0 ? numbers : numbersOn("oldNumber"));
}

export function lineWords(numbers: readonly number[]): string {
  const [from, to] = [numbers[0] ?? 0, numbers.at(-1) ?? 0];
  return from === to ? `Line ${from}` : `Lines ${from}–${to}`;
}

/** The key of a change, whatever its position: a decision about it is found again after the file has changed. */
export function isSameChange(a: PatchHunk, b: PatchHunk): boolean {
  const equal = (one: readonly string[], other: readonly string[]) =>
    one.length === other.length && one.every((line, at) => line === other[at]);
  return equal(a.oldLines, b.oldLines) && equal(a.newLines, b.newLines);
}

/** Lines that a key includes: enough to distinguish hunks, few enough for a very long one. */
const KEY_LINES_MAX = 200;

/** The keys of hunks: the change without its position, and a number for equal changes. */
export function hunkKeys(hunks: readonly PatchHunk[]): readonly string[] {
  const seen = new Map<string, number>();
  return hunks.map(({ oldLines, newLines }) => {
    const text = [oldLines, newLines]
      .map((lines) => `${lines.length}\n${lines.slice(0, KEY_LINES_MAX).join("\n")}`)
      .join("\0");
    let hash = 0;
    for (let at = 0; at < text.length; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
    const key = (hash >>> 0).toString(36);
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return count === 1 ? key : `${key}-${count}`;
  });
}

/** Lines that are drawn together, and characters in them: style, layout and paint of a block fit into a frame. */
const BLOCK_ROWS_MAX = 40;
const BLOCK_CHARS_MAX = 6_000;

/** Splits rows into blocks, and ends a block after each row with content below it. */
export function cutBlocks<Row>(
  rows: readonly Row[],
  charsIn: (row: Row) => number,
  endsAfter: (row: Row) => boolean,
): readonly (readonly Row[])[] {
  const blocks: Row[][] = [];
  let block: Row[] = [];
  let chars = 0;
  for (const row of rows) {
    block.push(row);
    chars += charsIn(row);
    if (block.length < BLOCK_ROWS_MAX && chars < BLOCK_CHARS_MAX && !endsAfter(row)) continue;
    blocks.push(block);
    block = [];
    chars = 0;
  }
  if (block.length > 0) blocks.push(block);
  return blocks;
}
