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
/** Apple's order of the keys that are held. */
const MAC_ORDER = ["⌥", "⇧", "⌘"];
const MAC_NAMES: Readonly<Record<string, string>> = { Mod: "⌘", Alt: "⌥", Shift: "⇧" };

/** A chord as the keys to press, by the names that stand on them. */
export function chordKeys(chord: string, isMac: boolean): readonly string[] {
  return chord.split("+").map((name) => (isMac ? MAC_NAMES[name] : undefined) ?? NAMES[name] ?? plainName(name));
}

/** A chord in one word, as the custom of the keyboard at hand is: "Ctrl+Shift+F", "⇧⌘F". */
export function chordWords(chord: string, onMac: boolean = isMac()): string {
  const keys = chordKeys(chord, onMac);
  if (!onMac) return keys.join("+");
  const held = keys.slice(0, -1).toSorted((a, b) => MAC_ORDER.indexOf(a) - MAC_ORDER.indexOf(b));
  return [...held, ...keys.slice(-1)].join("");
}

function plainName(name: string): string {
  return name === "Mod" ? "Ctrl" : name;
}

/** Whether Cmd does here what Ctrl does elsewhere. */
export function isMac(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}
