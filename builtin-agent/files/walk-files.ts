import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { isUnreadable } from "./resolve-inside.ts";

const SKIPPED_DIRECTORIES = new Set([".git", "node_modules"]);

/** Regular files below `root`, sorted within each directory, as relative paths; links are not followed. */
export async function* walkFiles(root: string, directory = root): AsyncGenerator<string> {
  const entries = await readEntries(directory, directory === root);
  for (const entry of entries) {
    const path = join(directory, entry.name);
    if (entry.isFile()) yield relative(root, path);
    else if (entry.isDirectory() && !SKIPPED_DIRECTORIES.has(entry.name)) yield* walkFiles(root, path);
  }
}

async function readEntries(directory: string, isRoot: boolean): Promise<Dirent[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (!isRoot && isUnreadable(error)) return [];
    throw error;
  }
}
