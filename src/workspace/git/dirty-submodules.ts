import { lstat } from "node:fs/promises";
import { absolutePath, type RawPath, splitRawPaths } from "./raw-path.ts";
import { readGit } from "./run-git.ts";

/** Deeper ones cannot be checked. */
const DEPTH_MAX = 5;
const SUBMODULE = /^160000 [0-9a-f]+ \d\t/;
/**
 * For every scan of a repository that may have submodules: their own settings name the programs that Git would run, and
 * the settings of the repository around them do not override those.
 */
export const IGNORE_DIRTY_SUBMODULES = "--ignore-submodules=dirty";

/**
 * The submodules with uncommitted files, by their paths from the top of the repository. Each is checked separately, so
 * that none of its own settings can run a program. Null when this cannot be determined.
 */
export async function dirtySubmodules(topLevel: string, depth = 0): Promise<readonly RawPath[] | null> {
  if (depth > DEPTH_MAX) return null;
  const listing = await readGit(topLevel, ["ls-files", "--stage", "-z"]);
  if (listing === null) return null;
  const dirty: RawPath[] = [];
  for (const line of splitRawPaths(Buffer.from(listing, "latin1"))) {
    if (!SUBMODULE.test(line)) continue;
    const path = line.replace(SUBMODULE, "") as RawPath;
    const place = absolutePath(topLevel, path);
    const isThere = await lstat(Buffer.concat([place, Buffer.from("/.git")])).catch(() => null);
    if (!isThere) continue;
    // Such a name cannot be given to a program.
    const directory = place.toString("utf8");
    if (!Buffer.from(directory, "utf8").equals(place)) return null;
    const status = await readGit(directory, [
      "status",
      "--porcelain",
      "-z",
      "--untracked-files=all",
      IGNORE_DIRTY_SUBMODULES,
    ]);
    const inside = status === null ? null : await dirtySubmodules(directory, depth + 1);
    if (inside === null) return null;
    if (status !== "" || inside.length > 0) dirty.push(path);
  }
  return dirty;
}
