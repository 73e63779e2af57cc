import { stripVTControlCharacters } from "node:util";
import type { SnippetPiece } from "../../protocol/search.ts";

/** Around what the index found; no text in it holds these. */
export const HIT_START = "\u0001";
export const HIT_END = "\u0002";
const SNIPPET_CHARS_MAX = 320;
const BEFORE_HIT_CHARS = 60;
const SPACES = /\s+/g;

/** The index's own excerpt, in pieces: one line, and no longer than a reader takes in at a glance. */
export function snippetFromMarked(marked: string): SnippetPiece[] {
  // What was indexed before colours were left out still has them.
  const pieces = stripVTControlCharacters(marked)
    .replace(SPACES, " ")
    .split(HIT_START)
    .flatMap((part, index) => {
      if (index === 0) return [{ text: part, hit: false }];
      const [hit = "", ...rest] = part.split(HIT_END);
      return [
        { text: hit, hit: true },
        { text: rest.join(""), hit: false },
      ];
    });
  return bounded(pieces.filter(({ text }) => text !== ""));
}

/** An excerpt around what was found by looking into the text itself. */
export function snippetAround(found: string, needle: string): SnippetPiece[] {
  const text = stripVTControlCharacters(found);
  const at = text.toLowerCase().indexOf(needle);
  if (at === -1) return bounded([{ text: text.slice(0, SNIPPET_CHARS_MAX).replace(SPACES, " "), hit: false }]);
  const from = Math.max(0, at - BEFORE_HIT_CHARS);
  const end = at + needle.length;
  const before = `${from > 0 ? "…" : ""}${text.slice(from, at)}`;
  const pieces = [
    { text: before.replace(SPACES, " "), hit: false },
    { text: text.slice(at, end).replace(SPACES, " "), hit: true },
    { text: text.slice(end, end + SNIPPET_CHARS_MAX).replace(SPACES, " "), hit: false },
  ];
  return bounded(pieces.filter((piece) => piece.text !== ""));
}

/** Words without end (encoded data, a minified file) are cut: before a hit at their beginning, after it at their end. */
function bounded(pieces: readonly SnippetPiece[]): SnippetPiece[] {
  const kept: SnippetPiece[] = [];
  let left = SNIPPET_CHARS_MAX;
  for (const [index, { text, hit }] of pieces.entries()) {
    const leadsToHit = index === 0 && !hit && pieces.length > 1;
    const fit = leadsToHit && text.length > BEFORE_HIT_CHARS * 2 ? `…${text.slice(-BEFORE_HIT_CHARS * 2)}` : text;
    const cut = fit.length > left ? `${fit.slice(0, left)}…` : fit;
    kept.push({ text: cut.toWellFormed(), hit });
    left -= fit.length;
    if (left <= 0) break;
  }
  return kept;
}
