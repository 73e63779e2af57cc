import { stripVTControlCharacters } from "node:util";
import { entryTime, searchText, touchedFiles } from "../../presentation/entry-text.ts";
import type { Entry } from "../../protocol/entry.ts";

/** Limit of indexed text per entry; a longer one keeps its beginning and its end. */
export const INDEXED_CHARS_MAX = 16_000;
const INDEXED_END_CHARS = 4_000;
const FILES_MAX = 200;
const PATH_CHARS_MAX = 4_096;
/** No text is told from our marks around a hit by these, and none is cut short by a zero. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these very characters are meant
const UNFIT = /[\u0000-\u0002]/g;

interface SearchableEntry {
  readonly text: string;
  readonly at: string | null;
  /** Files that the entry read or changed. */
  readonly files: readonly string[];
}

/** The searchable text of an entry. Pure. */
export function searchableEntry(entry: Entry): SearchableEntry {
  return { text: fitText(searchText(entry)), at: entryTime(entry), files: fitPaths(touchedFiles(entry)) };
}

export function fitText(text: string): string {
  // A coloured word is found by its letters, without colour codes.
  const fit = stripVTControlCharacters(text).replace(UNFIT, " ");
  if (fit.length <= INDEXED_CHARS_MAX) return fit.toWellFormed();
  const start = fit.slice(0, INDEXED_CHARS_MAX - INDEXED_END_CHARS);
  return `${start}\n…\n${fit.slice(-INDEXED_END_CHARS)}`.toWellFormed();
}

function fitPaths(paths: readonly string[]): readonly string[] {
  const fit = paths.filter((path) => path !== "" && path.length <= PATH_CHARS_MAX);
  return [...new Set(fit.map((path) => path.replace(UNFIT, " ").toWellFormed()))].slice(0, FILES_MAX);
}
