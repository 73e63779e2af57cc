import type { Dirent } from "node:fs";
import { opendir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { DIRECTORIES_LISTED_MAX, type DirectoryEntry } from "../protocol/directories.ts";

/** Of one directory; what comes after is said to be there, not shown. */
const NAMES_READ_MAX = 20_000;
/** Links are followed one by one to see whether a directory is behind. */
const CANDIDATES_TRIED_MAX = 4 * DIRECTORIES_LISTED_MAX;

interface Listing {
  readonly entries: DirectoryEntry[];
  readonly hasMore: boolean;
}

/** The directories in a directory whose names begin so, by name. Hidden ones only when that is what is typed. */
export async function listDirectories(parent: string, beginning: string): Promise<Listing> {
  const { names, hasMore } = await matchingNames(parent, beginning);
  names.sort((a, b) => rank(a.name, beginning) - rank(b.name, beginning) || collator.compare(a.name, b.name));
  const entries: DirectoryEntry[] = [];
  for (const [tried, candidate] of names.entries()) {
    if (entries.length === DIRECTORIES_LISTED_MAX || tried === CANDIDATES_TRIED_MAX) return { entries, hasMore: true };
    const entry = await describe(parent, candidate);
    if (entry !== null) entries.push(entry);
  }
  return { entries, hasMore };
}

const collator = new Intl.Collator("en", { numeric: true });

/** What is spelled just as typed comes before what only sounds like it. */
function rank(name: string, beginning: string): number {
  return name.startsWith(beginning) ? 0 : 1;
}

async function matchingNames(parent: string, beginning: string): Promise<{ names: Dirent[]; hasMore: boolean }> {
  const names: Dirent[] = [];
  let read = 0;
  for await (const entry of await opendir(parent)) {
    read += 1;
    if (read > NAMES_READ_MAX) return { names, hasMore: true };
    if ((entry.isDirectory() || entry.isSymbolicLink()) && isWanted(entry.name, beginning)) names.push(entry);
  }
  return { names, hasMore: false };
}

function isWanted(name: string, beginning: string): boolean {
  if (name.startsWith(".") && !beginning.startsWith(".")) return false;
  return name.toLowerCase().startsWith(beginning.toLowerCase());
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

/** By trying, not by asking for the rights: the system knows more reasons than those to bar someone. */
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
