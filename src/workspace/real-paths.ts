import { lstat, readlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { RealPaths } from "../ports/real-path.ts";

const LINKS_FOLLOWED_MAX = 40;
/** A disk that does not respond must not block the caller. */
const LOOKUP_MS_MAX = 2_000;
const PATH_CHARS_MAX = 4_096;

/** Resolves paths on the disk. */
export class DiskRealPaths implements RealPaths {
  async placesOf(path: string): Promise<readonly string[] | null> {
    if (!path.startsWith("/") || path.includes("\0") || path.length > PATH_CHARS_MAX) return null;
    const walks = Promise.all([walk(path), walk(resolve(path))]);
    const places = await inTime(walks);
    if (places === null || places.some((place) => place === null)) return null;
    return [...new Set(places.flatMap((place) => place ?? []))];
  }

  async isFile(path: string): Promise<boolean> {
    const isOne = lstat(path).then(
      (found) => !found.isDirectory(),
      (error) => !isMissing(error),
    );
    return (await inTime(isOne)) ?? true;
  }
}

/** Name by name as the system does it; what is not there holds no links and is taken literally. */
async function walk(path: string): Promise<string | null> {
  let place = "/";
  let linksLeft = LINKS_FOLLOWED_MAX;
  const names = path.split("/").reverse();
  while (names.length > 0) {
    const name = names.pop();
    if (name === undefined || name === "" || name === ".") continue;
    if (name === "..") {
      place = dirname(place);
      continue;
    }
    const next = join(place, name);
    const target = await linkTarget(next);
    if (target === undefined) return null;
    if (target === null) {
      place = next;
      continue;
    }
    if (linksLeft === 0) return null;
    linksLeft -= 1;
    if (target.startsWith("/")) place = "/";
    names.push(...target.split("/").reverse());
  }
  return place;
}

/** Null when it is not a link or missing, undefined when the system reports neither. */
async function linkTarget(path: string): Promise<string | null | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : null;
  } catch (error) {
    return isMissing(error) ? null : undefined;
  }
}

function isMissing(error: unknown): boolean {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  return code === "ENOENT" || code === "ENOTDIR";
}

function inTime<Value>(work: Promise<Value>): Promise<Value | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((done) => {
    timer = setTimeout(() => done(null), LOOKUP_MS_MAX);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
