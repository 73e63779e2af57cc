import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { readGit } from "../git/run-git.ts";
import { readIfThere } from "./vault-files.ts";

const EXCLUDE_LINES_MAX = 10_000;

/** Where the parts of the user's repository are. It is only read. */
export interface Repository {
  readonly topLevel: string;
  readonly objectsDir: string;
  readonly indexFile: string;
  readonly objectFormat: "sha1" | "sha256";
  /** Patterns of the user's own list and of the repository's, beside the ignore files among the files. */
  readonly excludes: readonly string[];
}

/** The repository that a directory belongs to; null for a plain one. */
export async function readRepository(directory: string): Promise<Repository | null> {
  const paths = ["--git-path", "objects", "--git-path", "index", "--git-path", "info/exclude"];
  const asked = ["rev-parse", "--path-format=absolute", "--show-toplevel", ...paths, "--show-object-format"];
  const lines = (await readGit(directory, asked))?.trimEnd().split("\n");
  if (lines?.length !== 5) return null;
  const [topLevel = "", objectsDir = "", indexFile = "", excludeFile = "", objectFormat] = lines;
  if (objectFormat !== "sha1" && objectFormat !== "sha256") return null;
  // A home directory may be a repository of settings; a project in it is not a part of that.
  if (topLevel === (await realpath(homedir())) && topLevel !== directory) return null;
  if (
    topLevel !== directory &&
    (await readGit(directory, ["--no-literal-pathspecs", "check-ignore", "-q", "."])) !== null
  )
    return null;
  const own = (await readGit(directory, ["config", "--global", "--type=path", "--get", "core.excludesFile"]))?.trim();
  const lists = await Promise.all([own ? readIfThere(own) : null, readIfThere(excludeFile)]);
  const excludes = lists.flatMap((list) => (list ?? "").split("\n")).filter((line) => line !== "");
  return { topLevel, objectsDir, indexFile, objectFormat, excludes: excludes.slice(0, EXCLUDE_LINES_MAX) };
}
