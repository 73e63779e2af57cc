export interface Spoken {
  /** Characters of the text that were said or passed over. */
  readonly length: number;
  readonly words: string;
}

/** A sentence ends at a mark followed by space, or at an empty line; code is not read out. */
const SENTENCE_END = /[.!?…:]["')\]*_`]*(?=\s)|\n\s*\n/g;
const FENCE = /```[\s\S]*?(```|$)/g;
const MARKUP = /[*_`#>|]+|^\s*[-+]\s+/gm;
const LINK = /!?\[([^\]]*)\]\([^)]*\)/g;

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
  return markdown.replace(FENCE, " ").replace(LINK, "$1").replace(MARKUP, "").replace(/\s+/g, " ").trim();
}
