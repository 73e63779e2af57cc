import { isMac } from "./chord-keys.ts";

const SIGNS: Readonly<Record<string, string>> = { Backslash: "\\", BracketLeft: "[", BracketRight: "]" };

/**
 * The key as chords name it. On a Mac, Option makes another sign of nearly every key (Option+W is "∑", Option+N waits for
 * a letter), so there the place of the key counts; elsewhere Alt leaves the letter, and the layout decides.
 */
export function pressedKey(event: Pick<KeyboardEvent, "key" | "code" | "altKey">, onMac: boolean = isMac()): string {
  if (!onMac || !event.altKey) return event.key;
  return /^(?:Key|Digit)(.)$/.exec(event.code)?.[1]?.toLowerCase() ?? SIGNS[event.code] ?? event.key;
}
