import type { SearchRequest } from "../../protocol/search.ts";

const DATE_ONLY = /^\d{4}-\d{2}-\d{2}$/;
const END_OF_DAY = "T23:59:59.999Z";

/** More words add nothing; the rest of a pasted page is dropped. */
const WORDS_MAX = 24;
const WORD_CHARS_MAX = 100;
/** A single letter begins too many words to be of use as a beginning; a sign at the end says that the word is whole. */
const BEGINS_WORD = /[\p{L}\p{N}]{2}$/u;
/** Scripts written without spaces: their words are inside a longer run. */
const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const HAS_WORD = /[\p{L}\p{N}]/u;
const PIECE = /"([^"]*)"?|[^\s"]+/gu;

/** Words in a row. */
export interface SearchTerm {
  readonly words: string;
  /** The last of the words may go on. */
  readonly isBeginning: boolean;
}

/** A query in two parts: what the index answers, and what has to be scanned in the text. */
interface SearchQuery {
  readonly terms: readonly SearchTerm[];
  /** Signs, and words of scripts without spaces: found anywhere in a text. */
  readonly substrings: readonly string[];
}

/** Parses the user's query. No input is an error. Pure. */
export function readQuery(query: string): SearchQuery {
  const text = query.toWellFormed().normalize("NFC").replaceAll("\0", " ");
  const pieces = [...text.matchAll(PIECE)]
    .map(([whole, quoted]) => ({
      words: (quoted ?? whole).trim().slice(0, WORD_CHARS_MAX),
      isQuoted: quoted !== undefined,
    }))
    .filter(({ words }) => words !== "")
    .slice(0, WORDS_MAX);
  const isPlain = (words: string) => HAS_WORD.test(words) && !WITHOUT_SPACES.test(words);
  const last = pieces.at(-1);
  const terms = pieces
    .filter(({ words }) => isPlain(words))
    .map((piece) => ({
      words: piece.words,
      isBeginning: piece === last && !piece.isQuoted && BEGINS_WORD.test(piece.words),
    }));
  const substrings = pieces.filter(({ words }) => !isPlain(words)).map(({ words }) => words.toLowerCase());
  return { terms, substrings };
}

/** What a hit must be, in the form that stores compare with. */
export interface SearchFilters {
  readonly projectId: string | null;
  readonly cliType: string | null;
  readonly withArchived: boolean;
  readonly kinds: readonly string[] | null;
  readonly from: string | null;
  readonly to: string | null;
  /** A pattern for LIKE, with `\\` before literal special characters. */
  readonly path: string | null;
}

export function filtersOf({
  projectId,
  cliType,
  includeArchived,
  kinds,
  from,
  to,
  path,
}: SearchRequest): SearchFilters {
  return {
    projectId: projectId ?? null,
    cliType: cliType ?? null,
    withArchived: includeArchived === true,
    kinds: kinds === undefined || kinds.length === 0 ? null : kinds,
    from: from === undefined ? null : new Date(from).toISOString(),
    to: to === undefined ? null : DATE_ONLY.test(to) ? `${to}${END_OF_DAY}` : new Date(to).toISOString(),
    path: path === undefined ? null : `%${path.toWellFormed().replaceAll(/[\\%_]/g, "\\$&")}%`,
  };
}

/** Whether a text holds all of these, in any case. */
export function holdsAll(text: string, substrings: readonly string[]): boolean {
  if (substrings.length === 0) return true;
  const searched = text.toLowerCase();
  return substrings.every((each) => searched.includes(each));
}
