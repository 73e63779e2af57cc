/** What the keys of the message field do, for the sheet; `composer-key.ts` does it. */
export const COMPOSER_KEYS: readonly { readonly words: string; readonly chords: readonly string[] }[] = [
  { words: "Send", chords: ["Enter"] },
  { words: "New line", chords: ["Shift+Enter"] },
  { words: "Steer the running turn (if supported)", chords: ["Mod+Enter"] },
  { words: "Edit last queued message, or recall an earlier one", chords: ["ArrowUp"] },
];
