const CONTEXT_LINES = 3;

export interface ChangedLine {
  readonly mark: "+" | "-" | " ";
  readonly text: string;
}

/** What changed between two texts: what they begin and end with alike is left out, but for a little around. */
export function changedLines(oldText: string | null, newText: string): readonly ChangedLine[] {
  const before = linesOf(oldText ?? "");
  const after = linesOf(newText);
  const start = sameFromStart(before, after);
  const end = sameFromEnd(before, after, start);
  const lines = (mark: ChangedLine["mark"], texts: readonly string[]) => texts.map((text) => ({ mark, text }));
  return [
    ...lines(" ", after.slice(Math.max(0, start - CONTEXT_LINES), start)),
    ...lines("-", before.slice(start, before.length - end)),
    ...lines("+", after.slice(start, after.length - end)),
    ...lines(" ", after.slice(after.length - end, after.length - end + CONTEXT_LINES)),
  ];
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function sameFromStart(one: readonly string[], other: readonly string[]): number {
  let count = 0;
  while (count < one.length && count < other.length && one[count] === other[count]) count++;
  return count;
}

function sameFromEnd(one: readonly string[], other: readonly string[], start: number): number {
  const most = Math.min(one.length, other.length) - start;
  let count = 0;
  while (count < most && one[one.length - 1 - count] === other[other.length - 1 - count]) count++;
  return count;
}
