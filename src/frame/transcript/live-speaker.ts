import { createElement } from "../../ui/create-element.ts";
import type { EntryRow, TailRow, TranscriptRows } from "./rows.ts";

const KEPT_UTTERANCES = 5;
/** Longer announcements would be too long to listen to, and their layout would slow the page. */
const UTTERANCE_CHARS_MAX = 4_000;
const CUT_WORDS = "… The rest is in the transcript.";
/** Only the newest rows are checked for changes. */
const WATCHED_ROWS = 50;

/** The open request as text. */
export interface AskedAloud {
  readonly id: string;
  readonly words: string;
}

/** Announces to screen readers: the answer in whole sentences, open requests, and outcomes; the log itself is not live. */
export class LiveSpeaker {
  readonly element = createElement("div", "visually-hidden");
  /** How many characters of each of the newest entries were announced or skipped; null before the first update. */
  #announced: ReadonlyMap<string, number> | null = null;
  #askedId: string | null = null;
  #announcedEnd = "";

  constructor() {
    this.element.setAttribute("aria-live", "polite");
  }

  update(rows: TranscriptRows, asked: AskedAloud | null): void {
    const isFirst = this.#announced === null;
    this.#announced = this.#announceRows(newestRows(rows), this.#announced);
    const end = endWords(rows.tail);
    if (end !== this.#announcedEnd && !isFirst) this.#announce(end);
    this.#announcedEnd = end;
    // An open question is also announced when the session is opened.
    if (asked !== null && asked.id !== this.#askedId) this.#announce(asked.words);
    this.#askedId = asked?.id ?? null;
  }

  /** Announces what is new since the last update, and returns the announced lengths. */
  #announceRows(rows: readonly EntryRow[], announced: ReadonlyMap<string, number> | null): ReadonlyMap<string, number> {
    const lastKnown = rows.findLastIndex(({ key }) => announced?.has(key));
    // Entries that existed when the session was opened, or arrived while it was hidden, are not announced.
    const isForReading = announced === null || (lastKnown === -1 && announced.size > 0);
    return new Map(
      rows.map((row, index) => {
        const before = announced?.get(row.key);
        const isPassedOver = isForReading || (before === undefined && index < lastKnown);
        return [row.key, isPassedOver ? row.entry.content.length : this.#announceRow(row, before ?? 0)];
      }),
    );
  }

  #announceRow({ entry, live }: EntryRow, from: number): number {
    if (entry.type !== "assistant" && entry.type !== "notice") return entry.content.length;
    if (from >= entry.content.length) return from;
    const spoken = finishedSentences(entry.content, from, !live);
    this.#announce(spoken.words);
    return spoken.length;
  }

  #announce(words: string): void {
    if (words === "") return;
    const isLong = words.length > UTTERANCE_CHARS_MAX;
    this.element.append(createElement("p", "", isLong ? words.slice(0, UTTERANCE_CHARS_MAX) + CUT_WORDS : words));
    while (this.element.childElementCount > KEPT_UTTERANCES) this.element.firstElementChild?.remove();
  }
}

function newestRows({ settled, open }: TranscriptRows): readonly EntryRow[] {
  const newest = open.slice(-WATCHED_ROWS);
  const missing = WATCHED_ROWS - newest.length;
  return missing > 0 ? [...settled.slice(-missing), ...newest] : newest;
}

/** How the last turn ended, if no entry says it. */
function endWords(tail: readonly TailRow[]): string {
  return tail.flatMap((row) => (row.kind === "turn-end" ? [row.words] : [])).join(" ");
}

interface Spoken {
  /** Characters of the text that were announced or skipped. */
  readonly length: number;
  readonly words: string;
}

// Agents choose the text: no pattern here may scan a run of it again from each position.

/** A sentence ends at a mark followed by space, or at an empty line; code is not announced. */
const SENTENCE_END = /[.!?…:]["')\]*_`]*(?=\s)|\n[ \t]*(?=\n)/g;
const FENCE = /```[\s\S]*?(```|$)/g;
const CODE_SPAN = /`([^`\n]+)`/;
/** The start of a heading, a quote or a list item. */
const LINE_START = /^\s*(?:#{1,6}\s+|>\s?|[-+*]\s+)/;
const LINK = /!?\[([^[\]]*)\]\([^()]*\)/g;

/** The part of a growing text that can be announced now: whole sentences only, and at the end the rest. */
export function finishedSentences(text: string, spokenLength: number, isDone: boolean): Spoken {
  const rest = text.slice(spokenLength);
  const length = isDone ? rest.length : lastSentenceEnd(rest);
  return { length: spokenLength + length, words: plainWords(rest.slice(0, length)) };
}

function lastSentenceEnd(text: string): number {
  const openFence = text.lastIndexOf("```");
  // An odd number of fences means that code is still arriving: nothing after its start is a sentence.
  const end = (text.split("```").length - 1) % 2 === 1 ? openFence : text.length;
  let last = 0;
  const words = text.slice(0, end).replace(FENCE, (code) => "x".repeat(code.length));
  for (const match of words.matchAll(SENTENCE_END)) last = match.index + match[0].length;
  return last;
}

function plainWords(markdown: string): string {
  const lines = markdown.replace(FENCE, " ").split("\n").map(plainLine);
  return lines.join("\n").replace(LINK, "$1").split(CODE_SPAN).map(plainPiece).join("").replace(/\s+/g, " ").trim();
}

/** A table row is read cell by cell; the line below its head is not read. */
function plainLine(line: string): string {
  const text = line.trim();
  if (!text.startsWith("|")) return line.replace(LINE_START, "");
  if (/^[|:\s-]+$/.test(text)) return "";
  const cells = text.split("|").map((cell) => cell.trim());
  return `${cells.filter((cell) => cell !== "").join(", ")}.`;
}

/** Code is read as written, including its symbols. */
function plainPiece(piece: string, at: number): string {
  if (at % 2 === 1) return piece;
  return piece.replace(/[*`]+/g, "").replace(/_+/g, (marks, from: number) => {
    const isInWord = isWord(piece[from - 1]) && isWord(piece[from + marks.length]);
    return isInWord ? marks : "";
  });
}

function isWord(char: string | undefined): boolean {
  return char !== undefined && /[\p{L}\p{N}]/u.test(char);
}
