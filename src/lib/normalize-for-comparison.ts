/** Strips white space and normalizes Unicode: agents repeat the same text with other spaces, line ends and letter forms. */
export function normalizeForComparison(text: string): string {
  return text.normalize("NFC").replace(/\s+/g, "");
}
