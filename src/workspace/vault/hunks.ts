import type { TreeEntry } from "./compare.ts";
import type { Vault } from "./vault.ts";

/** One place where two versions of a file differ: these lines of the old one became these of the new one. Lines count from 1. */
export interface Hunk {
  /** Names the two versions and the place, so an id of other versions is never taken for one of these. */
  readonly id: string;
  /** The line before the first one when nothing was removed. */
  readonly oldStart: number;
  readonly oldCount: number;
  readonly newStart: number;
  readonly newCount: number;
  /** The function or heading it is in, as Git finds it; one character for each byte. */
  readonly heading: string;
}

export interface ComparedFile {
  /** Lines with their ends, one character for each byte. */
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
  /** Null for a file without lines, which can only be taken whole: a binary one, a link, one that is too large. */
  readonly hunks: readonly Hunk[] | null;
}

const LINK_MODE = "120000";
/** Larger files are taken whole, like binary ones. */
export const COMPARED_BYTES_MAX = 8 * 1024 * 1024;
const NO_LINES: ComparedFile = { oldLines: [], newLines: [], hunks: null };

export function isLink(entry: TreeEntry | null): boolean {
  return entry?.mode === LINK_MODE;
}

/** A file that was added or deleted has one hunk with all of its lines. */
export async function compareFile(
  vault: Vault,
  before: TreeEntry | null,
  after: TreeEntry | null,
): Promise<ComparedFile> {
  if (before !== null && after !== null) {
    const hunks = await hunksBetween(vault, before, after);
    if (hunks === null) return NO_LINES;
    const [oldText, newText] = await Promise.all([readBlob(vault, before), readBlob(vault, after)]);
    return { oldLines: linesOf(oldText), newLines: linesOf(newText), hunks };
  }
  const entry = before ?? after;
  if (entry === null || isLink(entry) || (await blobBytes(vault, entry)) > COMPARED_BYTES_MAX) return NO_LINES;
  const text = await readBlob(vault, entry);
  if (isBinary(text)) return NO_LINES;
  const lines = linesOf(text);
  const [oldCount, newCount] = before === null ? [0, lines.length] : [lines.length, 0];
  const place = { oldStart: Math.min(oldCount, 1), oldCount, newStart: Math.min(newCount, 1), newCount };
  const hunks = lines.length === 0 ? [] : [{ id: hunkId(before, after, place), ...place, heading: "" }];
  return { oldLines: before === null ? [] : lines, newLines: after === null ? [] : lines, hunks };
}

const CACHED_FILES_MAX = 2_000;
/** Objects never change, so neither does what differs between two of them. */
const cache = new Map<string, readonly Hunk[] | null>();

/** Where two versions of a file differ; null when they have no lines to compare. */
export async function hunksBetween(
  vault: Vault,
  before: TreeEntry,
  after: TreeEntry,
  algorithm: "histogram" | "myers" = "histogram",
): Promise<readonly Hunk[] | null> {
  if (isLink(before) || isLink(after)) return null;
  if (before.id === after.id) return [];
  const key = `${before.id} ${after.id} ${algorithm}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const limit = ["-c", `core.bigFileThreshold=${COMPARED_BYTES_MAX}`];
  const compare = [
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    `--diff-algorithm=${algorithm}`,
    "--unified=0",
    "--no-color",
  ];
  const patch = (await vault.git([...limit, ...compare, before.id, after.id])).toString("latin1");
  const hunks = /^Binary files .* differ$/m.test(headOf(patch)) ? null : readHunks(patch, before, after);
  const [oldest] = cache.keys();
  if (cache.size >= CACHED_FILES_MAX && oldest !== undefined) cache.delete(oldest);
  cache.set(key, hunks);
  return hunks;
}

/** Whether two places in the same new version have a line in common, or lie side by side. */
export function meets(one: Hunk, other: Hunk): boolean {
  const [start, otherStart] = [firstIndex(one.newStart, one.newCount), firstIndex(other.newStart, other.newCount)];
  return start <= otherStart + other.newCount && otherStart <= start + one.newCount;
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

/** One character for each byte. */
export async function readBlob(vault: Vault, { id }: TreeEntry): Promise<string> {
  return (await vault.git(["cat-file", "blob", id])).toString("latin1");
}

export async function blobBytes(vault: Vault, { id }: TreeEntry): Promise<number> {
  return Number((await vault.git(["cat-file", "-s", id])).toString());
}

/** Git gives the line before for an empty range. */
export function firstIndex(start: number, count: number): number {
  return count === 0 ? start : start - 1;
}

export function linesOf(text: string): string[] {
  return text === "" ? [] : (text.match(/[^\n]*\n|[^\n]+$/g) ?? []);
}

const BINARY_LOOKED_AT_CHARACTERS = 8_000;

/** As Git decides it. */
function isBinary(text: string): boolean {
  return text.slice(0, BINARY_LOOKED_AT_CHARACTERS).includes("\0");
}

type Place = Omit<Hunk, "id" | "heading">;
const ID_CHARACTERS = 12;

function hunkId(before: TreeEntry | null, after: TreeEntry | null, place: Place): string {
  const versions = [before, after].map((entry) => entry?.id.slice(0, ID_CHARACTERS) ?? "none").join(".");
  return `${versions}.${place.oldStart},${place.oldCount}-${place.newStart},${place.newCount}`;
}

/** What comes before the first hunk. */
function headOf(patch: string): string {
  const end = patch.indexOf("\n@@ ");
  return end === -1 ? patch : patch.slice(0, end);
}

const HUNK_HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?([^\n]*)$/;

function readHunks(patch: string, before: TreeEntry, after: TreeEntry): Hunk[] {
  const hunks: Hunk[] = [];
  const lines = patch.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const found = HUNK_HEADER.exec(lines[at] ?? "");
    if (found === null) continue;
    const [, oldStart, oldCount = "1", newStart, newCount = "1", heading = ""] = found;
    const place: Place = {
      oldStart: Number(oldStart),
      oldCount: Number(oldCount),
      newStart: Number(newStart),
      newCount: Number(newCount),
    };
    // A removed or added line may itself look like a header: skip the lines of this hunk.
    at += place.oldCount + place.newCount;
    hunks.push({ id: hunkId(before, after, place), ...place, heading });
  }
  return hunks;
}
