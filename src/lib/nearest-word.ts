const WORD_CHARS_MAX = 60;

/** The known word that a mistyped one probably means; null when none is close. */
export function nearestWord(typed: string, known: Iterable<string>): string | null {
  if (typed.length > WORD_CHARS_MAX) return null;
  const changesMax = Math.max(1, Math.floor(typed.length / 3));
  let best: { readonly word: string; readonly changes: number } | null = null;
  for (const word of known) {
    const changes = editDistance(typed.toLowerCase(), word.toLowerCase());
    if (changes <= changesMax && changes < word.length && (best === null || changes < best.changes))
      best = { word, changes };
  }
  return best?.word ?? null;
}

/** Letters that have to be inserted, removed, replaced or swapped with their neighbour. */
function editDistance(one: string, other: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[other.length] ?? 0;
}
