const TITLE_CHARS_MAX = 50;
const CUT_AFTER_CHARS = 20;

/** A session's title from its first message; null when there is no text to take one from. */
export function deriveTitle(content: string): string | null {
  const text = content.replace(/\s+/g, " ").trim();
  if (text === "") return null;
  if (text.length <= TITLE_CHARS_MAX) return text;
  const head = text.slice(0, TITLE_CHARS_MAX);
  const lastSpace = head.lastIndexOf(" ");
  const cut = lastSpace > CUT_AFTER_CHARS ? head.slice(0, lastSpace) : withoutHalfPair(head);
  return `${cut}…`;
}

/** A cut in the middle of a surrogate pair would leave a character that no font can draw. */
function withoutHalfPair(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}
