import { isAbsolute, join } from "node:path";

export type TypedPath = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly reason: string };

/** A path as people type it: whole, or from home on. */
export function typedPath(given: string, home: string): TypedPath {
  const path = given === "~" || given.startsWith("~/") ? join(home, given.slice(1)) : given;
  if (path.includes("\0")) return { ok: false, reason: "The path has a character no path can have." };
  if (!isAbsolute(path)) return { ok: false, reason: "Give the whole path, starting with / or ~." };
  return { ok: true, path };
}

/** Why a path leads nowhere, in words. */
export function pathReason(error: unknown): string {
  switch (error instanceof Error ? Reflect.get(error, "code") : undefined) {
    case "ENOENT":
    case "ENOTDIR":
      return "That directory doesn't exist.";
    case "EACCES":
    case "EPERM":
      return "You have no permission to read it.";
    case "ELOOP":
      return "The path leads in a circle of links.";
    case "ENAMETOOLONG":
      return "The path is too long.";
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
