import { join } from "node:path";
import { absolutePath, type RawPath } from "../git/raw-path.ts";
import { readGit } from "../git/run-git.ts";
import { below, innermostPart, partDirectory, type ScannedPart } from "./scan.ts";
import type { Vault } from "./vault.ts";
import { exists } from "./vault-files.ts";

/** A submodule that points to another commit than the last commit says. Checkpoints hold its files, not this. */
export interface MovedSubmodule {
  readonly path: RawPath;
  /** Null: the last commit has no such submodule. */
  readonly from: string | null;
  /** Null: it is no longer there. */
  readonly to: string | null;
}

const GITLINK = "160000";

/** What `git diff HEAD` shows of submodules. `commits`: the last commit of each repository inside, by its path. */
export async function movedSubmodules(
  vault: Vault,
  parts: readonly ScannedPart[],
  commits: ReadonlyMap<RawPath, string | null>,
): Promise<MovedSubmodule[]> {
  const moved: MovedSubmodule[] = [];
  for (const { path: part } of parts) {
    if ((commits.get(part) ?? null) === null) continue;
    const directory = partDirectory(vault, part);
    const candidates = await candidatesIn(directory, part, parts);
    if (candidates.length === 0) continue;
    const committed = await linksIn(directory, ["ls-tree", "-z", "HEAD", "--", ...candidates]);
    const staged = await linksIn(directory, ["ls-files", "-z", "--stage", "--", ...candidates]);
    for (const candidate of candidates) {
      const path = below(part, candidate);
      const from = committed.get(candidate) ?? null;
      const wanted = staged.get(candidate) ?? null;
      const isThere = wanted !== null && (await exists(absolutePath(directory, candidate)));
      // One that is not checked out counts as it is staged.
      const to = isThere ? (commits.get(path) ?? wanted) : null;
      if (from !== to) moved.push({ path, from, to });
    }
  }
  return moved;
}

/** Repositories inside, and what the last commit calls submodules. */
async function candidatesIn(directory: string, part: RawPath, parts: readonly ScannedPart[]): Promise<RawPath[]> {
  const inside = parts
    .map(({ path }) => path)
    .filter((path) => {
      const others = parts.filter((one) => one.path !== path);
      return path !== "" && path !== part && innermostPart(others, path) === part;
    })
    .map((path) => (part === "" ? path : path.slice(part.length + 1)) as RawPath);
  const asked = ["config", "-z", "--blob", "HEAD:.gitmodules", "--get-regexp", "^submodule\\..*\\.path$"];
  const named = (await readGit(directory, asked))?.split("\0") ?? [];
  const paths = named.flatMap((line) => (line.includes("\n") ? [line.slice(line.indexOf("\n") + 1)] : []));
  const isInside = (path: string) => path !== "" && join("/", path) === `/${path}`;
  return [...new Set([...inside, ...(paths.filter(isInside) as RawPath[])])].sort();
}

/** The commits that entries of a listing point to, by their paths. */
async function linksIn(directory: string, args: readonly string[]): Promise<Map<RawPath, string>> {
  const lines = (await readGit(directory, args))?.split("\0") ?? [];
  return new Map(
    lines.flatMap((line): [RawPath, string][] => {
      const [, mode, id = "", path = ""] = /^(\d+) (?:\w+ )?([0-9a-f]{40,64})(?: \d)?\t(.+)$/s.exec(line) ?? [];
      return mode === GITLINK ? [[path as RawPath, id]] : [];
    }),
  );
}
