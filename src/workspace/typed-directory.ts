import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import type { Directories } from "../protocol/directories.ts";
import { listDirectories } from "./list-directories.ts";

/** The real path of a readable directory, or why there is none. `home` replaces `~`. */
export async function findDirectory(givenPath: string, home: string): Promise<TypedPath> {
  const typed = typedPath(givenPath, home);
  if (!typed.ok) return typed;
  try {
    const path = await realpath(typed.path);
    if (!(await stat(path)).isDirectory()) return { ok: false, reason: "That is a file, not a directory." };
    await access(path, constants.R_OK | constants.X_OK);
    return { ok: true, path };
  } catch (error) {
    return { ok: false, reason: pathReason(error) };
  }
}

/** Completions of a path that is being typed, and its current error. */
export async function completeDirectory(
  path: string,
  home: string,
  problemOf: (found: string) => Promise<string | undefined>,
): Promise<Directories> {
  const base = path === "~" ? "~/" : path.slice(0, path.lastIndexOf("/") + 1);
  const beginning = path === "~" ? "" : path.slice(base.length);
  const [parent, found] = await Promise.all([findDirectory(base, home), findDirectory(path, home)]);
  const { entries, hasMore, reason } = parent.ok ? await listOrNothing(parent.path, beginning) : NOTHING;
  const problem = found.ok ? (reason ?? (await problemOf(found.path))) : found.reason;
  return { path, base, entries, hasMore, ...(problem !== undefined && { problem }) };
}

interface Listed extends Pick<Directories, "entries" | "hasMore"> {
  readonly reason?: string;
}

const NOTHING: Listed = { entries: [], hasMore: false };

/** A directory may be deleted or become unreadable between two checks. */
function listOrNothing(path: string, beginning: string): Promise<Listed> {
  return listDirectories(path, beginning).catch((error: unknown) => ({ ...NOTHING, reason: pathReason(error) }));
}

export type TypedPath = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly reason: string };

/** A path as people type it: whole, or from home on. */
function typedPath(given: string, home: string): TypedPath {
  const path = given === "~" || given.startsWith("~/") ? join(home, given.slice(1)) : given;
  if (path.includes("\0")) return { ok: false, reason: "The path contains an invalid character." };
  if (!isAbsolute(path)) return { ok: false, reason: "Enter the full path, starting with / or ~." };
  return { ok: true, path };
}

/** Why a path cannot be used, as text. */
function pathReason(error: unknown): string {
  switch (error instanceof Error ? Reflect.get(error, "code") : undefined) {
    case "ENOENT":
    case "ENOTDIR":
      return "That directory doesn't exist.";
    case "EACCES":
    case "EPERM":
      return "You don't have permission to read it.";
    case "ELOOP":
      return "The path is a symbolic link loop.";
    case "ENAMETOOLONG":
      return "The path is too long.";
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
