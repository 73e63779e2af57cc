import type { TreeEntry } from "./compare.ts";
import type { Vault } from "./vault.ts";

/** One place where two versions of a file differ: these lines of the old one became these of the new one. Lines count from 1. */
export interface Hunk {
  /** Unique among the hunks of one pair of versions. */
  readonly id: string;
  /** The line before the first one when nothing was removed. */
  readonly oldStart: number;
  readonly oldCount: number;
  readonly newStart: number;
  readonly newCount: number;
}

export interface ComparedFile {
  /** Lines with their ends, one character for each byte. */
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
  /** Null for a binary file, which can only be taken whole. */
  readonly hunks: readonly Hunk[] | null;
}

const LINK_MODE = "120000";

export async function compareFile(
  vault: Vault,
  before: TreeEntry | null,
  after: TreeEntry | null,
): Promise<ComparedFile> {
  const [oldText, newText] = await Promise.all([readBlob(vault, before), readBlob(vault, after)]);
  const lines = { oldLines: linesOf(oldText), newLines: linesOf(newText) };
  const isWhole = before === null || after === null || before.mode === LINK_MODE || after.mode === LINK_MODE;
  if (isWhole || isBinary(oldText) || isBinary(newText)) return { ...lines, hunks: null };
  if (before.id === after.id) return { ...lines, hunks: [] };
  const compare = ["diff", "--no-ext-diff", "--no-textconv", "--text", "--histogram", "--unified=0", "--no-color"];
  const patch = (await vault.git([...compare, before.id, after.id])).toString("latin1");
  return { ...lines, hunks: readHunks(patch, lines.oldLines.length, lines.newLines.length) };
}

/** The old version with the chosen hunks applied. With all of them it is the new version, with none the old one. */
export function applyHunks({ oldLines, newLines, hunks }: ComparedFile, isChosen: (hunk: Hunk) => boolean): string {
  const result: string[] = [];
  let next = 0;
  for (const hunk of hunks ?? []) {
    const from = firstIndex(hunk.oldStart, hunk.oldCount);
    for (; next < from; next++) result.push(oldLines[next] ?? "");
    const start = firstIndex(hunk.newStart, hunk.newCount);
    if (isChosen(hunk)) {
      result.push(...newLines.slice(start, start + hunk.newCount));
      next += hunk.oldCount;
    }
  }
  return [...result, ...oldLines.slice(next)].join("");
}

export async function writeBlob(vault: Vault, text: string): Promise<string> {
  const input = Buffer.from(text, "latin1");
  return (await vault.git(["hash-object", "-w", "--stdin"], { input })).toString().trim();
}

async function readBlob(vault: Vault, entry: TreeEntry | null): Promise<string> {
  return entry === null ? "" : (await vault.git(["cat-file", "blob", entry.id])).toString("latin1");
}

/** Git gives the line before for an empty range. */
function firstIndex(start: number, count: number): number {
  return count === 0 ? start : start - 1;
}

function linesOf(text: string): string[] {
  return text === "" ? [] : (text.match(/[^\n]*\n|[^\n]+$/g) ?? []);
}

const BINARY_LOOKED_AT_CHARACTERS = 8_000;

/** As Git decides it. */
function isBinary(text: string): boolean {
  return text.slice(0, BINARY_LOOKED_AT_CHARACTERS).includes("\0");
}

function readHunks(patch: string, oldTotal: number, newTotal: number): Hunk[] {
  const hunks: Hunk[] = [];
  const lines = patch.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const found = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(lines[at] ?? "");
    if (found === null) continue;
    const [, oldStart, oldCount = "1", newStart, newCount = "1"] = found;
    const hunk = {
      oldStart: Number(oldStart),
      oldCount: Number(oldCount),
      newStart: Number(newStart),
      newCount: Number(newCount),
    };
    // A removed or added line may itself look like a header: skip the lines of this hunk.
    at += hunk.oldCount + hunk.newCount;
    hunks.push({ id: `${hunk.oldStart},${hunk.oldCount}-${hunk.newStart},${hunk.newCount}`, ...hunk });
  }
  const isInside = ({ oldStart, oldCount, newStart, newCount }: Hunk) =>
    oldStart + Math.max(oldCount - 1, 0) <= oldTotal && newStart + Math.max(newCount - 1, 0) <= newTotal;
  if (!hunks.every(isInside)) throw new Error("the hunks do not fit the files");
  return hunks;
}
