/** A line of a unified diff with its numbers on both sides. */
export interface DiffLine {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
  readonly oldNumber: number | null;
  readonly newNumber: number | null;
}

/** A run of unchanged lines that is not shown. */
export interface DiffFold {
  readonly kind: "fold";
  readonly lines: readonly DiffLine[];
}

export interface LineDiff {
  readonly rows: readonly (DiffLine | DiffFold)[];
  readonly added: number;
  readonly removed: number;
}

const CONTEXT_LINES = 3;
/** Folding away fewer lines than this would save no room. */
const FOLD_LINES_MIN = 4;
/** Texts that differ by more are shown as all old, then all new: true, quick, and nobody reads more than that line by line. */
const EDITS_MAX = 300;

type Edit = "same" | "added" | "removed";

/** Old text to new text, line by line; null stands for a file that was not there. */
export function diffLines(oldText: string | null, newText: string, firstLine = 1): LineDiff {
  const before = linesOf(oldText ?? "");
  const after = linesOf(newText);
  const lines = numberLines(editsBetween(before, after), before, after, firstLine);
  return {
    rows: foldUnchanged(lines),
    added: lines.filter(({ kind }) => kind === "added").length,
    removed: lines.filter(({ kind }) => kind === "removed").length,
  };
}

function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function editsBetween(before: readonly string[], after: readonly string[]): Edit[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const oldMiddle = before.slice(start, before.length - end);
  const newMiddle = after.slice(start, after.length - end);
  return [...repeat("same", start), ...shortestEdits(oldMiddle, newMiddle), ...repeat("same", end)];
}

/** Myers' greedy search: the furthest reaching path on each diagonal, for one more edit at a time. */
function shortestEdits(before: readonly string[], after: readonly string[]): Edit[] {
  const editsMax = Math.min(before.length + after.length, EDITS_MAX);
  const reach = new Map<number, number>([[1, 0]]);
  const history: Map<number, number>[] = [];
  for (let edits = 0; edits <= editsMax; edits += 1) {
    history.push(new Map(reach));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = isDown(reach, diagonal, edits) ? (reach.get(diagonal + 1) ?? 0) : (reach.get(diagonal - 1) ?? 0) + 1;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1;
      reach.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length) return walkBack(history, before.length, after.length);
    }
  }
  return [...repeat("removed", before.length), ...repeat("added", after.length)];
}

function isDown(reach: ReadonlyMap<number, number>, diagonal: number, edits: number): boolean {
  if (diagonal === -edits) return true;
  return diagonal !== edits && (reach.get(diagonal - 1) ?? 0) < (reach.get(diagonal + 1) ?? 0);
}

function walkBack(history: readonly ReadonlyMap<number, number>[], oldLength: number, newLength: number): Edit[] {
  const edits: Edit[] = [];
  let x = oldLength;
  let y = newLength;
  for (let step = history.length - 1; step >= 0; step -= 1) {
    const reach = history[step] ?? new Map<number, number>();
    const diagonal = x - y;
    const down = isDown(reach, diagonal, step);
    const fromX = reach.get(down ? diagonal + 1 : diagonal - 1) ?? 0;
    const unchangedFrom = step === 0 ? 0 : fromX + (down ? 0 : 1);
    edits.push(...repeat("same", x - unchangedFrom));
    if (step > 0) edits.push(down ? "added" : "removed");
    x = fromX;
    y = fromX - (down ? diagonal + 1 : diagonal - 1);
  }
  return edits.reverse();
}

function numberLines(edits: readonly Edit[], before: readonly string[], after: readonly string[], firstLine: number) {
  let oldIndex = 0;
  let newIndex = 0;
  return edits.map((kind): DiffLine => {
    const text = (kind === "added" ? after[newIndex] : before[oldIndex]) ?? "";
    const oldNumber = kind === "added" ? null : firstLine + oldIndex++;
    const newNumber = kind === "removed" ? null : firstLine + newIndex++;
    return { kind, text, oldNumber, newNumber };
  });
}

function foldUnchanged(lines: readonly DiffLine[]): (DiffLine | DiffFold)[] {
  const isNear = lines.map(() => false);
  for (const [index, line] of lines.entries()) {
    if (line.kind !== "same") isNear.fill(true, Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1);
  }
  const rows: (DiffLine | DiffFold)[] = [];
  let folded: DiffLine[] = [];
  const unfold = () => {
    if (folded.length >= FOLD_LINES_MIN) rows.push({ kind: "fold", lines: folded });
    else rows.push(...folded);
    folded = [];
  };
  for (const [index, line] of lines.entries()) {
    if (isNear[index]) {
      unfold();
      rows.push(line);
    } else folded.push(line);
  }
  unfold();
  return rows;
}

function repeat(edit: Edit, count: number): Edit[] {
  return Array.from({ length: count }, () => edit);
}
