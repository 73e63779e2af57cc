import { chmod, lstat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { REFUSE, RefusalError } from "../../protocol/errors.ts";
import type { SessionId } from "../../protocol/ids.ts";
import { dirtySubmodules, IGNORE_DIRTY_SUBMODULES } from "../git/dirty-submodules.ts";
import { absolutePath, type RawPath, shownPath } from "../git/raw-path.ts";
import { readGit } from "../git/run-git.ts";
import { storeCheckpoint } from "../vault/checkpoint.ts";
import type { TreeEntry } from "../vault/compare.ts";
import { cutOffMove, move, scanWith } from "../vault/move.ts";
import type { Scan } from "../vault/scan.ts";
import type { Vault } from "../vault/vault.ts";
import { readIfThere, writeWhole } from "../vault/vault-files.ts";
import type { LocalWorkdirs } from "../workdirs.ts";
import { openRepository, refused } from "./registration.ts";

const NAMED_MAX = 5;
const FILES_MAX = 20_000;
const BYTES_MAX = 200 * 1024 * 1024;
const ROOT = "" as RawPath;

/**
 * Brings the uncommitted work of one directory to another one of the same repository. Both get a checkpoint. The source
 * keeps its files. Either every file is brought or none; what is staged arrives unstaged. Repeated after a crash, it
 * replaces what the first try has brought.
 */
export async function carryWork(
  workdirs: Pick<LocalWorkdirs, "within" | "isOn">,
  { from, to, env }: { readonly from: string; readonly to: string; readonly env: Readonly<Record<string, string>> },
  sessionId: SessionId | null,
): Promise<{ readonly files: number }> {
  if (!workdirs.isOn)
    throw new RefusalError(
      REFUSE.gitUnavailable(
        'Uncommitted work is carried by checkpoints, which are off. Remove "checkpoints": false from config.json, or commit the work first.',
      ),
    );
  const [source, target] = [await openRepository(from, env), await openRepository(to, env)];
  if (source.commonDir !== target.commonDir)
    throw refused(`${from} and ${to} are not of one repository. Work can only be carried within one.`);
  if (source.topLevel === target.topLevel) return { files: 0 };
  const own = await changesOf(target.topLevel);
  const trip = { from: source.topLevel, sessionId };
  const foreign =
    own.length === 0
      ? []
      : await workdirs.within(target.topLevel, async (workdir) =>
          foreignTo({ vault: workdir.vault, scan: () => workdir.scan() }, own, trip),
        );
  if (foreign.length > 0)
    throw refused(`${to} has uncommitted work of its own: ${named(foreign)}. Commit or discard it first, then repeat.`);
  const changes = await changesOf(source.topLevel);
  if (changes.length + own.length === 0) return { files: 0 };
  if (changes.length > FILES_MAX)
    throw refused(`More than ${FILES_MAX.toLocaleString("en-US")} files are not committed. Commit them first.`);
  const inside = changes.filter(({ isRepository }) => isRepository);
  if (inside.length > 0)
    throw refused(
      `A repository inside has changes, which cannot be carried: ${named(inside)}. Commit them there first.`,
    );
  await refuseOverlap(changes, source.head, target);
  const held = await workdirs.within(source.topLevel, async (workdir) => {
    const files = await workdir.scan();
    const id = workdir.newId();
    await storeCheckpoint(workdir.vault, id, files);
    if (sessionId !== null) workdir.added(id, sessionId);
    const wanted = new Set(changes.map(({ path }) => path));
    const missing = files.leftOut.filter(({ path }) => wanted.has(path)).map(({ path }) => ({ path }));
    if (missing.length > 0)
      throw refused(`Too large or not readable, so it cannot be carried: ${named(missing)}. Move or commit it first.`);
    const tree = files.parts.find(({ path }) => path === ROOT)?.tree ?? "";
    const entries = await entriesOf(workdir.vault, tree, wanted);
    return { entries, pack: await packOf(workdir.vault, entries) };
  });
  await workdirs.within(target.topLevel, async (workdir) => {
    const { vault } = workdir;
    if (held.pack !== null) await vault.git(["unpack-objects", "-q"], { input: held.pack });
    const seen = await workdir.scan();
    const brought = changes.map(({ path }) => [path, held.entries.get(path) ?? null] as const);
    // Files brought by a first attempt that are no longer wanted are removed.
    const wanted = new Map([...own.map(({ path, committed }) => [path, committed] as const), ...brought]);
    const placed = [...wanted].map(([file, entry]) => ({ part: ROOT, file, entry }));
    const id = workdir.newId();
    // A first try of this trip that was cut off: this one brings all that it did.
    const replaces = (await tripOf(vault, trip)) === null ? null : ((await cutOffMove(vault))?.id ?? null);
    await writeTrip(vault, { ...trip, moveId: id, brought });
    await move(vault, id, seen, await scanWith(vault, seen, placed), { replaces });
    if (sessionId !== null) workdir.added(id, sessionId);
  });
  for (const path of held.entries.keys()) await copyMode(path, source.topLevel, target.topLevel);
  return { files: changes.length };
}

/**
 * Stored with the target before its files change. A server that is killed before the session is stored as moved leaves
 * them there, and the user moves it again.
 */
const Trip = z.object({
  from: z.string(),
  sessionId: z.nullable(z.string()),
  moveId: z.string(),
  /** By path; null for a file that is gone. */
  brought: z.array(z.tuple([z.string(), z.nullable(z.object({ mode: z.string(), id: z.string() }))])),
});

interface Trip {
  readonly from: string;
  readonly sessionId: SessionId | null;
  readonly moveId: string;
  readonly brought: readonly (readonly [RawPath, TreeEntry | null])[];
}

function tripFile(vault: Vault): string {
  return join(vault.path, "carried.json");
}

async function writeTrip(vault: Vault, trip: Trip): Promise<void> {
  await writeWhole(tripFile(vault), JSON.stringify(trip));
}

/** What an earlier try of the same trip has left; null when there was none. */
async function tripOf(
  vault: Vault,
  { from, sessionId }: Pick<Trip, "from" | "sessionId">,
): Promise<z.infer<typeof Trip> | null> {
  const stored = await readIfThere(tripFile(vault));
  const { data: trip } = Trip.safeParse(stored === null ? null : JSON.parse(stored));
  return trip && sessionId !== null && trip.sessionId === sessionId && trip.from === from ? trip : null;
}

/** The uncommitted files that an earlier try of the same trip has not brought. */
async function foreignTo(
  { vault, scan }: { readonly vault: Vault; readonly scan: () => Promise<Scan> },
  own: readonly UncommittedFile[],
  of: Pick<Trip, "from" | "sessionId">,
): Promise<readonly UncommittedFile[]> {
  const trip = await tripOf(vault, of);
  if (trip === null) return own;
  const isCutOff = (await cutOffMove(vault))?.id === trip.moveId;
  const tree = (await scan()).parts.find(({ path }) => path === ROOT)?.tree ?? "";
  const entries = await entriesOf(vault, tree, new Set(own.map(({ path }) => path)));
  const brought = new Map<string, TreeEntry | null>(trip.brought);
  const foreign: UncommittedFile[] = [];
  for (const file of own) {
    const [there, wanted] = [entries.get(file.path) ?? null, brought.get(file.path)];
    const isSame = wanted !== undefined && there?.id === wanted?.id && there?.mode === wanted?.mode;
    const isHalf = isCutOff && !!wanted && (there === null || (await isBeginning(vault, there, wanted)));
    if (!isSame && !isHalf) foreign.push(file);
  }
  return foreign;
}

/** Git was killed while it wrote the file. */
async function isBeginning(vault: Vault, there: TreeEntry, whole: TreeEntry): Promise<boolean> {
  const read = ({ id }: TreeEntry) => vault.git(["cat-file", "blob", id]);
  const [beginning, all] = [await read(there), await read(whole)];
  return all.subarray(0, beginning.byteLength).equals(beginning);
}

interface UncommittedFile {
  readonly path: RawPath;
  /** As the last commit has it; null when it does not. */
  readonly committed: TreeEntry | null;
  readonly isRepository: boolean;
}

/** Files that differ from the last commit. Repositories inside that Git does not track are none. */
async function changesOf(topLevel: string): Promise<UncommittedFile[]> {
  const words = ["status", "--porcelain=v2", "-z", "--no-renames", "--untracked-files=all", IGNORE_DIRTY_SUBMODULES];
  const [output, submodules] = await Promise.all([readGit(topLevel, words), dirtySubmodules(topLevel)]);
  if (output === null || submodules === null)
    throw refused(`Git cannot tell what is not committed in ${topLevel}. Try "git status" there.`);
  const inside = submodules.map((path): UncommittedFile => ({ path, committed: null, isRepository: true }));
  const changed = output.split("\0").flatMap((line): UncommittedFile[] => {
    if (line.startsWith("? "))
      return line.endsWith("/") ? [] : [{ path: line.slice(2) as RawPath, committed: null, isRepository: false }];
    if (line.startsWith("u "))
      throw refused(`A merge is not finished in ${topLevel}. Finish or abort it with Git, then repeat.`);
    const [, sub, mode = "", id = "", path] =
      /^1 \S+ (\S+) (\d+) \d+ \d+ ([0-9a-f]+) [0-9a-f]+ (.+)$/s.exec(line) ?? [];
    if (path === undefined) return [];
    const committed = /^0+$/.test(mode) ? null : { mode, id };
    return [{ path: path as RawPath, committed, isRepository: sub?.startsWith("S") === true }];
  });
  return [...changed, ...inside.filter(({ path }) => !changed.some((file) => file.path === path))];
}

/** A file that is not the same in both commits would take the other branch's changes away. */
async function refuseOverlap(
  changes: readonly UncommittedFile[],
  head: string,
  target: { readonly topLevel: string; readonly head: string },
): Promise<void> {
  if (target.head === head) return;
  const listing = (await readGit(target.topLevel, ["ls-tree", "-r", "-z", "--full-tree", target.head])) ?? "";
  const there = readTree(listing);
  const differing = changes.filter(({ path, committed }) => {
    const other = there.get(path);
    return other?.id !== committed?.id || other?.mode !== committed?.mode;
  });
  if (differing.length > 0)
    throw refused(
      `Both branches have different versions of what is not committed: ${named(differing)}. Commit the work, then merge it.`,
    );
}

function readTree(listing: string): Map<string, TreeEntry> {
  const lines = listing.matchAll(/(\d{6}) \w+ ([0-9a-f]+)\t([^\0]+)\0/g);
  return new Map([...lines].map(([, mode = "", id = "", path = ""]) => [path, { mode, id }]));
}

async function entriesOf(vault: Vault, tree: string, wanted: ReadonlySet<RawPath>): Promise<Map<RawPath, TreeEntry>> {
  const all = readTree((await vault.git(["ls-tree", "-r", "-z", "--full-tree", tree])).toString("latin1"));
  return new Map([...wanted].flatMap((path) => (all.has(path) ? [[path, all.get(path) as TreeEntry] as const] : [])));
}

async function packOf(vault: Vault, entries: ReadonlyMap<RawPath, TreeEntry>): Promise<Buffer | null> {
  const ids = [...new Set([...entries.values()].map(({ id }) => id))];
  if (ids.length === 0) return null;
  const sizes = await vault.git(["cat-file", "--batch-check=%(objectsize)"], { input: `${ids.join("\n")}\n` });
  const bytes = sizes
    .toString()
    .trim()
    .split("\n")
    .reduce((sum, size) => sum + Number(size), 0);
  if (bytes > BYTES_MAX)
    throw refused(`What is not committed is more than ${BYTES_MAX / 1024 / 1024} MB. Commit some of it first.`);
  return vault.git(["pack-objects", "--stdout", "-q"], { input: `${ids.join("\n")}\n` });
}

const PERMISSIONS = 0o777;

/** Git knows only whether a file is executable. One that only its owner may read stays so. */
async function copyMode(path: RawPath, from: string, to: string): Promise<void> {
  const [own, copy] = await Promise.all([from, to].map((top) => lstat(absolutePath(top, path)).catch(() => null)));
  if (!own?.isFile() || !copy?.isFile() || (own.mode & PERMISSIONS) === (copy.mode & PERMISSIONS)) return;
  await chmod(absolutePath(to, path), own.mode & PERMISSIONS);
}

function named(files: readonly { readonly path: RawPath }[]): string {
  const some = files.slice(0, NAMED_MAX).map(({ path }) => shownPath(path));
  return files.length > NAMED_MAX ? `${some.join(", ")} and ${files.length - NAMED_MAX} more` : some.join(", ");
}
