/** A word of a text, and where it stands. */
export interface FoundWord {
  /** In small letters and without accents. */
  readonly word: string;
  readonly from: number;
  readonly to: number;
}

/** Letters, digits and characters of private use, with the marks that go with them: what SQLite's index calls a word. */
const WORD = /[\p{L}\p{N}\p{Co}](?:[\p{L}\p{N}\p{Co}]|[\u0300-\u036f])*/gu;
const MARKS = /[\u0300-\u036f]/g;
/** Of a longer word only the beginning can be found. */
const WORD_CHARS_MAX = 255;

/** The words of a text as they are indexed, in order. Pure. */
export function wordsIn(text: string): FoundWord[] {
  return Array.from(text.matchAll(WORD), ({ 0: found, index }) => ({
    word: folded(found),
    from: index,
    to: index + found.length,
  }));
}

function folded(word: string): string {
  const plain = word.toLowerCase().normalize("NFD").replace(MARKS, "").normalize("NFC");
  return plain.length <= WORD_CHARS_MAX ? plain : plain.slice(0, WORD_CHARS_MAX).toWellFormed();
}
