import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";

/** The real place of a path of the user's, or why it must not be touched. */
type Resolved = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly reason: string };

/** Only what really lies inside the session's directory counts, wherever links and dots point. */
export function resolveInside(cwd: string, given: string): Resolved {
  const root = realpathSync(cwd);
  const path = realPath(resolve(root, given));
  if (path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)) return { ok: true, path };
  return { ok: false, reason: `${given} is outside this session's directory.` };
}

/** Links are followed in the part of the path that exists; a new file's own name is taken as it is. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (!isMissing(error) || dirname(path) === path) throw error;
    return join(realPath(dirname(path)), basename(path));
  }
}

/** True when an error says that the file is not there any more or not for us: a walk goes on without it. */
export function isUnreadable(error: unknown): boolean {
  return (
    isMissing(error) ||
    (error instanceof Error && "code" in error && (error.code === "EACCES" || error.code === "EPERM"))
  );
}

/** True when an error says that the file is not there. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
