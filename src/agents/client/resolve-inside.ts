import { lstat, readlink, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

const LINKS_FOLLOWED_MAX = 40;

/** The path lies outside what the session may touch, or cannot be judged. */
export class OutsideRootsError extends Error {
  override readonly name = "OutsideRootsError";
}

/**
 * The real place a path leads to, when that lies inside one of the roots. Every link on the way is followed, also one
 * whose target does not exist yet: writing through it would create the target, wherever that is.
 */
export async function resolveInside(
  path: string,
  roots: readonly string[],
  guarded: readonly string[],
): Promise<string> {
  return (await placeInside(path, roots, guarded)).real;
}

/** With the root it lies in, as that really is. What is guarded is nobody's, though a root be around it. */
export async function placeInside(
  path: string,
  roots: readonly string[],
  guarded: readonly string[],
): Promise<{ real: string; root: string }> {
  if (path.includes("\0")) throw new OutsideRootsError("The path has a character no path can have.");
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

/** The part that exists is resolved by the system, the rest is taken literally: it holds no links. */
async function realPlace(path: string, linksLeft: number): Promise<string> {
  const target = await linkTarget(path);
  if (target !== null) {
    if (linksLeft === 0) throw new OutsideRootsError("The path leads in a circle of links.");
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
    throw new OutsideRootsError(`${path} cannot be read (${code ?? error}).`);
  }
}

function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}
