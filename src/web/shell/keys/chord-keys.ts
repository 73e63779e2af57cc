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
const MAC_NAMES: Readonly<Record<string, string>> = { Mod: "⌘", Alt: "⌥", Shift: "⇧" };

/** A chord as the keys to press, by the names that stand on them. */
export function chordKeys(chord: string, isMac: boolean): readonly string[] {
  return chord.split("+").map((name) => (isMac ? MAC_NAMES[name] : undefined) ?? NAMES[name] ?? plainName(name));
}

function plainName(name: string): string {
  return name === "Mod" ? "Ctrl" : name;
}

/** Whether Cmd does here what Ctrl does elsewhere. */
export function isMac(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}
