export interface Spoken {
  /** Characters of the text that were said or passed over. */
  readonly length: number;
  readonly words: string;
}

// Agents choose the text: no pattern here may read a run of it again from each of its places.

/** A sentence ends at a mark followed by space, or at an empty line; code is not read out. */
const SENTENCE_END = /[.!?…:]["')\]*_`]*(?=\s)|\n[ \t]*(?=\n)/g;
const FENCE = /```[\s\S]*?(```|$)/g;
const CODE_SPAN = /`([^`\n]+)`/;
/** What begins a heading, a quote or an item of a list. */
const LINE_START = /^\s*(?:#{1,6}\s+|>\s?|[-+*]\s+)/;
const LINK = /!?\[([^[\]]*)\]\([^()]*\)/g;

/** The part of a growing text that can be spoken now: whole sentences only, and at the end all that is left. */
export function finishedSentences(text: string, spokenLength: number, isDone: boolean): Spoken {
  const rest = text.slice(spokenLength);
  const length = isDone ? rest.length : lastSentenceEnd(rest);
  return { length: spokenLength + length, words: plainWords(rest.slice(0, length)) };
}

function lastSentenceEnd(text: string): number {
  const openFence = text.lastIndexOf("```");
  // An odd count of fences means that code is still arriving: nothing after its start is a sentence.
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

/** A row of a table is read cell by cell; the line under its head is not read. */
function plainLine(line: string): string {
  const text = line.trim();
  if (!text.startsWith("|")) return line.replace(LINE_START, "");
  if (/^[|:\s-]+$/.test(text)) return "";
  const cells = text.split("|").map((cell) => cell.trim());
  return `${cells.filter((cell) => cell !== "").join(", ")}.`;
}

/** Code is read as it is written: its signs are part of it. */
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
