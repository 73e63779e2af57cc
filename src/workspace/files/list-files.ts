import type { FileList, ListLimits } from "./file-list.ts";
import { listGitFiles } from "./list-git-files.ts";
import { walkFiles } from "./walk-files.ts";

/** The files of a directory that are its own: as Git sees them in a repository, else all that no ignore file names. */
export async function listFiles(root: string, limits: ListLimits): Promise<FileList> {
  const known = await listGitFiles(root, limits);
  // None at all: no repository, no Git, or a directory that a repository around it ignores.
  return known && known.paths.length > 0 ? known : walkFiles(root, limits);
}
