/** More words than this say nothing more; the rest of a pasted page is left out. */
const WORDS_MAX = 24;
const WORD_CHARS_MAX = 100;
/** A single letter begins too many words to be of use as a beginning; a sign at the end says that the word is whole. */
const BEGINS_WORD = /[\p{L}\p{N}]{2}$/u;
/** Scripts written without spaces: a word of theirs stands inside a longer run. */
const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const HAS_WORD = /[\p{L}\p{N}]/u;
const PIECE = /"([^"]*)"?|[^\s"]+/gu;

/** A query in two halves: what the index answers, and what has to be looked for in the text itself. */
export interface ParsedSearch {
  /** In the index's own language, or null when no word of the query is in it. */
  readonly match: string | null;
  /** Signs, and words of scripts without spaces: found anywhere in a text. */
  readonly substrings: readonly string[];
}

/** Reads what a person typed. Nothing they can type is an error. Pure. */
export function parseSearch(query: string): ParsedSearch {
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
    .map((piece) => {
      const isBeginning = piece === last && !piece.isQuoted && BEGINS_WORD.test(piece.words);
      return `"${piece.words}"${isBeginning ? "*" : ""}`;
    });
  const substrings = pieces.filter(({ words }) => !isPlain(words)).map(({ words }) => words.toLowerCase());
  return { match: terms.length === 0 ? null : terms.join(" "), substrings };
}
