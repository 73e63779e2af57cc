/** What `--without` can take away. */
export const FEATURES = [
  "load",
  "resume",
  "list",
  "close",
  "delete",
  "modes",
  "config",
  "commands",
  "steering",
] as const;

/** An ability of the agent that a client must not take for granted. */
export type Feature = (typeof FEATURES)[number];

/** Narrows a word of the command line. */
export function isFeature(word: string): word is Feature {
  return FEATURES.some((feature) => feature === word);
}
