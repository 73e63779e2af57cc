import { toolLine } from "../../presentation/tool-line.ts";
import { commandOf } from "../../protocol/command-of.ts";
import type { Entry, Part, ToolCallEntry } from "../../protocol/entry.ts";
import type { EntryId } from "../../protocol/ids.ts";
import { type BlockNode, plainText } from "../../ui/markdown/markdown-node.ts";
import { parseMarkdown } from "../../ui/markdown/parse-blocks.ts";
import { ansiSpans } from "../../ui/output/ansi-spans.ts";
import type { EntryRow, TranscriptRows } from "../transcript/rows.ts";

const MARKS = /[*_~`\\]/g;

/** A match, by its entry and its place among the matches in it. */
interface FindPlace {
  readonly entryId: EntryId;
  readonly ordinal: number;
}

interface EntryHits {
  readonly entryId: EntryId;
  readonly count: number;
}

/** What is found in a session's entries, oldest first. It reads the entries and not the page: most of them are not in it. */
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

  /** The current match's number, counted from 1; 0 when there is none. */
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

  /** Reads on until it is done or `isOver`; at least one entry each time. */
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

  /** Makes the first match at or after an entry the current one; the last of all when there is none after it. */
  startAt(entryId: EntryId | null): void {
    const from = this.#entries.findIndex((entry) => entry.entryId === entryId);
    const before = new Set(this.#entries.slice(0, Math.max(0, from)).map((entry) => entry.entryId));
    const after = this.#hits.find((hit) => !before.has(hit.entryId));
    const last = this.#hits.at(-1);
    if (after) this.#current = { entryId: after.entryId, ordinal: 0 };
    else this.#current = last ? { entryId: last.entryId, ordinal: last.count - 1 } : null;
  }

  /** Goes to the next match or the one before, around both ends. */
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

  /** What was current may have changed its text, or be gone. */
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
    // Reading markdown is dear: an entry in which the query's longest word does not stand, marks aside, is passed over.
    const mayMatch = entrySource(entry).toLowerCase().replace(MARKS, "").includes(this.#word);
    const text = mayMatch ? entryTexts(entry, this.#directory()).join(TEXT_BREAK) : "";
    const count = this.#pattern === null || text === "" ? 0 : [...text.matchAll(this.#pattern)].length;
    this.#counts.set(entry, count);
    return count;
  }
}

function entriesIn({ entry, children }: EntryRow): Entry[] {
  return children.length === 0 ? [entry] : [entry, ...children.flatMap(entriesIn)];
}

/** The texts of an entry as they can be seen once it is open, one for each piece that stands apart. */
function entryTexts(entry: Entry, directory: string): string[] {
  switch (entry.type) {
    case "user":
      return [entry.content, ...partTexts(entry.attachments)];
    case "assistant":
      return [...markdownTexts(entry.content), ...partTexts(entry.parts)];
    case "thinking":
      return markdownTexts(entry.content);
    case "tool-call":
      return toolTexts(entry, directory);
    case "plan":
      return entry.items.map(({ content }) => content);
    case "notice":
      return [entry.content, ...(entry.details === undefined ? [] : [entry.details])];
    default:
      return entry satisfies never;
  }
}

/** All of an entry's source, unread: a cheap look before the dear one. */
function entrySource(entry: Entry): string {
  const rest = entry.type === "plan" ? entry.items.map(({ content }) => content).join("\n") : "";
  if (entry.type === "tool-call") return toolSource(entry);
  const parts = entry.type === "user" ? entry.attachments : entry.type === "assistant" ? entry.parts : undefined;
  const details = entry.type === "notice" ? (entry.details ?? "") : "";
  return [entry.content, rest, details, ...partTexts(parts)].join("\n");
}

function toolSource(entry: ToolCallEntry): string {
  const { name, content, result = "", error = "", input, locations = [] } = entry;
  const places = locations.map(({ path }) => path);
  const given = input === undefined ? "" : (commandOf(entry.input) ?? JSON.stringify(input));
  return [name, content, result, error, given, ...places, ...partTexts(entry.parts)].join("\n");
}

function toolTexts(entry: ToolCallEntry, directory: string): string[] {
  const { name, target } = toolLine(entry, directory);
  const hasDiff = entry.parts?.some(({ type }) => type === "diff") ?? false;
  const command = commandOf(entry.input);
  const given = command ?? (entry.input === undefined || hasDiff ? "" : JSON.stringify(entry.input, null, 2));
  const printed = entry.result ?? textParts(entry.parts) ?? entry.content;
  const error = entry.error === undefined || printed.includes(entry.error.trim()) ? "" : entry.error;
  const places = (entry.locations ?? []).map(({ path, line }) => (line === undefined ? path : `${path}:${line}`));
  const output = ansiSpans(printed)
    .map(({ text }) => text)
    .join("");
  return [`${name} ${target}`, given, ...shapedTexts(entry.parts), output, error, ...places].filter(
    (text) => text !== "",
  );
}

function textParts(parts: readonly Part[] | undefined): string | undefined {
  const texts = (parts ?? []).flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === 0 ? undefined : texts.join("\n");
}

function shapedTexts(parts: readonly Part[] | undefined): string[] {
  return partTexts(parts?.filter(({ type }) => type !== "text"));
}

function partTexts(parts: readonly Part[] | undefined): string[] {
  return (parts ?? []).flatMap((part): string[] => {
    if (part.type === "text") return part.truncated === undefined ? [] : [part.text];
    if (part.type === "diff") return diffTexts(part.oldText ?? "", part.newText);
    if (part.type === "link") return [part.title ?? part.name];
    return part.type === "resource" && part.text !== undefined ? [part.text] : [];
  });
}

/** The lines a diff shows: all new ones, and the old ones that are gone. */
function diffTexts(oldText: string, newText: string): string[] {
  const after = newText.split("\n");
  const kept = new Set(after);
  return [...oldText.split("\n").filter((line) => !kept.has(line)), ...after];
}

function markdownTexts(source: string): string[] {
  return parseMarkdown(source).flatMap(blockTexts);
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

/** Stands between texts that are apart on the screen: no query reaches across it. */
export const TEXT_BREAK = "\u0000";
const SPECIAL = /[\\^$.*+?()[\]{}|/]/g;
export const FIND_QUERY_CHARS_MAX = 1_000;

/** What a query matches: as it stands, in any case, with any white space where it has some. Null when there is nothing to find. */
function findPattern(query: string): RegExp | null {
  const words = query.slice(0, FIND_QUERY_CHARS_MAX).trim().split(/\s+/);
  if (words[0] === undefined || words[0] === "") return null;
  return new RegExp(words.map((word) => word.replace(SPECIAL, "\\$&")).join("\\s+"), "giu");
}

/** The longest run of letters and digits in a query: a source without it need not be read. */
function longestWord(query: string): string {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), "");
}
