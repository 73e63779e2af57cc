/** What the keys of the message field do, for the sheet; `composer-key.ts` does it. */
export const COMPOSER_KEYS: readonly { readonly words: string; readonly chords: readonly string[] }[] = [
  { words: "Send", chords: ["Enter"] },
  { words: "New line", chords: ["Shift+Enter"] },
  { words: "Send into the turn that runs, where the agent takes it", chords: ["Mod+Enter"] },
  { words: "Edit the last message that waits, or bring back an earlier one", chords: ["ArrowUp"] },
];
