import {
  firstNewLine,
  type HunkLine,
  hunkKeys,
  hunkLines,
  isSameChange,
  rangeWords,
  separateHunks,
} from "../../presentation/hunk-lines.ts";
import type { FilePatch, PatchHunk, ReviewDecision, ReviewedFile } from "../../protocol/changes.ts";

export type Verdict = "open" | "kept" | "discarded";

/** A hunk that was decided about while the view was open and is no longer among the changes. */
export interface SettledHunk {
  readonly hunk: PatchHunk;
  readonly verdict: "kept" | "discarded";
  /** Undoes it; null when it could not be distinguished from another decision of the same moment. */
  readonly undoId: string | null;
}

/** What has been decided about one file while the view was open. */
export interface SettledFile {
  /** As it was listed before. */
  readonly file: ReviewedFile;
  readonly hunks: readonly SettledHunk[];
  /** The last decision about all of it. */
  readonly whole: { readonly verdict: "kept" | "discarded"; readonly undoId: string | null } | null;
}

/** The hunks of a file as far as they are known. */
export interface LoadedPatch {
  readonly patch: FilePatch;
  readonly version: string;
  readonly whole: boolean;
}

export interface ShownHunk {
  readonly key: string;
  readonly hunk: PatchHunk;
  readonly lines: readonly HunkLine[];
  /** "Lines 8–16". */
  readonly range: string;
  readonly verdict: Verdict;
  readonly undoId: string | null;
}

export interface ShownFile {
  readonly file: ReviewedFile;
  /** No longer among the changes: all of it was decided about while the view was open. */
  readonly isSettled: boolean;
  readonly loaded: LoadedPatch | null;
  /** Why its hunks could not be fetched. */
  readonly trouble: string | null;
  readonly hunks: readonly ShownHunk[];
  readonly whole: SettledFile["whole"];
}

export interface FileParts {
  readonly file: ReviewedFile;
  readonly isSettled: boolean;
  readonly loaded: LoadedPatch | null;
  readonly trouble: string | null;
  readonly settled: SettledFile | null;
  /** Decisions that can be taken back, newest first. */
  readonly decisions: readonly ReviewDecision[];
}

/** One file as it is shown: its hunks, with those that were decided about in their old places. Pure. */
export function shownFile({ file, isSettled, loaded, trouble, settled, decisions }: FileParts): ShownFile {
  const current = loaded?.patch.kind === "text" ? loaded.patch.hunks : [];
  const keptBefore = decisions.filter(({ kind, path, files }) => kind === "keep" && path === file.path && files === 1);
  // After a refresh it is unknown which decision kept which hunk, unless there is only one.
  const keptUndo = keptBefore.length === 1 ? (keptBefore[0]?.undoId ?? null) : null;
  const decided = settled?.hunks ?? [];
  // Ids contain positions, which change: a hunk is identified by its change and its position on at least one side.
  const isThis = (hunk: PatchHunk) => (one: SettledHunk) =>
    isSameChange(one.hunk, hunk) && (one.hunk.oldStart === hunk.oldStart || one.hunk.newStart === hunk.newStart);
  const shown = current.map((hunk): SettledHunk | OpenHunk =>
    hunk.isKept
      ? { hunk, verdict: "kept", undoId: decided.find(isThis(hunk))?.undoId ?? keptUndo }
      : { hunk, verdict: "open", undoId: null },
  );
  const gone = decided.filter((one) => !current.some((hunk) => isThis(hunk)(one)));
  const all = [...shown, ...gone].sort((a, b) => firstNewLine(a.hunk) - firstNewLine(b.hunk));
  const separate = separateHunks(
    all.map(({ hunk }) => hunk),
    (hunk, at) => (all[at]?.verdict === "discarded" ? hunk.oldCount : hunk.newCount),
  );
  const keys = hunkKeys(separate);
  const hunks = all.map(({ hunk, verdict, undoId }, at): ShownHunk => {
    const lines = hunkLines(separate[at] ?? hunk);
    const key = keys[at] ?? String(at);
    return { key, hunk: separate[at] ?? hunk, lines, range: rangeWords(lines), verdict, undoId };
  });
  return { file, isSettled, loaded, trouble, hunks, whole: settled?.whole ?? null };
}

interface OpenHunk {
  readonly hunk: PatchHunk;
  readonly verdict: "open";
  readonly undoId: null;
}

/**
 * Adds a hunk that was just decided about. What was settled further down moves with the lines: a discard takes the new
 * lines back, and a keep makes the new lines those that others are compared with.
 */
export function settleHunk(settled: readonly SettledHunk[], added: SettledHunk): readonly SettledHunk[] {
  const grown = added.hunk.newCount - added.hunk.oldCount;
  const place = firstNewLine(added.hunk);
  const moved = settled.map((one): SettledHunk => {
    if (firstNewLine(one.hunk) <= place) return one;
    const { hunk } = one;
    return added.verdict === "discarded"
      ? { ...one, hunk: { ...hunk, newStart: hunk.newStart - grown } }
      : { ...one, hunk: { ...hunk, oldStart: hunk.oldStart + grown } };
  });
  return [...moved, added];
}

/** The files of the view in the order of their paths: those that changed, and those that were settled meanwhile. */
export function withSettled(
  files: readonly ReviewedFile[],
  settled: Iterable<SettledFile>,
): readonly { readonly file: ReviewedFile; readonly isSettled: boolean }[] {
  const listed = new Set(files.map(({ path }) => path));
  const all = files.map((file) => ({ file, isSettled: false }));
  for (const { file } of settled) {
    if (listed.has(file.path)) continue;
    const at = all.findIndex((one) => one.file.path > file.path);
    all.splice(at === -1 ? all.length : at, 0, { file, isSettled: true });
  }
  return all;
}

/** The focus target: a hunk by its key, or the first or last one of a file whose hunks have not loaded. */
export interface HunkPlace {
  readonly path: string;
  readonly key: string;
}
export const FIRST = "first";
export const LAST = "last";

/** The hunk at a place; undefined while it is not known. */
export function hunkAt(files: readonly ShownFile[], place: HunkPlace | null): ShownHunk | undefined {
  const hunks = files.find(({ file }) => file.path === place?.path)?.hunks;
  if (place?.key === FIRST) return hunks?.[0];
  if (place?.key === LAST) return hunks?.at(-1);
  return hunks?.find(({ key }) => key === place?.key);
}

/** The next or previous hunk, across files; of a file that is not loaded, its first or last one. Null at the end. */
export function stepHunk(
  files: readonly ShownFile[],
  place: HunkPlace | null,
  by: 1 | -1,
  isWanted: (hunk: ShownHunk) => boolean = () => true,
): HunkPlace | null {
  const at = files.findIndex(({ file }) => file.path === place?.path);
  const here = files[at];
  if (place === null || here === undefined) {
    const first = files[0];
    return first === undefined ? null : { path: first.file.path, key: FIRST };
  }
  const index = here.hunks.findIndex(({ key }) => key === hunkAt(files, place)?.key);
  const rest = by === 1 ? here.hunks.slice(index + 1) : here.hunks.slice(0, Math.max(0, index)).reverse();
  const inside = rest.find(isWanted);
  if (inside !== undefined) return { path: here.file.path, key: inside.key };
  const others = by === 1 ? files.slice(at + 1) : files.slice(0, at).reverse();
  for (const { file, loaded, hunks } of others) {
    if (loaded === null || hunks.length === 0) return { path: file.path, key: by === 1 ? FIRST : LAST };
    const found = by === 1 ? hunks.find(isWanted) : hunks.findLast(isWanted);
    if (found !== undefined) return { path: file.path, key: found.key };
  }
  return null;
}

export function stepFile(files: readonly ShownFile[], place: HunkPlace | null, by: 1 | -1): HunkPlace | null {
  const at = files.findIndex(({ file }) => file.path === place?.path);
  const next = files[at === -1 ? 0 : at + by];
  return next === undefined ? null : { path: next.file.path, key: FIRST };
}
