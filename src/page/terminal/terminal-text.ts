/** A web address in the text of a terminal, from its first column to the one after its last. */
interface FoundLink {
  readonly url: string;
  readonly from: number;
  readonly to: number;
}

const ADDRESS = /https?:\/\/[^\s"'<>`|\\^{}]+/g;
/** Ends a sentence, or closes a bracket opened before the address. */
const TRAILING = /[).,:;!?\]]+$/;

/** The addresses in an unwrapped line. */
export function findLinks(text: string): readonly FoundLink[] {
  return [...text.matchAll(ADDRESS)].map(({ 0: match, index }) => {
    const url = match.replace(TRAILING, "");
    return { url, from: index, to: index + url.length };
  });
}

/**
 * `src/a.ts:20:32`, `./a.ts`, `docs/b.md`: a path with a directory, or a name with a line. A word with a slash alone, such
 * as "and/or", is none.
 */
const PATH =
  /(?<![\w:/.@-])(?:\.{0,2}\/)?(?:[\w.@+-]+\/)*[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,9}(?::\d{1,9}(?::\d{1,9})?)?(?![\w/@])/g;

/** The paths of files in an unwrapped line. Whether there is such a file is asked when one is opened. */
export function findPaths(text: string): readonly FoundLink[] {
  const addresses = findLinks(text);
  return [...text.matchAll(PATH)]
    .filter(({ 0: match }) => match.includes("/") || /:\d/.test(match))
    .map(({ 0: match, index }) => ({ url: match, from: index, to: index + match.length }))
    .filter(({ from }) => !addresses.some((address) => from >= address.from && from < address.to));
}

/** More is too long for a question. Errors are at the end. */
const QUOTED_CHARS_MAX = 8_000;

/** Output of a terminal as a fenced block of a message, with an empty line after it to write into. */
export function quoteOutput(output: string): string {
  const lines = output.replaceAll(/[ \t]+$/gm, "").replaceAll(/^\n+|\n+$/g, "");
  const kept = lines.length <= QUOTED_CHARS_MAX ? lines : `…${lines.slice(-QUOTED_CHARS_MAX)}`;
  const longest = Math.max(2, ...(kept.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${kept}\n${fence}\n`;
}
