import { stripVTControlCharacters } from "node:util";
import type { SnippetPiece } from "../../protocol/search.ts";
import type { SearchTerm } from "./search-query.ts";
import { type FoundWord, wordsIn } from "./words.ts";

export const SNIPPET_WORDS = 24;
/** Around what the index found; no text in it holds these. */
export const HIT_START = "\u0001";
export const HIT_END = "\u0002";
const SNIPPET_CHARS_MAX = 320;
const BEFORE_HIT_CHARS = 60;
const SPACES = /\s+/g;

/** The index's own excerpt, in pieces: one line, and short enough to read at a glance. */
export function snippetFromMarked(marked: string): SnippetPiece[] {
  // Text indexed by earlier versions still has colour codes.
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

/** Of the words in an excerpt, so many stand before the first hit. */
const WORDS_BEFORE_HIT = 6;

/**
 * The text with marks around what matches, cut to where most of it does: for an index that does not do this itself.
 * Pure.
 */
export function markedExcerpt(text: string, terms: readonly SearchTerm[]): string {
  const words = wordsIn(text);
  const hits = hitsIn(words, terms);
  const start = hits.length === 0 ? 0 : bestStart(words.length, hits);
  const end = Math.min(words.length, start + SNIPPET_WORDS);
  const from = start === 0 ? 0 : (words[start]?.from ?? 0);
  const to = end === words.length ? text.length : (words[end - 1]?.to ?? text.length);
  let marked = start === 0 ? "" : "…";
  let at = from;
  for (const { first, last } of hits) {
    const [begin, finish] = [words[first]?.from ?? 0, words[last]?.to ?? 0];
    if (begin < at || finish > to) continue;
    marked += `${text.slice(at, begin)}${HIT_START}${text.slice(begin, finish)}${HIT_END}`;
    at = finish;
  }
  return `${marked}${text.slice(at, to)}${end === words.length ? "" : "…"}`;
}

/** Words in a row, by their numbers in the text. */
interface Hit {
  readonly first: number;
  readonly last: number;
  readonly term: number;
}

function hitsIn(words: readonly FoundWord[], terms: readonly SearchTerm[]): Hit[] {
  const wanted = terms.map(({ words: text, isBeginning }) => ({ row: wordsIn(text), isBeginning }));
  return words.flatMap((_, first) => {
    const term = wanted.findIndex(({ row, isBeginning }) =>
      row.every(({ word }, nth) => {
        const found = words[first + nth]?.word;
        return found === word || (isBeginning && nth === row.length - 1 && found?.startsWith(word) === true);
      }),
    );
    const length = wanted[term]?.row.length ?? 0;
    return length === 0 ? [] : [{ first, last: first + length - 1, term }];
  });
}

/** Where an excerpt has the most different terms, and of equal ones the most hits; the earliest of equal ones. */
function bestStart(wordCount: number, hits: readonly Hit[]): number {
  let best = { start: 0, weight: -1 };
  for (const { first } of hits) {
    const start = Math.max(0, Math.min(first - WORDS_BEFORE_HIT, wordCount - SNIPPET_WORDS));
    const inside = hits.filter((hit) => hit.first >= start && hit.last < start + SNIPPET_WORDS);
    const weight = new Set(inside.map(({ term }) => term)).size * SNIPPET_WORDS + inside.length;
    if (weight > best.weight) best = { start, weight };
  }
  return best.start;
}

/** An excerpt around a match found by scanning the text. */
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

/** Endless words (encoded data, a minified file) are cut: before a hit at their beginning, after it at their end. */
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
