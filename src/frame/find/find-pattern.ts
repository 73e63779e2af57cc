/** Stands between texts that are apart on the screen: no query reaches across it. */
export const TEXT_BREAK = "\u0000";
const SPECIAL = /[\\^$.*+?()[\]{}|/]/g;
export const FIND_QUERY_CHARS_MAX = 1_000;

/** What a query matches: as it stands, in any case, with any white space where it has some. Null when there is nothing to find. */
export function findPattern(query: string): RegExp | null {
  const words = query.slice(0, FIND_QUERY_CHARS_MAX).trim().split(/\s+/);
  if (words[0] === undefined || words[0] === "") return null;
  return new RegExp(words.map((word) => word.replace(SPECIAL, "\\$&")).join("\\s+"), "giu");
}

/** The longest run of letters and digits in a query: a source without it need not be read. */
export function longestWord(query: string): string {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), "");
}
