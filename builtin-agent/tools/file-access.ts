import { type Dirent, realpathSync } from "node:fs";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { Turn } from "../turn/turn.ts";

/** The real path of a user's path, or why it must not be accessed. */
type Resolved = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly reason: string };

/** Only paths really inside the session's directory are allowed, wherever links and dots point. */
export function resolveInside(cwd: string, given: string): Resolved {
  const root = realpathSync(cwd);
  const path = realPath(resolve(root, given));
  if (path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)) return { ok: true, path };
  return { ok: false, reason: `${given} is outside this session's directory.` };
}

/** Follows links in the existing part of the path; a new file's name is used unchanged. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (!isMissing(error) || dirname(path) === path) throw error;
    return join(realPath(dirname(path)), basename(path));
  }
}

/** True if the file no longer exists or is not accessible: a walk continues without it. */
export function isUnreadable(error: unknown): boolean {
  return (
    isMissing(error) ||
    (error instanceof Error && "code" in error && (error.code === "EACCES" || error.code === "EPERM"))
  );
}

/** True if the file does not exist. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

/** Larger files are neither read nor edited: they would not fit into a message. */
export const FILE_BYTES_MAX = 1024 * 1024;

/** Text, or the reason there is none; `missing` lets an edit create the file. */
type TextRead =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly missing: boolean; readonly reason: string };

/** Reads through the client if it supports that (it may have unsaved text), else from disk. */
export async function readText(turn: Turn, path: string, shown: string): Promise<TextRead> {
  const { client, session } = turn.context;
  const size = await sizeOf(path);
  if (size === "missing") return refused(`There is no file ${shown}.`, true);
  if (size === "directory") return refused(`${shown} is a directory.`);
  if (size > FILE_BYTES_MAX) return refused(`${shown} is bigger than ${FILE_BYTES_MAX} bytes.`);
  const text = client.capabilities.readTextFile
    ? await client.readTextFile(session.id, path, turn.signal)
    : await readFile(path, "utf8");
  return text.includes("\0") ? refused(`${shown} is not a text file.`) : { ok: true, text };
}

/** Writes through the client if it supports that, so that it sees the change, else to disk. */
export async function writeText(turn: Turn, path: string, text: string): Promise<void> {
  const { client, session } = turn.context;
  if (client.capabilities.writeTextFile) await client.writeTextFile(session.id, path, text, turn.signal);
  else await writeFile(path, text);
}

async function sizeOf(path: string): Promise<number | "missing" | "directory"> {
  try {
    const found = await stat(path);
    return found.isFile() ? found.size : "directory";
  } catch (error) {
    if (isMissing(error)) return "missing";
    throw error;
  }
}

function refused(reason: string, missing = false): TextRead {
  return { ok: false, missing, reason };
}

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
