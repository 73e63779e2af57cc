import { diffArrays, diffWordsWithSpace } from "diff";
import type { CodeToken } from "./tokenize-code.ts";

/** A line of a unified diff with its numbers on both sides. */
export interface DiffLine {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
  readonly oldNumber: number | null;
  readonly newNumber: number | null;
  /** The line in pieces, if it replaces a similar one. */
  readonly words?: readonly WordPiece[];
  /** The highlighted line, once known. */
  readonly tokens?: readonly CodeToken[];
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
  /** The numbers are those of the file; otherwise they count the lines of the texts. */
  readonly isPlaced: boolean;
}

const CONTEXT_LINES = 3;
/** Folding away fewer lines than this would save no room. */
const FOLD_LINES_MIN = 4;
/** Texts that differ by more are shown as all old, then all new: correct, fast, and unreadable line by line anyway. */
const EDITS_MAX = 600;
/** The same for background work. */
export const EDITS_MAX_IN_WORKER = 1_500;
/** Limit of lines compared word by word. */
const WORD_PAIRS_MAX = 500;

type Edit = "same" | "added" | "removed";

/** Old text to new text, line by line; null means a missing file. Without `firstLine` the position is unknown. */
export function diffLines(oldText: string | null, newText: string, firstLine?: number, editsMax = EDITS_MAX): LineDiff {
  const before = linesOf(oldText ?? "");
  const after = linesOf(newText);
  const lines = markWords(numberLines(editsBetween(before, after, editsMax), before, after, firstLine ?? 1));
  return {
    rows: foldUnchanged(lines),
    added: lines.filter(({ kind }) => kind === "added").length,
    removed: lines.filter(({ kind }) => kind === "removed").length,
    isPlaced: firstLine !== undefined,
  };
}

function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** The library compares; with too many differences the result is all old, then all new. */
function editsBetween(before: readonly string[], after: readonly string[], editsMax: number): Edit[] {
  const changes = diffArrays([...before], [...after], { maxEditLength: editsMax });
  if (changes === undefined) return [...repeat("removed", before.length), ...repeat("added", after.length)];
  return changes.flatMap(({ added, removed, count }) => repeat(added ? "added" : removed ? "removed" : "same", count));
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

/** Removed lines and their replacements, in pairs. */
function markWords(lines: readonly DiffLine[]): DiffLine[] {
  const marked = [...lines];
  let pairs = 0;
  for (const { removed, added } of replacements(lines)) {
    for (let offset = 0; offset < Math.min(removed.length, added.length); offset += 1) {
      pairs += 1;
      if (pairs > WORD_PAIRS_MAX) return marked;
      const [oldAt, newAt] = [removed.from + offset, added.from + offset];
      const [oldLine, newLine] = [lines[oldAt], lines[newAt]];
      const words = oldLine && newLine ? wordDiff(oldLine.text, newLine.text) : null;
      if (!words || !oldLine || !newLine) continue;
      marked[oldAt] = { ...oldLine, words: words.before };
      marked[newAt] = { ...newLine, words: words.after };
    }
  }
  return marked;
}

interface Run {
  readonly from: number;
  readonly length: number;
}

/** Runs of removed lines directly followed by added ones. */
function replacements(lines: readonly DiffLine[]): { readonly removed: Run; readonly added: Run }[] {
  const found: { removed: Run; added: Run }[] = [];
  let at = 0;
  while (at < lines.length) {
    const removed = runAt(lines, at, "removed");
    const added = runAt(lines, at + removed.length, "added");
    if (removed.length > 0 && added.length > 0) found.push({ removed, added });
    at += Math.max(1, removed.length + added.length);
  }
  return found;
}

function runAt(lines: readonly DiffLine[], from: number, kind: Edit): Run {
  let to = from;
  while (lines[to]?.kind === kind) to += 1;
  return { from, length: to - from };
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

interface WordPiece {
  readonly text: string;
  readonly isChanged: boolean;
}

interface WordDiff {
  readonly before: readonly WordPiece[];
  readonly after: readonly WordPiece[];
}

/** Longer lines are generated code. */
const LINE_CHARS_MAX = 1_000;
/** With less than this in common, two lines are unrelated. */
const COMMON_SHARE_MIN = 0.35;

/** What changed inside a line; null if the two have too little in common. */
export function wordDiff(before: string, after: string): WordDiff | null {
  if (before.length > LINE_CHARS_MAX || after.length > LINE_CHARS_MAX) return null;
  const changes = diffWordsWithSpace(before, after);
  const common = changes.reduce(
    (chars, { added, removed, value }) => (added || removed ? chars : chars + value.trim().length),
    0,
  );
  if (common < Math.max(before.trim().length, after.trim().length) * COMMON_SHARE_MIN) return null;
  const side = (other: "added" | "removed"): WordPiece[] =>
    changes.flatMap((change) =>
      change[other] ? [] : [{ text: change.value, isChanged: change.added || change.removed }],
    );
  return { before: side("added"), after: side("removed") };
}
