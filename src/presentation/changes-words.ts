import type { ChangeCounts, ChangedFile, FileStatus, LeftOutFile } from "../protocol/changes.ts";
import type { ChangesEntry } from "../protocol/entry.ts";

/** What happened to a file, as one letter. */
export const STATUS_LETTERS: Readonly<Record<FileStatus, string>> = { added: "A", modified: "M", deleted: "D" };

/** "1 file", "1,204 files". */
export function filesWords(count: number): string {
  return `${count.toLocaleString("en")} ${count === 1 ? "file" : "files"}`;
}

/** The two sides of a difference, without one that is nothing; none for what has no lines. */
export function lineSides({ added, removed }: Pick<ChangedFile, "added" | "removed">): readonly LineSide[] {
  return [
    ...(added === null || added === 0 ? [] : [{ kind: "add", words: `+${added.toLocaleString("en")}` } as const]),
    ...(removed === null || removed === 0 ? [] : [{ kind: "del", words: `−${removed.toLocaleString("en")}` } as const]),
  ];
}

interface LineSide {
  readonly kind: "add" | "del";
  readonly words: string;
}

/** The same for screen readers. */
export function spokenCounts({ files, added, removed }: ChangeCounts): string {
  return `${filesWords(files)} changed, ${added.toLocaleString("en")} lines added, ${removed.toLocaleString("en")} removed`;
}

const LEFT_OUT_WORDS: Readonly<Record<LeftOutFile["reason"], string>> = {
  "too large": "too large for a checkpoint",
  "too much": "over the size limit of one checkpoint",
  "not a file": "not a regular file",
  unreadable: "could not be read",
  "too many repositories": "too many nested repositories",
  ignored: "ignored by Git, never stored",
  filtered: "changed by a Git filter; changes before the first turn are not shown",
};

/** Why a checkpoint does not hold a file. */
export function leftOutWords(reason: LeftOutFile["reason"]): string {
  return LEFT_OUT_WORDS[reason];
}

/** A note about a turn's changes: a name for the line, and an explanation for the expanded list. */
interface ChangesMark {
  readonly name: string;
  readonly words: string;
}

export function changesMarks({ late, shared, leftOut = [] }: ChangesEntry): readonly ChangesMark[] {
  return [
    ...(late
      ? [
          {
            name: "taken late",
            words:
              "Taken late: a checkpoint was not stored in time. Changes made before it, or after the turn, may be missing or included here.",
          },
        ]
      : []),
    ...(shared
      ? [
          {
            name: "shared",
            words: "Another session worked here too. Some of these changes may be its work.",
          },
        ]
      : []),
    ...(leftOut.length > 0
      ? [
          {
            name: `${leftOut.length} left out`,
            words: `${filesWords(leftOut.length)} not in the checkpoint. They are neither restored nor deleted.`,
          },
        ]
      : []),
  ];
}
