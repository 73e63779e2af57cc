import type { Dirent } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import ignore, { type Ignore } from "ignore";
import type { FileList, ListLimits } from "./file-list.ts";

/** What nobody means when they name a file of theirs. */
const NEVER: ReadonlySet<string> = new Set([".git", ".hg", ".svn", "node_modules"]);
const DIRECTORIES_AT_ONCE = 16;

interface Place {
  /** Relative to the root; empty for the root itself. */
  readonly path: string;
  /** The ignore files from the root down to here, each with the directory it speaks about. */
  readonly rules: readonly { readonly base: string; readonly ignored: Ignore }[];
}

/** Breadth first, so that what is cut off is what lies deepest. Links to directories are not followed. */
export async function walkFiles(root: string, limits: ListLimits): Promise<FileList> {
  const paths: string[] = [];
  const isLate = deadline(limits.durationMsMax);
  let level: Place[] = [{ path: "", rules: [] }];
  while (level.length > 0) {
    if (paths.length > limits.filesMax || isLate()) break;
    const now = level.slice(0, DIRECTORIES_AT_ONCE);
    const found = await Promise.all(now.map((place) => readPlace(root, place)));
    level = level.slice(DIRECTORIES_AT_ONCE);
    for (const { files, directories } of found) {
      for (const file of files) paths.push(file);
      for (const directory of directories) level.push(directory);
    }
  }
  const isPartial = level.length > 0 || paths.length > limits.filesMax;
  return { paths: paths.slice(0, limits.filesMax), isPartial };
}

async function readPlace(root: string, place: Place): Promise<{ files: string[]; directories: Place[] }> {
  const items = await readDirectory(join(root, place.path));
  const own = items.some((item) => item.name === ".gitignore" && item.isFile());
  const rules = own ? [...place.rules, { base: place.path, ignored: await readRules(root, place.path) }] : place.rules;
  const files: string[] = [];
  const directories: Place[] = [];
  for (const item of items) {
    const path = place.path === "" ? item.name : `${place.path}/${item.name}`;
    if (NEVER.has(item.name) || isIgnored(rules, path, item.isDirectory())) continue;
    if (item.isDirectory()) directories.push({ path, rules });
    else if (item.isFile() || item.isSymbolicLink()) files.push(path);
  }
  return { files, directories };
}

/** The deepest ignore file that has an opinion decides, as in Git. */
function isIgnored(rules: Place["rules"], path: string, isDirectory: boolean): boolean {
  for (const { base, ignored } of rules.toReversed()) {
    const inside = base === "" ? path : path.slice(base.length + 1);
    const verdict = ignored.test(isDirectory ? `${inside}/` : inside);
    if (verdict.ignored || verdict.unignored) return verdict.ignored;
  }
  return false;
}

async function readRules(root: string, path: string): Promise<Ignore> {
  const rules = ignore();
  try {
    rules.add(await readFile(join(root, path, ".gitignore"), "utf8"));
  } catch (error) {
    if (!isUnreadable(error)) throw error;
  }
  return rules;
}

async function readDirectory(path: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    if (isUnreadable(error)) return [];
    throw error;
  }
}

/** Gone meanwhile, or not ours to read: there is nothing to list then. */
function isUnreadable(error: unknown): boolean {
  return error instanceof Error && "code" in error;
}

function deadline(durationMs: number): () => boolean {
  const signal = AbortSignal.timeout(durationMs);
  return () => signal.aborted;
}
