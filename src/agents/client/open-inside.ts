import { constants } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { join, relative, sep } from "node:path";

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const FILE_MODE = 0o644;

interface Place {
  /** Real, and known to be a root. */
  readonly root: string;
  /** Free of links when it was looked at, and below the root. */
  readonly real: string;
  readonly flags: number;
  /** The directories to it are made where they are missing. */
  readonly makesDirectories: boolean;
}

/**
 * Opens a file one directory at a time, each from the one before, and follows no link: what was a directory when the
 * path was judged may be a link by now, and must lead nowhere. Needs a system where an open directory has a path.
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
