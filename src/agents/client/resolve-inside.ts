import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readlink, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

const LINKS_FOLLOWED_MAX = 40;

/** The path is outside the session's roots, or cannot be checked. */
export class OutsideRootsError extends Error {
  override readonly name = "OutsideRootsError";
}

/**
 * The real path, if it is inside one of the roots. Every link is followed, including one whose target does not exist
 * yet: writing through it would create the target, wherever that is.
 */
export async function resolveInside(
  path: string,
  roots: readonly string[],
  guarded: readonly string[],
): Promise<string> {
  return (await placeInside(path, roots, guarded)).real;
}

/** With the real root that contains it. Guarded directories are refused even inside a root. */
export async function placeInside(
  path: string,
  roots: readonly string[],
  guarded: readonly string[],
): Promise<{ real: string; root: string }> {
  if (path.includes("\0")) throw new OutsideRootsError("The path contains an invalid character.");
  if (!isAbsolute(path)) throw new OutsideRootsError("The path must be absolute.");
  const real = await realPlace(resolve(path), LINKS_FOLLOWED_MAX);
  const realRoots = await Promise.all(roots.map((root) => realpath(root)));
  const root = realRoots.find((one) => isInside(real, one));
  if (root === undefined) throw new OutsideRootsError(`${path} is outside this session's directories.`);
  for (const own of guarded)
    if (isInside(real, await realPlace(own, LINKS_FOLLOWED_MAX)))
      throw new OutsideRootsError(`${path} belongs to Liminal Builder itself.`);
  return { real, root };
}

/** The existing part is resolved by the system; the rest is taken literally, because it has no links. */
async function realPlace(path: string, linksLeft: number): Promise<string> {
  const target = await linkTarget(path);
  if (target !== null) {
    if (linksLeft === 0) throw new OutsideRootsError("The path is a symbolic link loop.");
    return realPlace(resolve(dirname(path), target), linksLeft - 1);
  }
  const parent = dirname(path);
  if (parent === path) return path;
  return join(await realPlace(parent, linksLeft), relative(parent, path));
}

async function linkTarget(path: string): Promise<string | null> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : null;
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw new OutsideRootsError(`Cannot read ${path} (${code ?? error}).`);
  }
}

function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const FILE_MODE = 0o644;

interface Place {
  /** Resolved, and known to be a root. */
  readonly root: string;
  /** Free of links when it was checked, and below the root. */
  readonly real: string;
  readonly flags: number;
  /** Creates missing parent directories. */
  readonly makesDirectories: boolean;
}

/**
 * Opens a file one directory at a time, each relative to the one before, without following links: a directory that was
 * checked may have been replaced by a link. Requires a system where an open directory has a path.
 */
export async function openInside({ root, real, flags, makesDirectories }: Place): Promise<FileHandle> {
  const names = relative(root, real).split(sep);
  const file = names.pop() ?? "";
  let directory = await open(root, DIRECTORY);
  try {
    for (const name of names) {
      const next = await enter(directory, name, makesDirectories);
      await directory.close();
      directory = next;
    }
    return await open(inside(directory, file), flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, FILE_MODE);
  } finally {
    await directory.close();
  }
}

async function enter(directory: FileHandle, name: string, isMade: boolean): Promise<FileHandle> {
  const path = inside(directory, name);
  try {
    return await open(path, DIRECTORY);
  } catch (error) {
    if (!isMade || codeOf(error) !== "ENOENT") throw error;
  }
  try {
    await mkdir(path);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
  return open(path, DIRECTORY);
}

function inside(directory: FileHandle, name: string): string {
  return join(`/proc/self/fd/${directory.fd}`, name);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error ? Reflect.get(error, "code") : undefined;
}
