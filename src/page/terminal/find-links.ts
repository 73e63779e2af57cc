/** A web address in the text of a terminal, from its first column to the one after its last. */
interface FoundLink {
  readonly url: string;
  readonly from: number;
  readonly to: number;
}

const ADDRESS = /https?:\/\/[^\s"'<>`|\\^{}]+/g;
/** Ends a sentence, or closes what was opened before the address. */
const TRAILING = /[).,:;!?\]]+$/;

/** The addresses in a line as it was written, however the width of the view has broken it. */
export function findLinks(text: string): readonly FoundLink[] {
  return [...text.matchAll(ADDRESS)].map(({ 0: match, index }) => {
    const url = match.replace(TRAILING, "");
    return { url, from: index, to: index + url.length };
  });
}
