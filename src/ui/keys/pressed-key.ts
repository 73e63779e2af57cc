import { isMac } from "./chord-keys.ts";

/** The signs that chords use and that many layouts have only behind AltGr, or not at all. */
const MOVED_SIGNS: Readonly<Record<string, string>> = { Backslash: "\\", BracketLeft: "[", BracketRight: "]" };
const SIGNS: Readonly<Record<string, string>> = {
  ...MOVED_SIGNS,
  Comma: ",",
  Period: ".",
  Slash: "/",
  Semicolon: ";",
  Quote: "'",
  Backquote: "`",
  Minus: "-",
  Equal: "=",
};

type Pressed = Pick<KeyboardEvent, "key" | "code" | "altKey">;

/**
 * The key as chords name it. Where the layout is not Latin (Cyrillic, Greek, Arabic, …) the position of the key counts,
 * as on a US keyboard. So it does on a Mac with Option, which makes another sign of nearly every key (Option+W is "∑").
 * Elsewhere the letter on the key counts, wherever it is.
 */
export function pressedKey(event: Pressed, onMac: boolean = isMac()): string {
  if (!(onMac && event.altKey) && !isForeign(event.key)) return event.key;
  return digitAt(event.code) ?? /^Key(.)$/.exec(event.code)?.[1]?.toLowerCase() ?? SIGNS[event.code] ?? event.key;
}

/** A letter or digit of a script that is not Latin. */
function isForeign(key: string): boolean {
  return /^[\p{L}\p{M}\p{Nd}]{1,2}$/u.test(key) && !/[\p{Script=Latin}0-9]/u.test(key);
}

/** The digit on this key of the top row: on a French keyboard it needs Shift, and the chord has to work without. */
export function digitAt(code: string): string | null {
  return /^Digit(\d)$/.exec(code)?.[1] ?? null;
}

/** The sign that is here on a US keyboard, of those that other layouts hide behind AltGr. */
export function movedSignAt(code: string): string | null {
  return MOVED_SIGNS[code] ?? null;
}
