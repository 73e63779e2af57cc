import { diffWordsWithSpace } from "diff";

export interface WordPiece {
  readonly text: string;
  readonly isChanged: boolean;
}

export interface WordDiff {
  readonly before: readonly WordPiece[];
  readonly after: readonly WordPiece[];
}

/** Longer lines are generated code: nobody looks for a word in them. */
const LINE_CHARS_MAX = 1_000;
/** With less than this in common, two lines are not one that was changed. */
const COMMON_SHARE_MIN = 0.35;

/** What changed inside a line; null when the two have too little in common for that to say anything. */
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
