import type { Dirent } from "node:fs";
import { opendir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { DIRECTORIES_LISTED_MAX, type DirectoryEntry } from "../protocol/directories.ts";

/** Of one directory; the rest is only reported as existing. */
const NAMES_READ_MAX = 20_000;
/** Links are checked one by one for a directory behind them. */
const CANDIDATES_TRIED_MAX = 4 * DIRECTORIES_LISTED_MAX;

interface Listing {
  readonly entries: DirectoryEntry[];
  readonly hasMore: boolean;
}

/**
 * The directories in a directory whose names contain this, those that begin with it first. Hidden ones only when that is
 * what is typed.
 */
export async function listDirectories(parent: string, typed: string): Promise<Listing> {
  const { names, hasMore } = await matchingNames(parent, typed);
  names.sort((a, b) => rank(a.name, typed) - rank(b.name, typed) || collator.compare(a.name, b.name));
  const entries: DirectoryEntry[] = [];
  for (const [tried, candidate] of names.entries()) {
    if (entries.length === DIRECTORIES_LISTED_MAX || tried === CANDIDATES_TRIED_MAX) return { entries, hasMore: true };
    const entry = await describe(parent, candidate);
    if (entry !== null) entries.push(entry);
  }
  return { entries, hasMore };
}

const collator = new Intl.Collator("en", { numeric: true });

/** Exact beginnings first, then beginnings in another case, then names that contain the text. */
function rank(name: string, typed: string): number {
  if (name.startsWith(typed)) return 0;
  return name.toLowerCase().startsWith(typed.toLowerCase()) ? 1 : 2;
}

async function matchingNames(parent: string, typed: string): Promise<{ names: Dirent[]; hasMore: boolean }> {
  const names: Dirent[] = [];
  let read = 0;
  for await (const entry of await opendir(parent)) {
    read += 1;
    if (read > NAMES_READ_MAX) return { names, hasMore: true };
    if ((entry.isDirectory() || entry.isSymbolicLink()) && isWanted(entry.name, typed)) names.push(entry);
  }
  return { names, hasMore: false };
}

function isWanted(name: string, typed: string): boolean {
  if (name.startsWith(".") && !typed.startsWith(".")) return false;
  return name.toLowerCase().includes(typed.toLowerCase());
}

/** Null for a link that leads to no directory. */
async function describe(parent: string, candidate: Dirent): Promise<DirectoryEntry | null> {
  const { name } = candidate;
  const path = join(parent, name);
  const isLink = candidate.isSymbolicLink();
  if (isLink && !(await isDirectory(path))) return null;
  const isRepository = await look(stat(join(path, ".git")));
  const isUnreadable =
    isRepository === "barred" || (await look(opendir(path).then((opened) => opened.close()))) === "barred";
  return {
    name,
    ...(isLink && { linkTo: await realpath(path) }),
    ...(isRepository === "there" && { isRepository: true }),
    ...(isUnreadable && { isUnreadable }),
  };
}

/** A circle of links and a link to nowhere are no directories. */
function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Tries it instead of checking rights: there are more reasons for a refusal than rights. */
function look(attempt: Promise<unknown>): Promise<"there" | "missing" | "barred"> {
  return attempt.then(
    () => "there",
    (error: unknown) => (isBarred(error) ? "barred" : "missing"),
  );
}

function isBarred(error: unknown): boolean {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  return code === "EACCES" || code === "EPERM";
}
