/** A text as it is compared, not as it is shown: agents keep the words and lose spaces, line ends and forms of letters. */
export function wordsOf(text: string): string {
  return text.normalize("NFC").replace(/\s+/g, "");
}
