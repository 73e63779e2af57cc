import type { Dirent } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import ignore, { type Ignore } from "ignore";
import { startGit } from "./git/run-git.ts";

/** The files of a directory that are its own: as Git sees them in a repository, else all that no ignore file names. */
export async function listFiles(root: string, limits: ListLimits): Promise<FileList> {
  const known = await listGitFiles(root, limits);
  // None at all: no repository, no Git, or a directory that a repository around it ignores.
  return known && known.paths.length > 0 ? known : walkFiles(root, limits);
}

/** The limits of one listing; whatever is beyond them is left out, and the list is marked as partial. */
export interface ListLimits {
  readonly filesMax: number;
  readonly durationMsMax: number;
}

export interface FileList {
  /** Relative to the root, with forward slashes. */
  readonly paths: readonly string[];
  /** There is more than was listed. */
  readonly isPartial: boolean;
}

/** Tracked and new files without the ignored ones; null when Git cannot list them. */
export async function listGitFiles(root: string, limits: ListLimits): Promise<FileList | null> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), limits.durationMsMax);
  const paths = new Set<string>();
  let isPartial = false;
  try {
    using listing = await startGit(root, ["ls-files", "-co", "--exclude-standard", "-z"], deadline.signal);
    if (listing === null) return deadline.signal.aborted ? { paths: [], isPartial: true } : null;
    for await (const path of splitAtNull(listing.stdout)) {
      if (paths.size >= limits.filesMax) {
        isPartial = true;
        deadline.abort();
        break;
      }
      paths.add(path);
    }
    const exitCode = await listing.exited;
    isPartial ||= deadline.signal.aborted;
    return exitCode === 0 || isPartial ? { paths: [...paths], isPartial } : null;
  } finally {
    clearTimeout(timer);
  }
}

/** Names that are not valid text cannot be sent, and are left out. */
async function* splitAtNull(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const pieces = (rest + decoder.decode(chunk, { stream: true })).split("\0");
    rest = pieces.pop() ?? "";
    for (const piece of pieces) if (piece !== "" && !piece.includes("\uFFFD")) yield piece;
  }
}

/** Directories that are never meant when a user names a file. */
const NEVER: ReadonlySet<string> = new Set([".git", ".hg", ".svn", "node_modules"]);
const DIRECTORIES_AT_ONCE = 16;

interface Place {
  /** Relative to the root; empty for the root itself. */
  readonly path: string;
  /** The ignore files from the root down to here, each with the directory it applies to. */
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

/** As in Git, the deepest ignore file with a matching pattern decides. */
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

/** Deleted meanwhile, or not readable: there is nothing to list then. */
function isUnreadable(error: unknown): boolean {
  return error instanceof Error && "code" in error;
}

function deadline(durationMs: number): () => boolean {
  const signal = AbortSignal.timeout(durationMs);
  return () => signal.aborted;
}
