import { type ShownText, shownTexts } from "../../presentation/entry-text.ts";
import type { Entry } from "../../protocol/entry.ts";
import type { EntryId } from "../../protocol/ids.ts";
import { type BlockNode, plainText } from "../../ui/markdown/markdown-node.ts";
import { parseMarkdown } from "../../ui/markdown/parse-blocks.ts";
import { ansiSpans } from "../../ui/output/ansi-spans.ts";
import type { EntryRow, TranscriptRows } from "../transcript/rows.ts";

const MARKS = /[*_~`\\]/g;

/** A match, by its entry and its index among the matches in it. */
interface FindPlace {
  readonly entryId: EntryId;
  readonly ordinal: number;
}

interface EntryHits {
  readonly entryId: EntryId;
  readonly count: number;
}

/**
 * The matches in a session's entries, oldest first. It searches the entries and not the DOM, because most of them are
 * not in it.
 */
export class FindModel {
  readonly #directory: () => string;
  #query = "";
  #pattern: RegExp | null = null;
  #word = "";
  #counts = new WeakMap<Entry, number>();
  #entries: readonly Entry[] = [];
  #hits: EntryHits[] = [];
  #read = 0;
  #current: FindPlace | null = null;

  constructor(directory: () => string = () => "") {
    this.#directory = directory;
  }

  get pattern(): RegExp | null {
    return this.#pattern;
  }

  get current(): FindPlace | null {
    return this.#current;
  }

  /** Every entry has been read. */
  get isDone(): boolean {
    return this.#read >= this.#entries.length;
  }

  get total(): number {
    return this.#hits.reduce((sum, { count }) => sum + count, 0);
  }

  /** The number of the current match, from 1; 0 if there is none. */
  get position(): number {
    const at = this.#indexOf(this.#current);
    if (at === -1 || this.#current === null) return 0;
    return this.#hits.slice(0, at).reduce((sum, { count }) => sum + count, 0) + this.#current.ordinal + 1;
  }

  setQuery(query: string): void {
    if (query === this.#query) return;
    this.#query = query;
    this.#pattern = findPattern(query);
    this.#word = longestWord(query);
    this.#counts = new WeakMap();
    this.#current = null;
    this.#restart();
  }

  /** Entries that did not change are not read again. */
  setRows({ settled, open }: TranscriptRows): void {
    this.#entries = [...settled, ...open].flatMap(entriesIn);
    this.#restart();
  }

  /** Continues until it is done or `isOver`; at least one entry each time. */
  work(isOver: () => boolean): void {
    while (!this.isDone) {
      const entry = this.#entries[this.#read];
      this.#read += 1;
      const count = entry === undefined ? 0 : this.#countIn(entry);
      if (entry !== undefined && count > 0) this.#hits.push({ entryId: entry.entryId, count });
      if (isOver()) break;
    }
    if (this.isDone) this.#keepCurrent();
  }

  /** Makes the first match at or after an entry the current one; the last of all if there is none after it. */
  startAt(entryId: EntryId | null): void {
    const from = this.#entries.findIndex((entry) => entry.entryId === entryId);
    const before = new Set(this.#entries.slice(0, Math.max(0, from)).map((entry) => entry.entryId));
    const after = this.#hits.find((hit) => !before.has(hit.entryId));
    const last = this.#hits.at(-1);
    if (after) this.#current = { entryId: after.entryId, ordinal: 0 };
    else this.#current = last ? { entryId: last.entryId, ordinal: last.count - 1 } : null;
  }

  /** Moves to the next or previous match, wrapping around both ends. */
  step(steps: 1 | -1): void {
    const at = this.#indexOf(this.#current);
    const hit = this.#hits[at];
    if (!hit || !this.#current) return;
    const ordinal = this.#current.ordinal + steps;
    if (ordinal >= 0 && ordinal < hit.count) {
      this.#current = { entryId: hit.entryId, ordinal };
      return;
    }
    const next = this.#hits.at((at + steps) % this.#hits.length);
    if (next) this.#current = { entryId: next.entryId, ordinal: steps === 1 ? 0 : next.count - 1 };
  }

  countOf(entryId: EntryId): number {
    return this.#hits.find((hit) => hit.entryId === entryId)?.count ?? 0;
  }

  #restart(): void {
    this.#hits = [];
    this.#read = this.#pattern === null ? this.#entries.length : 0;
  }

  /** The current match may have changed its text, or no longer exist. */
  #keepCurrent(): void {
    const hit = this.#hits[this.#indexOf(this.#current)];
    if (!hit || !this.#current) this.#current = null;
    else if (this.#current.ordinal >= hit.count) this.#current = { entryId: hit.entryId, ordinal: hit.count - 1 };
  }

  #indexOf(place: FindPlace | null): number {
    return place === null ? -1 : this.#hits.findIndex(({ entryId }) => entryId === place.entryId);
  }

  #countIn(entry: Entry): number {
    const known = this.#counts.get(entry);
    if (known !== undefined) return known;
    // Parsing markdown is expensive: an entry without the query's longest word is skipped.
    const shown = shownTexts(entry, this.#directory());
    const source = shown.map(({ text }) => text).join("\n");
    const mayMatch = source.toLowerCase().replace(MARKS, "").includes(this.#word);
    const text = mayMatch ? shown.flatMap(readTexts).join(TEXT_BREAK) : "";
    const count = this.#pattern === null || text === "" ? 0 : [...text.matchAll(this.#pattern)].length;
    this.#counts.set(entry, count);
    return count;
  }
}

function entriesIn({ entry, children }: EntryRow): Entry[] {
  return children.length === 0 ? [entry] : [entry, ...children.flatMap(entriesIn)];
}

/** A piece of an entry as shown on screen, one text for each separate block. */
function readTexts({ text, format }: ShownText): string[] {
  switch (format) {
    case "plain":
      return [text];
    case "markdown":
      return parseMarkdown(text).flatMap(blockTexts);
    case "ansi":
      return [
        ansiSpans(text)
          .map((span) => span.text)
          .join(""),
      ];
    default:
      return format satisfies never;
  }
}

function blockTexts(block: BlockNode): string[] {
  switch (block.kind) {
    case "paragraph":
    case "heading":
      return [plainText(block.children)];
    case "code":
    case "html":
      return [block.text];
    case "quote":
      return block.children.flatMap(blockTexts);
    case "list":
      return block.items.flatMap(({ children }) => children.flatMap(blockTexts));
    case "table":
      return [block.header, ...block.rows].flat().map(plainText);
    case "rule":
      return [];
    default:
      return block satisfies never;
  }
}

/** Separates texts that are apart on screen: no query matches across it. */
export const TEXT_BREAK = "\u0000";
const SPECIAL = /[\\^$.*+?()[\]{}|/]/g;
export const FIND_QUERY_CHARS_MAX = 1_000;

/**
 * The pattern of a query: literal, ignoring case, with any white space for white space. Null if there is nothing to
 * find.
 */
function findPattern(query: string): RegExp | null {
  const words = query.slice(0, FIND_QUERY_CHARS_MAX).trim().split(/\s+/);
  if (words[0] === undefined || words[0] === "") return null;
  return new RegExp(words.map((word) => word.replace(SPECIAL, "\\$&")).join("\\s+"), "giu");
}

/** The longest run of letters and digits in a query: a source without it need not be parsed. */
function longestWord(query: string): string {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), "");
}
