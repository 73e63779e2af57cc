import type { Stats } from "node:fs";
import { lstat, readFile } from "node:fs/promises";
import { absolutePath, joinRawPaths, type RawPath, rawPath, shownPath, splitRawPaths } from "../git/raw-path.ts";
import { GitError, readGit } from "../git/run-git.ts";
import { IndexReader } from "./index-file.ts";
import { seedIndex } from "./seed-index.ts";
import type { Vault } from "./vault.ts";
import { exists } from "./vault-files.ts";

export interface ScanLimits {
  readonly partsMax: number;
  /** A file that Git does not track yet. */
  readonly newFileBytesMax: number;
  /** All new files of one scan together. */
  readonly newBytesMax: number;
  /** A tracked file whose content changed. */
  readonly changedFileBytesMax: number;
  /** Only for a directory that is not a repository: how many files are held. */
  readonly plainFilesMax: number;
  /** Likewise: how large they are together. */
  readonly plainBytesMax: number;
}

const MB = 1024 * 1024;
export const SCAN_LIMITS: ScanLimits = {
  partsMax: 20,
  newFileBytesMax: 10 * MB,
  newBytesMax: 200 * MB,
  changedFileBytesMax: 1024 * MB,
  plainFilesMax: 50_000,
  plainBytesMax: 2_048 * MB,
};

export type LeftOutReason = "too large" | "too much" | "not a file" | "unreadable" | "too many repositories";

export interface LeftOut {
  /** From the directory of the vault. */
  readonly path: RawPath;
  readonly reason: LeftOutReason;
}

/** The directory itself (its path is empty), or a repository inside it. */
export interface ScannedPart {
  readonly path: RawPath;
  readonly tree: string;
}

/** The files of a directory at one moment, as trees in the vault. */
export interface Scan {
  readonly parts: readonly ScannedPart[];
  /** What the trees do not hold. It is neither restored nor deleted. */
  readonly leftOut: readonly LeftOut[];
}

const ROOT = "" as RawPath;
const LSTAT_AT_ONCE = 64;
/** Version 4 has shorter paths: an index is written anew with each change, and its bytes are hashed. */
const UPDATE_INDEX = ["update-index", "--index-version", "4"] as const;

/** Brings the indexes of the vault up to date with the files, and stores their trees. Changes no file of the user. */
export async function scan(vault: Vault, limits = SCAN_LIMITS, signal?: AbortSignal): Promise<Scan> {
  const parts: ScannedPart[] = [];
  const leftOut: LeftOut[] = [];
  let bytesLeft = limits.newBytesMax;
  const waiting: RawPath[] = [ROOT];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (parts.length === limits.partsMax || rawPath(shownPath(path)) !== path) {
      leftOut.push({ path, reason: parts.length === limits.partsMax ? "too many repositories" : "unreadable" });
      continue;
    }
    const part = await PartScan.of(vault, path, { ...limits, newBytesMax: bytesLeft }, signal);
    bytesLeft -= part.newBytes;
    parts.push({ path, tree: part.tree });
    leftOut.push(...part.leftOut.map(({ path: inside, reason }) => ({ path: below(path, inside), reason })));
    waiting.push(...part.nested.map((inside) => below(path, inside)));
  }
  return { parts, leftOut };
}

export function below(part: RawPath, path: RawPath): RawPath {
  return (part === "" ? path : `${part}/${path}`) as RawPath;
}

interface Found {
  readonly path: RawPath;
  /** Null when nothing is there. */
  readonly stats: Stats | null;
  readonly isNew: boolean;
}

class PartScan {
  readonly leftOut: LeftOut[] = [];
  readonly nested: RawPath[] = [];
  tree = "";
  newBytes = 0;
  readonly #vault: Vault;
  readonly #path: RawPath;
  readonly #directory: string;
  readonly #indexFile: string;
  readonly #limits: ScanLimits;
  #newBytesMax: number;
  readonly #signal: AbortSignal | undefined;

  private constructor(vault: Vault, path: RawPath, limits: ScanLimits, signal: AbortSignal | undefined) {
    this.#vault = vault;
    this.#path = path;
    this.#directory = partDirectory(vault, path);
    this.#indexFile = vault.indexFileOf(path);
    this.#limits = limits;
    this.#newBytesMax = limits.newBytesMax;
    this.#signal = signal;
  }

  static async of(vault: Vault, path: RawPath, limits: ScanLimits, signal: AbortSignal | undefined) {
    const part = new PartScan(vault, path, limits, signal);
    if (!(await exists(part.#indexFile))) {
      const seeded = await seedIndex(vault, part.#directory, part.#indexFile);
      if (seeded !== null) vault.userIndexes.set(path, seeded);
    }
    await part.#update();
    part.tree = (await part.#git(["write-tree"])).toString("latin1").trim();
    return part;
  }

  #git(args: readonly string[], input?: Buffer): Promise<Buffer> {
    return this.#vault.git(args, {
      workTree: this.#directory,
      indexFile: this.#indexFile,
      signal: this.#signal,
      ...(input !== undefined && { input }),
    });
  }

  async #update(): Promise<void> {
    const [changed, untracked] = await Promise.all([
      this.#git(["diff-files", "-z", "--name-only", "--ignore-submodules=all"]),
      this.#git(["ls-files", "-z", "--others", "--exclude-standard"]),
    ]);
    const fresh = splitRawPaths(untracked);
    // A repository inside is listed as a directory. Its files are a part of their own.
    for (const path of fresh) if (path.endsWith("/")) this.nested.push(path.slice(0, -1) as RawPath);
    const files = fresh.filter((path) => !path.endsWith("/"));
    const known = await this.#look(splitRawPaths(changed), false);
    if (this.#vault.repository === null) await this.#boundPlain(known, files.length);
    const found = [...known, ...(await this.#look(files, true)), ...(await this.#ignoredAndTracked())];
    const taken = found.filter((file) => this.#takes(file)).map(({ path }) => path);
    const dropped = found.filter(({ path, isNew }) => !isNew && this.#isLeftOut(path)).map(({ path }) => path);
    await this.#store(taken);
    await this.#remove(dropped);
    if (taken.some((path) => path === ".gitignore" || path.endsWith("/.gitignore")))
      await dropIgnored(this.#vault, this.#path);
  }

  /**
   * A directory without an ignore file may hold anything, and it may grow by less than a limit with each scan: the limits
   * are of what is held in all. More files are refused, and more bytes are left out by name.
   */
  async #boundPlain(known: readonly Found[], freshCount: number): Promise<void> {
    const held = await this.#held();
    const gone = known.filter(({ stats }) => stats === null || stats.isDirectory()).length;
    const { plainFilesMax, plainBytesMax } = this.#limits;
    if (held.files - gone + freshCount > plainFilesMax)
      throw new GitError(
        `The directory has more than ${plainFilesMax.toLocaleString("en-US")} files and is not a Git repository: no checkpoints are made. Create a repository with "git init" and an ignore file.`,
      );
    this.#newBytesMax = Math.min(this.#newBytesMax, Math.max(0, plainBytesMax - held.bytes));
  }

  /** What the index has since the last scan. */
  async #held(): Promise<{ readonly files: number; readonly bytes: number }> {
    if (!(await exists(this.#indexFile))) return { files: 0, bytes: 0 };
    // The vault of a plain directory is made with this format.
    const entry = new IndexReader(await readFile(this.#indexFile), "sha1");
    let bytes = 0;
    while (entry.next()) bytes += entry.size;
    return { files: entry.count, bytes };
  }

  /**
   * Files that the user has added though they are ignored are held like others. Which ones there are may differ only
   * when the user's index does. What is ignored and no longer in theirs leaves ours.
   */
  async #ignoredAndTracked(): Promise<Found[]> {
    const theirs = await this.#vault.userIndexOf(this.#path, this.#directory);
    if (theirs === null || this.#vault.userIndexes.get(this.#path) === theirs.version) return [];
    const listing = await readGit(this.#directory, ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"]);
    if (listing === null) return [];
    const tracked = splitRawPaths(Buffer.from(listing, "latin1"));
    const place = { workTree: this.#directory, indexFile: this.#indexFile };
    const isTracked = new Set(tracked);
    await this.#remove((await allIgnored(this.#vault, place)).filter((path) => !isTracked.has(path)));
    this.#vault.userIndexes.set(this.#path, theirs.version);
    return (await this.#look(tracked, false)).filter(({ stats }) => stats !== null && !stats.isDirectory());
  }

  async #look(paths: readonly RawPath[], isNew: boolean): Promise<Found[]> {
    const found: Found[] = [];
    for (let at = 0; at < paths.length; at += LSTAT_AT_ONCE)
      found.push(
        ...(await Promise.all(
          paths.slice(at, at + LSTAT_AT_ONCE).map(async (path) => {
            const stats = await lstat(absolutePath(this.#directory, path)).catch(() => null);
            return { path, stats, isNew };
          }),
        )),
      );
    return found;
  }

  readonly #leftOutPaths = new Set<RawPath>();

  #isLeftOut(path: RawPath): boolean {
    return this.#leftOutPaths.has(path);
  }

  #leave(path: RawPath, reason: LeftOutReason): false {
    this.#leftOutPaths.add(path);
    this.leftOut.push({ path, reason });
    return false;
  }

  #takes({ path, stats, isNew }: Found): boolean {
    // A deleted file, or one with a directory in its place, is taken out of the index.
    if (stats === null || stats.isDirectory()) return !isNew;
    if (stats.isSymbolicLink()) return true;
    if (!stats.isFile()) return this.#leave(path, "not a file");
    if (!isNew) return stats.size <= this.#limits.changedFileBytesMax || this.#leave(path, "too large");
    if (stats.size > this.#limits.newFileBytesMax) return this.#leave(path, "too large");
    if (this.newBytes + stats.size > this.#newBytesMax) return this.#leave(path, "too much");
    this.newBytes += stats.size;
    return true;
  }

  /** Files vanish and lose their rights while this runs: whatever cannot be read is left out by name, the rest is taken. */
  async #store(paths: readonly RawPath[]): Promise<void> {
    if (paths.length === 0) return;
    const update = (some: readonly RawPath[]) =>
      this.#vault.tryGit([...UPDATE_INDEX, "--add", "--remove", "--replace", "-z", "--stdin"], {
        workTree: this.#directory,
        indexFile: this.#indexFile,
        signal: this.#signal,
        input: joinRawPaths(some),
      });
    const result = await update(paths);
    if (result.exitCode === 0) return;
    if (paths.length === 1) {
      const [path = ROOT] = paths;
      this.#leave(path, "unreadable");
      await this.#remove([path]);
      return;
    }
    const middle = Math.ceil(paths.length / 2);
    await this.#store(paths.slice(0, middle));
    await this.#store(paths.slice(middle));
  }

  async #remove(paths: readonly RawPath[]): Promise<void> {
    if (paths.length > 0) await this.#git(["update-index", "--force-remove", "-z", "--stdin"], joinRawPaths(paths));
  }
}

/** Ignored files leave the index, unless the user has them in theirs. All of it, or some paths. */
export async function dropIgnored(vault: Vault, part: RawPath, some?: readonly RawPath[]): Promise<void> {
  if (some?.length === 0) return;
  const place = { workTree: partDirectory(vault, part), indexFile: vault.indexFileOf(part) };
  const ignored = some ? await ignoredOf(vault, place, some) : await allIgnored(vault, place);
  if (ignored.length === 0) return;
  const tracked = new Set((await readGit(place.workTree, ["ls-files", "-z", "--cached"]))?.split("\0"));
  const input = joinRawPaths(ignored.filter((path) => !tracked.has(path)));
  if (input.length > 0) await vault.git(["update-index", "--force-remove", "-z", "--stdin"], { ...place, input });
}

interface Place {
  readonly workTree: string;
  readonly indexFile: string;
}

async function allIgnored(vault: Vault, place: Place): Promise<RawPath[]> {
  return splitRawPaths(await vault.git(["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"], place));
}

async function ignoredOf(vault: Vault, place: Place, paths: readonly RawPath[]): Promise<RawPath[]> {
  // A path that begins with a colon would be taken for a pattern.
  const input = joinRawPaths(paths.map((path) => `./${path}` as RawPath));
  // Its exit code is 1 when none is ignored.
  const { exitCode, stdout, stderr } = await vault.tryGit(["check-ignore", "-z", "--stdin", "--no-index"], {
    ...place,
    input,
  });
  if (exitCode > 1) throw new GitError(`git check-ignore failed: ${stderr.trim()}`);
  return splitRawPaths(stdout).map((path) => path.slice("./".length) as RawPath);
}

/** Those of some paths that an ignore file keeps out of the checkpoints. */
export async function ignoredAmong(
  vault: Vault,
  { parts }: Pick<Scan, "parts">,
  paths: readonly RawPath[],
): Promise<RawPath[]> {
  const ignored: RawPath[] = [];
  const placed = Map.groupBy(paths, (path) => innermostPart(parts, path));
  for (const [part, inside] of placed) {
    const start = part === "" ? "" : `${part}/`;
    const input = joinRawPaths(inside.map((path) => `./${path.slice(start.length)}` as RawPath));
    const place = { workTree: partDirectory(vault, part), indexFile: vault.indexFileOf(part) };
    // With the index: a file that is tracked is stored, whatever an ignore file says. Exit code 1: none is ignored.
    const { exitCode, stdout } = await vault.tryGit(["check-ignore", "-z", "--stdin"], { ...place, input });
    if (exitCode !== 0) continue;
    ignored.push(...splitRawPaths(stdout).map((path) => `${start}${path.slice("./".length)}` as RawPath));
  }
  return ignored;
}

/** The repository that a path is in, by its own path. */
export function innermostPart(parts: readonly ScannedPart[], path: RawPath): RawPath {
  const inside = parts.map((part) => part.path).filter((part) => part !== "" && path.startsWith(`${part}/`));
  return inside.reduce((longest, one) => (one.length > longest.length ? one : longest), ROOT);
}

export function partDirectory(vault: Vault, part: RawPath): string {
  return part === "" ? vault.directory : `${vault.directory}/${shownPath(part)}`;
}
