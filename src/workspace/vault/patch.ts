import {
  CONTEXT_LINES_DEFAULT,
  type FilePatch,
  PATCH_BYTES_MAX,
  PATCH_LINES_MAX,
  type PatchHunk,
  WHOLE_PATCH_BYTES_MAX,
} from "../../protocol/changes.ts";
import { isSameEntry, type TreeEntry } from "./compare.ts";
import {
  blobBytes,
  COMPARED_BYTES_MAX,
  type ComparedFile,
  compareFile,
  firstIndex,
  type Hunk,
  hunksBetween,
  isLink,
  meets,
  readBlob,
} from "./hunks.ts";
import type { FileView } from "./review.ts";
import type { Vault } from "./vault.ts";

/** What differs in a file, for people. `whole`: with all of its lines, and also when it is large. */
export async function patchOf(
  vault: Vault,
  { from, to, reviewed }: Pick<FileView, "from" | "to" | "reviewed">,
  whole: boolean,
): Promise<FilePatch> {
  if (isLink(from) || isLink(to)) return { kind: "link", words: await linkWords(vault, from, to) };
  if (from !== null && to !== null && from.id === to.id)
    return { kind: "mode", words: isExecutable(to) ? "Made executable." : "No longer executable." };
  const file = await compareFile(vault, from, to);
  if (file.hunks === null) return { kind: "binary", words: await binaryWords(vault, from, to) };
  const isKept = await keptTest(vault, reviewed, to);
  if (whole) {
    const patch = textPatch(file, file.hunks, isKept, Number.POSITIVE_INFINITY);
    if (patch.bytes <= WHOLE_PATCH_BYTES_MAX) return { kind: "text", hunks: patch.hunks(), isWholeFile: true };
  }
  const patch = textPatch(file, file.hunks, isKept, CONTEXT_LINES_DEFAULT);
  const isSmall = patch.lines <= PATCH_LINES_MAX && patch.bytes <= PATCH_BYTES_MAX;
  if (isSmall || (whole && patch.bytes <= WHOLE_PATCH_BYTES_MAX))
    return { kind: "text", hunks: patch.hunks(), isWholeFile: false };
  return { kind: "too-large", lines: patch.lines, bytes: patch.bytes };
}

/** A place is kept when nothing in it differs from what was reviewed. */
async function keptTest(
  vault: Vault,
  reviewed: TreeEntry | null,
  to: TreeEntry | null,
): Promise<(hunk: Hunk) => boolean> {
  if (isSameEntry(reviewed, to)) return () => true;
  const unreviewed = reviewed && to ? await hunksBetween(vault, reviewed, to) : null;
  return (hunk) => unreviewed !== null && !unreviewed.some((other) => meets(other, hunk));
}

interface TextPatch {
  /** Only made when it is not too large. */
  readonly hunks: () => PatchHunk[];
  readonly lines: number;
  readonly bytes: number;
}

function textPatch(
  { oldLines, newLines }: ComparedFile,
  hunks: readonly Hunk[],
  isKept: (hunk: Hunk) => boolean,
  contextMax: number,
): TextPatch {
  // Where all lines end alike, the carriage return is a part of the end; else it is what the user has to see.
  const isCrlf = [...oldLines, ...newLines].every((line) => line.endsWith("\r\n") || !line.endsWith("\n"));
  const end = isCrlf ? /\r?\n$/ : /\n$/;
  let [lines, bytes] = [0, 0];
  const counted = (some: readonly string[]) => {
    lines += some.length;
    for (const line of some) bytes += line.length;
    return some;
  };
  const shown = (some: readonly string[]) =>
    some.map((line) => Buffer.from(line.replace(end, ""), "latin1").toString("utf8"));
  let next = 0;
  const pieces = hunks.map((hunk, index) => {
    const { oldStart, oldCount, newStart, newCount } = hunk;
    const start = firstIndex(newStart, newCount);
    const following = hunks[index + 1];
    const limit = following ? firstIndex(following.newStart, following.newCount) : newLines.length;
    // Lines between two hunks are given once.
    const from = Math.max(next, start - contextMax);
    const to = contextMax === Number.POSITIVE_INFINITY && following ? start + newCount : start + newCount + contextMax;
    next = Math.min(limit, to);
    const oldFrom = firstIndex(oldStart, oldCount);
    return {
      hunk,
      before: counted(newLines.slice(from, start)),
      removed: counted(oldLines.slice(oldFrom, oldFrom + oldCount)),
      added: counted(newLines.slice(start, start + newCount)),
      after: counted(newLines.slice(start + newCount, next)),
    };
  });
  const made = () =>
    pieces.map(({ hunk, before, removed, added, after }): PatchHunk => {
      const { id, oldStart, oldCount, newStart, newCount, heading } = hunk;
      const noEnd = noEndOf(removed, added);
      return {
        ...{ hunkId: id, oldStart, oldCount, newStart, newCount },
        isKept: isKept(hunk),
        ...{ before: shown(before), oldLines: shown(removed), newLines: shown(added), after: shown(after) },
        ...(noEnd && { noEnd }),
        ...(heading !== "" && { heading: Buffer.from(heading, "latin1").toString("utf8") }),
      };
    });
  return { hunks: made, lines, bytes };
}

function noEndOf(removed: readonly string[], added: readonly string[]): PatchHunk["noEnd"] {
  const isWithout = (lines: readonly string[]) => lines.length > 0 && !lines.at(-1)?.endsWith("\n");
  if (isWithout(removed)) return isWithout(added) ? "both" : "old";
  return isWithout(added) ? "new" : undefined;
}

const LINK_CHARS_MAX = 500;

async function linkWords(vault: Vault, from: TreeEntry | null, to: TreeEntry | null): Promise<string> {
  const side = async (entry: TreeEntry | null) => {
    if (entry === null) return "nothing";
    if (!isLink(entry)) return "a file";
    const target = Buffer.from(await readBlob(vault, entry), "latin1").toString("utf8");
    return `a link to ${target.slice(0, LINK_CHARS_MAX)}`;
  };
  const [before, after] = [await side(from), await side(to)];
  if (from === null) return `Added ${after}.`;
  return to === null ? `Deleted ${before}.` : `Was ${before}, now ${after}.`;
}

async function binaryWords(vault: Vault, from: TreeEntry | null, to: TreeEntry | null): Promise<string> {
  const [before, after] = await Promise.all([from, to].map((entry) => entry && blobBytes(vault, entry)));
  const isLarge = Math.max(before ?? 0, after ?? 0) > COMPARED_BYTES_MAX;
  const kind = isLarge ? "file too large to compare" : "binary file";
  const words = (bytes: number) => `${bytes.toLocaleString("en-US")} bytes`;
  if (before === null || before === undefined) return `Added a ${kind}, ${words(after ?? 0)}.`;
  if (after === null || after === undefined) return `Deleted a ${kind}, ${words(before)}.`;
  return `Changed a ${kind}: was ${words(before)}, now ${words(after)}.`;
}

function isExecutable({ mode }: TreeEntry): boolean {
  return mode === "100755";
}
