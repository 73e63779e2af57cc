import type { Source } from "./source.ts";

/** Characters that programs stumble over, whatever they read. */
const ODD_CHARACTERS: readonly string[] = [
  ..."\0\t\n\r\u001b\u0007\u007f\u0085\u00a0\u00ad\u0130\u017f\u1e9e\u200b\u200d\u2028\u202e\ufeff\ufffd\uffff",
  ..."\"'`\\/<>&%$#@!*?[]{}()|;:,.=+-_~^ ",
  "\ud83d",
  "\ude00",
  "😀",
  "漢",
  "é",
  "e\u0301",
  "\r\n",
];

/** Words of the target's own language, beside each other in every odd way, and now and then anything at all. */
export function someText(source: Source, words: readonly string[], countMax: number): string {
  let text = "";
  for (let left = source.below(countMax + 1); left > 0; left -= 1) text += somePiece(source, words);
  return text;
}

/** One small change, as by a slip of the hand, a cut wire or an enemy. */
export function mutateText(source: Source, text: string, words: readonly string[]): string {
  const from = source.below(text.length + 1);
  const to = Math.min(text.length, from + source.between(0, source.pick([1, 4, 40])));
  const piece = text.slice(from, to);
  switch (source.below(6)) {
    case 0:
      return text.slice(0, from) + text.slice(to);
    case 1:
      return text.slice(0, from) + somePiece(source, words) + text.slice(from);
    case 2:
      return text.slice(0, from) + somePiece(source, words) + text.slice(to);
    case 3:
      return text.slice(0, from) + piece.repeat(source.pick([2, 3, 20])) + text.slice(to);
    case 4: {
      const place = source.below(text.length + 1);
      return text.slice(0, place) + piece + text.slice(place);
    }
    default:
      return text.slice(0, from);
  }
}

/** Where to cut a text into pieces: everywhere, in small pieces, or hardly at all. */
export function someCuts(source: Source, length: number): number[] {
  const sizeMax = source.pick([1, 4, 20, 200]);
  const cuts: number[] = [];
  for (let at = source.between(1, sizeMax); at < length; at += source.between(1, sizeMax)) cuts.push(at);
  return cuts;
}

/** The text in pieces; cuts outside of it or out of order mean nothing. */
export function piecesOf(text: string, cuts: readonly number[]): string[] {
  const places = [...new Set(cuts.filter((cut) => cut > 0 && cut < text.length))].sort((one, other) => one - other);
  return [0, ...places].map((from, index) => text.slice(from, places[index]));
}

function somePiece(source: Source, words: readonly string[]): string {
  if (words.length > 0 && !source.isOneIn(8)) return source.pick(words);
  return source.isOneIn(4) ? String.fromCharCode(source.below(0x10000)) : source.pick(ODD_CHARACTERS);
}
