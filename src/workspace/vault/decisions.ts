import { join } from "node:path";
import { z } from "zod";
import type { SessionId } from "../../protocol/ids.ts";
import { type RawPath, shownPath } from "../git/raw-path.ts";
import { GitError } from "../git/run-git.ts";
import { NOTE_NAME, readNotesOf, readState, storeState } from "./checkpoint.ts";
import { changedFiles, isSameEntry, type TreeEntry } from "./compare.ts";
import { entriesAt, mergeEntry } from "./merge.ts";
import { type Intent, move, type PlacedEntry, scanWith } from "./move.ts";
import { below, type Scan } from "./scan.ts";
import type { Vault } from "./vault.ts";
import { readIfThere, writeWhole } from "./vault-files.ts";

/** What the user has accepted, and the commits that were there then. */
export interface Reviewed {
  readonly scan: Scan;
  readonly commits: string;
}

/** Null before anything was reviewed. */
export async function readReviewed(vault: Vault): Promise<Reviewed | null> {
  const stored = await readState(vault, "reviewed");
  return stored && { scan: stored.scan, commits: stored.note ?? "" };
}

export function storeReviewed(vault: Vault, { scan, commits }: Reviewed): Promise<void> {
  return storeState(vault, "reviewed", scan, commits);
}

const Entry = z.nullable(z.object({ mode: z.string(), id: z.string() }));
/** Files with the version before and after. */
export const Changed = z.array(z.object({ part: z.string(), file: z.string(), before: Entry, after: Entry }));
const StoredDecision = z.object({
  undoId: z.string(),
  /** Counts up: the newest has the highest. */
  order: z.int(),
  kind: z.enum(["keep", "discard", "restore"]),
  at: z.string(),
  sessionId: z.string(),
  /** What it changed in the files, and in what counts as reviewed. */
  files: Changed,
  reviewed: Changed,
});
type StoredDecision = z.infer<typeof StoredDecision>;
type Changed = z.infer<typeof Changed>;

export interface Decision {
  readonly undoId: string;
  readonly kind: "keep" | "discard" | "restore";
  readonly at: string;
  readonly paths: readonly RawPath[];
}

const UNDO_REFS = "refs/undo/";
const UNDO_ID = /^[a-z0-9-]{1,64}$/;
const DECISIONS_MAX = 200;

export interface States {
  readonly reviewed: Scan;
  readonly current: Scan;
}

/**
 * Keeps what takes a decision back: the files before and after it. It is in the vault itself, with all objects it needs.
 * Stored before the decision is carried out, so that no decision is ever without: undoing one that never happened
 * changes nothing.
 */
export async function recordDecision(
  vault: Vault,
  about: {
    readonly undoId: string;
    readonly kind: Decision["kind"];
    readonly at: string;
    readonly sessionId: SessionId;
  },
  { before, after }: { readonly before: States; readonly after: States },
  decisionsMax = DECISIONS_MAX,
): Promise<void> {
  const others = await readDecisions(vault);
  const decision: StoredDecision = {
    ...about,
    order: (others[0]?.order ?? 0) + 1,
    files: await changedBetween(vault, before.current, after.current),
    reviewed: await changedBetween(vault, before.reviewed, after.reviewed),
  };
  await keepWithObjects(vault, refOf(about.undoId), JSON.stringify(decision), [
    ...decision.files,
    ...decision.reviewed,
  ]);
  for (const { undoId } of others.slice(decisionsMax - 1)) await dropDecision(vault, undoId);
}

export async function changedBetween(vault: Vault, from: Scan, to: Scan): Promise<Changed> {
  return [...(await changedFiles(vault, from, to)).values()].map(({ part, file, before, after }) => ({
    ...{ part, file, before, after },
  }));
}

/** Keeps a text under a ref, with the objects of the files that it names. */
export async function keepWithObjects(vault: Vault, ref: string, text: string, changed: Changed): Promise<void> {
  const entries = changed.flatMap((file) => [file.before, file.after]);
  const ids = new Set(entries.flatMap((entry) => (entry === null ? [] : [entry.id])));
  const note = (await vault.git(["hash-object", "-w", "--stdin"], { input: text })).toString().trim();
  const lines = [`100644 blob ${note}\t${NOTE_NAME}`, ...[...ids].map((id) => `100644 blob ${id}\to-${id}`)];
  const tree = (await vault.git(["mktree", "-z"], { input: lines.map((line) => `${line}\0`).join("") })).toString();
  await vault.git(["update-ref", ref, tree.trim()]);
}

/** Newest first. */
export async function listDecisions(vault: Vault): Promise<Decision[]> {
  return (await readDecisions(vault)).map(({ undoId, kind, at, files, reviewed }) => ({
    ...{ undoId, kind, at },
    paths: (kind === "keep" ? reviewed : files).map(({ part, file }) => below(part as RawPath, file as RawPath)),
  }));
}

export async function dropDecision(vault: Vault, undoId: string): Promise<void> {
  await vault.git(["update-ref", "-d", refOf(undoId)]);
}

/** A decision about files is carried out whole, or not at all and not recorded. `safetyId` names the state before. */
export async function carryOut(
  vault: Vault,
  about: Parameters<typeof recordDecision>[1] & { readonly safetyId: string },
  { before, after, commits }: { readonly before: States; readonly after: States; readonly commits: string },
): Promise<Intent | null> {
  const intent = after.current === before.current ? null : await moveAndRecord(vault, about, before, after);
  if (intent === null) await recordDecision(vault, about, { before, after });
  await storeReviewed(vault, { scan: after.reviewed, commits });
  return intent;
}

/** Recorded with what the move has found in the way: no scan holds an ignored file, and undoing brings it back. */
async function moveAndRecord(
  vault: Vault,
  about: Parameters<typeof carryOut>[1],
  before: States,
  after: States,
): Promise<Intent> {
  let isRecorded = false;
  const onPlanned = async ({ from, to }: Intent) => {
    await recordDecision(vault, about, {
      before: { ...before, current: withParts(before.current, from) },
      after: { ...after, current: withParts(after.current, to) },
    });
    isRecorded = true;
  };
  try {
    return await move(vault, about.safetyId, before.current, after.current, { onPlanned });
  } catch (error) {
    if (isRecorded) await dropDecision(vault, about.undoId);
    throw error;
  }
}

function withParts(state: Scan, moved: Intent["from"]): Scan {
  return { ...state, parts: state.parts.map((part) => moved.find(({ path }) => path === part.path) ?? part) };
}

/** Files that were decided about or changed since in the same places: the decision cannot be taken back. Nothing was touched. */
export class UndoConflictError extends GitError {
  readonly paths: readonly string[];

  constructor(paths: readonly RawPath[]) {
    const [first = ""] = paths.map(shownPath);
    const more = paths.length > 1 ? ` and ${paths.length - 1} more` : "";
    super(
      `Cannot undo: ${first}${more} changed in the same place since. Nothing was touched. Undo later decisions first, or edit the file.`,
    );
    this.paths = paths.map(shownPath);
  }
}

/**
 * Takes a decision back, also when the same files have been changed elsewhere since. Null when it is not there any more.
 * `safetyId` names the state of the files before, if any was touched.
 */
export async function undoDecision(
  vault: Vault,
  undoId: string,
  { now, commits, safetyId }: { readonly now: States; readonly commits: string; readonly safetyId: string },
): Promise<{ readonly kind: Decision["kind"]; readonly moved: Intent | null } | null> {
  if (!UNDO_ID.test(undoId)) return null;
  const decision = (await readDecisions(vault)).find((one) => one.undoId === undoId);
  if (decision === undefined) return null;
  const files = await takenBack(vault, now.current, decision.files, "refuse");
  // What counts as reviewed follows the files as far as it can.
  const reviewed = await takenBack(
    vault,
    now.reviewed,
    decision.reviewed,
    decision.kind === "keep" ? "refuse" : "ours",
  );
  const moved = files === now.current ? null : await move(vault, safetyId, now.current, files);
  if (reviewed !== now.reviewed) await storeReviewed(vault, { scan: reviewed, commits });
  await dropDecision(vault, undoId);
  return { kind: decision.kind, moved };
}

/** What a file became, to be done to the file as it is now. */
interface Step {
  readonly part: string;
  readonly file: string;
  readonly base: TreeEntry | null;
  readonly theirs: TreeEntry | null;
}

function takenBack(vault: Vault, now: Scan, changed: Changed, onConflict: "refuse" | "ours"): Promise<Scan> {
  const steps = changed.map(({ part, file, before, after }): Step => ({ part, file, base: after, theirs: before }));
  return mergeChanged(vault, now, steps, onConflict, UndoConflictError);
}

/** Merges changes into a state. When places conflict nothing is merged, or those places stay as they are now. */
export async function mergeChanged(
  vault: Vault,
  now: Scan,
  steps: readonly Step[],
  onConflict: "refuse" | "ours",
  ConflictError: new (paths: readonly RawPath[]) => GitError,
): Promise<Scan> {
  const places = steps.map(({ part, file }) => ({ part: part as RawPath, file: file as RawPath }));
  const present = await entriesAt(vault, now, places);
  const entries: PlacedEntry[] = [];
  const conflicts: RawPath[] = [];
  for (const [index, place] of places.entries()) {
    const ours: TreeEntry | null = present[index] ?? null;
    const { base = null, theirs = null } = steps[index] ?? {};
    const isGone = !now.parts.some(({ path }) => path === place.part);
    const merged = isGone ? { ok: false as const } : await mergeEntry(vault, { base, ours, theirs }, onConflict);
    if (!merged.ok) conflicts.push(below(place.part, place.file));
    else if (!isSameEntry(merged.entry, ours)) entries.push({ ...place, entry: merged.entry });
  }
  if (conflicts.length > 0 && onConflict === "refuse") throw new ConflictError(conflicts);
  return scanWith(vault, now, entries);
}

async function readDecisions(vault: Vault): Promise<StoredDecision[]> {
  const listing = (await vault.git(["for-each-ref", "--format=%(refname)", UNDO_REFS])).toString().trim();
  if (listing === "") return [];
  const notes = await readNotesOf(vault, listing.split("\n"));
  const decisions = notes.flatMap((note) => (note === null ? [] : [StoredDecision.parse(JSON.parse(note))]));
  return decisions.sort((a, b) => b.order - a.order);
}

function refOf(undoId: string): string {
  if (!UNDO_ID.test(undoId)) throw new Error(`not the id of a decision: ${JSON.stringify(undoId)}`);
  return `${UNDO_REFS}${undoId}`;
}

const VIEWED_MAX = 5_000;
const StoredViewed = z.record(z.string(), z.string());

/** The files that the user has ticked as viewed, with the version they saw. */
export async function readViewed(vault: Vault): Promise<ReadonlyMap<RawPath, string>> {
  const text = await readIfThere(viewedFile(vault));
  const stored = text === null ? {} : StoredViewed.parse(JSON.parse(text));
  return new Map(Object.entries(stored) as [RawPath, string][]);
}

/** Null takes the tick away. */
export async function setViewed(vault: Vault, path: RawPath, version: string | null): Promise<void> {
  const viewed = new Map(await readViewed(vault));
  viewed.delete(path);
  if (version !== null) viewed.set(path, version);
  const newest = [...viewed].slice(-VIEWED_MAX);
  await writeWhole(viewedFile(vault), JSON.stringify(Object.fromEntries(newest)));
}

/** Of a file, as it is ticked. */
export function viewedVersion(entry: TreeEntry | null): string {
  return entry === null ? "deleted" : `${entry.mode} ${entry.id}`;
}

function viewedFile(vault: Vault): string {
  return join(vault.path, "viewed.json");
}
