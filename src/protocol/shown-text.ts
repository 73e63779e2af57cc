import type { Truncated } from "./entry.ts";

/** A longer tool output is sent and listed by its beginning and its end. */
export const SHOWN_CHARS_MAX = 64 * 1024;
const HEAD_CHARS_MAX = 24 * 1024;
/** Less than the rest: the text about the gap must fit, too. */
const TAIL_CHARS_MAX = 39 * 1024;

/** A text as it is shown: whole, or its two ends. */
export interface ShownText {
  readonly text: string;
  readonly truncated?: Truncated | undefined;
}

/** The whole text, or its beginning and its end when it is too long. */
export function shorten(text: string): ShownText {
  if (text.length <= SHOWN_CHARS_MAX) return { text };
  return joined(cutAt(text, HEAD_CHARS_MAX), endOf(text), text.length);
}

/** The text after more was appended: the beginning stays, the end moves. */
export function extend({ text, truncated }: ShownText, more: string): ShownText {
  if (!truncated) return shorten(text + more);
  const head = text.slice(0, truncated.headChars);
  const tail = text.slice(text.length - truncated.tailChars);
  return joined(head, endOf(tail + more), truncated.totalChars + more.length);
}

/** The text appended since it was shown; null if it is another text. */
export function growthOf({ text, truncated }: ShownText, whole: string): string | null {
  if (!truncated) return whole.startsWith(text) ? whole.slice(text.length) : null;
  const { totalChars, headChars, tailChars } = truncated;
  const tail = text.slice(text.length - tailChars);
  const continues =
    whole.startsWith(text.slice(0, headChars)) && whole.slice(totalChars - tailChars, totalChars) === tail;
  return continues ? whole.slice(totalChars) : null;
}

function joined(head: string, tail: string, totalChars: number): ShownText {
  const gap = totalChars - head.length - tail.length;
  return {
    text: `${head}\n[… ${gap} characters left out …]\n${tail}`,
    truncated: { totalChars, headChars: head.length, tailChars: tail.length },
  };
}

/** At most `charsMax` characters, never half a surrogate pair. */
export function cutAt(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const head = text.slice(0, charsMax);
  return /[\uD800-\uDBFF]$/.test(head) ? head.slice(0, -1) : head;
}

function endOf(text: string): string {
  const tail = text.slice(-TAIL_CHARS_MAX);
  return /^[\uDC00-\uDFFF]/.test(tail) ? tail.slice(1) : tail;
}
