const NAMES: Readonly<Record<string, string>> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
  PageUp: "Page Up",
  PageDown: "Page Down",
  "1-9": "1 – 9",
};
/** Apple's order of modifier keys. */
const MAC_ORDER = ["⌥", "⇧", "⌘"];
const MAC_NAMES: Readonly<Record<string, string>> = { Mod: "⌘", Alt: "⌥", Shift: "⇧" };

/** A chord as the keys to press, by their labels. */
export function chordKeys(chord: string, isMac: boolean): readonly string[] {
  return chord.split("+").map((name) => (isMac ? MAC_NAMES[name] : undefined) ?? NAMES[name] ?? plainName(name));
}

/** A chord as text, in the platform's style: "Ctrl+Shift+F", "⇧⌘F". */
export function chordWords(chord: string, onMac: boolean = isMac()): string {
  const keys = chordKeys(chord, onMac);
  if (!onMac) return keys.join("+");
  const held = keys.slice(0, -1).toSorted((a, b) => MAC_ORDER.indexOf(a) - MAC_ORDER.indexOf(b));
  return [...held, ...keys.slice(-1)].join("");
}

function plainName(name: string): string {
  return name === "Mod" ? "Ctrl" : name;
}

/** Whether Cmd replaces Ctrl here. */
export function isMac(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}

/** Signs in chords that many layouts have only behind AltGr, or not at all. */
const MOVED_SIGNS: Readonly<Record<string, string>> = {
  Backslash: "\\",
  BracketLeft: "[",
  BracketRight: "]",
  Backquote: "`",
};
const SIGNS: Readonly<Record<string, string>> = {
  ...MOVED_SIGNS,
  Comma: ",",
  Period: ".",
  Slash: "/",
  Semicolon: ";",
  Quote: "'",
  Minus: "-",
  Equal: "=",
};

type Pressed = Pick<KeyboardEvent, "key" | "code" | "altKey">;

/**
 * The key as chords name it. If the layout is not Latin (Cyrillic, Greek, Arabic, …) the position of the key counts,
 * as on a US keyboard. The same applies on a Mac with Option, which changes nearly every key (Option+W is "∑").
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

/** The digit on this key of the top row: on a French keyboard it needs Shift, and the chord has to work without it. */
export function digitAt(code: string): string | null {
  return /^Digit(\d)$/.exec(code)?.[1] ?? null;
}

/** The sign at this position on a US keyboard, of those that other layouts hide behind AltGr. */
export function movedSignAt(code: string): string | null {
  return MOVED_SIGNS[code] ?? null;
}
