import { type RawPath, shownPath } from "../git/raw-path.ts";
import { GitError } from "../git/run-git.ts";
import { type CountedChange, changedFiles, compareScans, isSameEntry, type TreeEntry } from "./compare.ts";
import { applyHunks, compareFile, type Hunk, hunksBetween, meets, writeBlob } from "./hunks.ts";
import { reviewedAfterEdits } from "./merge.ts";
import { type PlacedEntry, scanWith, WorkdirChangedError } from "./move.ts";
import type { Scan } from "./scan.ts";
import type { Vault } from "./vault.ts";

/** What a decision is about: a whole file, or some places in it. */
export interface ReviewItem {
  /** From the directory of the vault. */
  readonly path: RawPath;
  /** Of the hunks from `from` to the present file. */
  readonly hunkIds?: readonly string[] | undefined;
}

/** What the user looks at, and what has been reviewed of it. */
export interface ReviewStates {
  readonly from: Scan;
  /** The present files, or those after a turn. */
  readonly to: Scan;
  readonly reviewed: Scan;
  readonly current: Scan;
  /** Decisions are about what one turn changed, and leave alone what others changed in the same file. */
  readonly isTurn: boolean;
}

/** `moved-on`: it changed after `to`, so it is decided about elsewhere. */
export type ReviewMark = "open" | "kept" | "moved-on";

export interface ScopeFile extends CountedChange {
  readonly mark: ReviewMark;
  /** The file as it is now. */
  readonly current: TreeEntry | null;
}

/** The files that differ in what the user looks at. */
export async function listFiles(vault: Vault, states: ReviewStates): Promise<ScopeFile[]> {
  const views = await viewFiles(vault, states);
  const files: ScopeFile[] = [];
  for (const change of await compareScans(vault, states.from, states.to)) {
    const view = views.get(change.path);
    if (view) files.push({ ...change, mark: await markOf(vault, view), current: view.current });
  }
  return files;
}

/** A file in all states that matter for a decision about it. */
export interface FileView {
  readonly path: RawPath;
  readonly part: RawPath;
  readonly file: RawPath;
  readonly from: TreeEntry | null;
  readonly to: TreeEntry | null;
  readonly reviewed: TreeEntry | null;
  readonly current: TreeEntry | null;
  readonly isMovedOn: boolean;
}

export async function viewFiles(
  vault: Vault,
  { from, to, reviewed, current }: ReviewStates,
): Promise<Map<RawPath, FileView>> {
  const since = to === current ? null : await changedFiles(vault, to, current);
  const open = await changedFiles(vault, reviewed, current);
  const notHeld = new Set(current.leftOut.map(({ path }) => path));
  const views = new Map<RawPath, FileView>();
  for (const change of (await changedFiles(vault, from, to)).values()) {
    const { path, part, file, before, after } = change;
    const later = since?.get(path);
    const now = later === undefined ? after : later.after;
    const isOpen = open.get(path);
    views.set(path, {
      ...{ path, part, file, from: before, to: after, current: now },
      reviewed: isOpen === undefined ? now : isOpen.before,
      isMovedOn: later !== undefined || notHeld.has(path),
    });
  }
  return views;
}

async function markOf(vault: Vault, view: FileView): Promise<ReviewMark> {
  if (view.isMovedOn) return "moved-on";
  if (isSameEntry(view.reviewed, view.current)) return "kept";
  if (isSameEntry(view.reviewed, view.from)) return "open";
  const { from, current, reviewed } = view;
  if (from === null || current === null || reviewed === null) return "open";
  const hunks = await hunksBetween(vault, from, current);
  const unreviewed = await hunksBetween(vault, reviewed, current);
  if (hunks === null || unreviewed === null) return "open";
  const isOpen = hunks.some((hunk) => unreviewed.some((other) => meets(hunk, other)));
  return isOpen || (reviewed.mode !== current.mode && from.mode !== current.mode) ? "open" : "kept";
}

export interface ReviewPlan {
  readonly reviewed: Scan;
  /** What the files are to become; the present state when no file is touched. */
  readonly target: Scan;
}

/**
 * What a decision leads to. `keep` takes changes over into the reviewed state, `discard` takes them back in the files.
 * Without items it is about everything that is open. `seen` are the states that the user decided upon: when a file of
 * the decision differs now, nothing is decided.
 */
export async function planDecision(
  vault: Vault,
  kind: "keep" | "discard",
  states: ReviewStates,
  {
    items,
    seen,
  }: { readonly items: readonly ReviewItem[] | null; readonly seen: Pick<ReviewStates, "reviewed" | "current"> },
): Promise<ReviewPlan> {
  const views = await viewFiles(vault, states);
  const changedSince = new Set([
    ...(await changedFiles(vault, seen.current, states.current)).keys(),
    ...(await changedFiles(vault, seen.reviewed, states.reviewed)).keys(),
  ]);
  const outdated =
    items === null
      ? [...changedSince].filter((path) => !states.isTurn || views.has(path))
      : items.map(({ path }) => path).filter((path) => changedSince.has(path));
  if (outdated.length > 0) throw new WorkdirChangedError(outdated);
  const entries: PlacedEntry[] = [];
  for (const { view, hunkIds } of await chosenOf(vault, views, items)) {
    if (kind === "discard" && !states.current.parts.some(({ path }) => path === view.part))
      throw new GitError(
        `${shownPath(view.part)} was a repository of its own and is gone. Clone it again, then repeat.`,
      );
    const decided = kind === "keep" ? keptEntry : discardedEntry;
    const entry = await decided(vault, view, hunkIds, states.isTurn);
    const isNothing = isSameEntry(entry, kind === "keep" ? view.reviewed : view.current);
    // Another client has decided about it meanwhile.
    if (isNothing && items !== null) throw new WorkdirChangedError([view.path]);
    if (!isNothing) entries.push({ part: view.part, file: view.file, entry });
  }
  if (kind === "keep") return { reviewed: await scanWith(vault, states.reviewed, entries), target: states.current };
  const target = await scanWith(vault, states.current, entries);
  const edit = { before: states.current, after: target };
  return { reviewed: await reviewedAfterEdits(vault, states.reviewed, edit), target };
}

interface Chosen {
  readonly view: FileView;
  readonly hunkIds: readonly string[] | undefined;
}

async function chosenOf(
  vault: Vault,
  views: ReadonlyMap<RawPath, FileView>,
  items: readonly ReviewItem[] | null,
): Promise<Chosen[]> {
  const chosen: Chosen[] = [];
  if (items === null) {
    for (const view of views.values())
      if ((await markOf(vault, view)) === "open") chosen.push({ view, hunkIds: undefined });
    return chosen;
  }
  for (const { path, hunkIds } of items) {
    const view = views.get(path);
    if (view === undefined || view.isMovedOn) throw new WorkdirChangedError([path]);
    chosen.push({ view, hunkIds });
  }
  return chosen;
}

/** What the reviewed state has of a file once the chosen places are accepted. */
async function keptEntry(
  vault: Vault,
  view: FileView,
  hunkIds: readonly string[] | undefined,
  isTurn: boolean,
): Promise<TreeEntry | null> {
  const { from, reviewed, current } = view;
  if (hunkIds === undefined && !isTurn) return current;
  const hunks = await chosenHunks(vault, view, hunkIds);
  if (hunks === null || from === null || current === null) return current;
  const start = reviewed ?? from;
  const file = await compareFile(vault, start, current);
  if (file.hunks === null) return current;
  const isTaken = (hunk: Hunk) => hunks.some((chosen) => meets(chosen, hunk));
  if (file.hunks.every(isTaken)) return current;
  return { mode: start.mode, id: await writeBlob(vault, applyHunks(file, isTaken)) };
}

/** What a file becomes once the chosen places are taken back. */
async function discardedEntry(
  vault: Vault,
  view: FileView,
  hunkIds: readonly string[] | undefined,
  isTurn: boolean,
): Promise<TreeEntry | null> {
  const { from, reviewed, current } = view;
  if (hunkIds === undefined && !isTurn) return reviewed;
  const hunks = await chosenHunks(vault, view, hunkIds);
  if (hunks === null || from === null || current === null) {
    if (hunkIds !== undefined) return from;
    if (isSameEntry(reviewed, current)) return current;
    return from ?? reviewed;
  }
  const file = await compareFile(vault, from, current);
  const isOpen = await openTest(vault, view);
  const isTakenBack = (hunk: Hunk) => hunks.some(({ id }) => id === hunk.id) && (hunkIds !== undefined || isOpen(hunk));
  if (file.hunks?.every(isTakenBack)) return from;
  return {
    mode: current.mode,
    id: await writeBlob(
      vault,
      applyHunks(file, (hunk) => !isTakenBack(hunk)),
    ),
  };
}

/** The chosen hunks, or all; null for a file that can only be taken whole. */
async function chosenHunks(
  vault: Vault,
  { path, from, current }: FileView,
  hunkIds: readonly string[] | undefined,
): Promise<readonly Hunk[] | null> {
  const { hunks } = await compareFile(vault, from, current);
  if (hunkIds === undefined) return hunks;
  const chosen = hunks?.filter(({ id }) => hunkIds.includes(id)) ?? [];
  if (chosen.length < new Set(hunkIds).size) throw new WorkdirChangedError([path]);
  return chosen;
}

/** Tells which hunks of a file the user has not decided about. */
async function openTest(vault: Vault, { reviewed, current }: FileView): Promise<(hunk: Hunk) => boolean> {
  if (isSameEntry(reviewed, current)) return () => false;
  const unreviewed = reviewed && current ? await hunksBetween(vault, reviewed, current) : null;
  return (hunk) => unreviewed === null || unreviewed.some((other) => meets(other, hunk));
}

/** The last commit's file with the chosen places, for a commit of these alone; undefined for the whole file. */
export async function partToCommit(
  vault: Vault,
  view: FileView,
  hunkIds: readonly string[] | undefined,
): Promise<{ readonly content: Uint8Array; readonly mode: string } | undefined> {
  const { from, current } = view;
  if (hunkIds === undefined) return undefined;
  const chosen = await chosenHunks(vault, view, hunkIds);
  const file = await compareFile(vault, from, current);
  if (chosen === null || from === null || current === null || chosen.length === file.hunks?.length) return undefined;
  const content = applyHunks(file, (hunk) => chosen.some(({ id }) => id === hunk.id));
  return { content: Buffer.from(content, "latin1"), mode: from.mode };
}

/**
 * After a commit was made, by whomever: what is not reviewed and is no longer different from the last commit counts as
 * reviewed.
 */
export async function followCommits(
  vault: Vault,
  { reviewed, current, base }: { readonly reviewed: Scan; readonly current: Scan; readonly base: Scan },
): Promise<Scan> {
  const uncommitted = await changedFiles(vault, base, current);
  const entries: PlacedEntry[] = [];
  for (const { path, part, file, before, after } of (await changedFiles(vault, reviewed, current)).values()) {
    const change = uncommitted.get(path);
    if (change === undefined) entries.push({ part, file, entry: after });
    else if (before === null && change.before !== null) entries.push({ part, file, entry: change.before });
    else if (before !== null && after !== null && change.before !== null) {
      const left = await hunksBetween(vault, change.before, after);
      const compared = await compareFile(vault, before, after);
      if (left === null || compared.hunks === null) continue;
      const isCommitted = (hunk: Hunk) => !left.some((other) => meets(hunk, other));
      if (!compared.hunks.some(isCommitted)) continue;
      const id = await writeBlob(vault, applyHunks(compared, isCommitted));
      entries.push({ part, file, entry: { mode: before.mode, id } });
    }
  }
  return scanWith(vault, reviewed, entries);
}
