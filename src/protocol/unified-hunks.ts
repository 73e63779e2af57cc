import { CONTEXT_LINES_DEFAULT, type PatchHunk } from "./changes.ts";

/** A line of a unified diff. `range` is the text between the two `@@`. */
export type UnifiedLine =
  | { readonly kind: "range"; readonly text: string; readonly heading: string | null }
  | { readonly kind: "same" | "old" | "new"; readonly text: string }
  | { readonly kind: "no-end" };

/** The places where a file differs as lines of a unified diff. Hunks whose lines of context meet become one. */
export function* unifiedLines(hunks: readonly PatchHunk[]): Generator<UnifiedLine> {
  let group: PatchHunk[] = [];
  for (const hunk of hunks) {
    const last = group.at(-1);
    if (last && gapBetween(last, hunk) > 2 * CONTEXT_LINES_DEFAULT) {
      yield* linesOf(group);
      group = [];
    }
    group.push(hunk);
  }
  yield* linesOf(group);
}

/** Unchanged lines between two hunks. */
function gapBetween(one: PatchHunk, next: PatchHunk): number {
  return firstLine(next.newStart, next.newCount) - firstLine(one.newStart, one.newCount) - one.newCount;
}

/** An empty range names the line before it. */
function firstLine(start: number, count: number): number {
  return count === 0 ? start + 1 : start;
}

function* linesOf(hunks: readonly PatchHunk[]): Generator<UnifiedLine> {
  const [first, last] = [hunks[0], hunks.at(-1)];
  if (!first || !last) return;
  const before = first.before.slice(-CONTEXT_LINES_DEFAULT);
  const after = last.after.slice(0, CONTEXT_LINES_DEFAULT);
  const between = hunks.slice(1).map((hunk, index) => contextBetween(hunks[index] ?? hunk, hunk));
  const context = before.length + after.length + between.reduce((sum, { length }) => sum + length, 0);
  const range = (start: number, own: number, countOf: (hunk: PatchHunk) => number) => {
    const count = hunks.reduce((sum, hunk) => sum + countOf(hunk), context);
    const from = firstLine(start, own) - before.length;
    return count === 0 ? `${start},0` : count === 1 ? String(from) : `${from},${count}`;
  };
  const oldRange = range(first.oldStart, first.oldCount, ({ oldCount }) => oldCount);
  const newRange = range(first.newStart, first.newCount, ({ newCount }) => newCount);
  // A heading that stands in the lines of context need not be named.
  const heading = first.heading !== undefined && !before.some((line) => line.startsWith(first.heading ?? ""));
  yield { kind: "range", text: `-${oldRange} +${newRange}`, heading: (heading && first.heading) || null };
  yield* marked("same", before);
  for (const [index, { oldLines, newLines, noEnd }] of hunks.entries()) {
    yield* marked("old", oldLines);
    if (oldLines.length > 0 && (noEnd === "old" || noEnd === "both")) yield { kind: "no-end" };
    yield* marked("new", newLines);
    if (newLines.length > 0 && (noEnd === "new" || noEnd === "both")) yield { kind: "no-end" };
    yield* marked("same", between[index] ?? []);
  }
  yield* marked("same", after);
}

function contextBetween(one: PatchHunk, next: PatchHunk): readonly string[] {
  const gap = gapBetween(one, next);
  const begin = one.after.slice(0, gap);
  const rest = gap - begin.length;
  return rest === 0 ? begin : [...begin, ...next.before.slice(-rest)];
}

function* marked(kind: "same" | "old" | "new", lines: readonly string[]): Generator<UnifiedLine> {
  for (const text of lines) yield { kind, text };
}
