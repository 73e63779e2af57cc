import { ANYWHERE, type Shortcut, type ShortcutRow, TABS } from "./shortcut-table.ts";

/** A key press as both the shell's window and a frame can report it. */
export interface KeyPress {
  readonly key: string;
  readonly modifiers: {
    readonly ctrl: boolean;
    readonly meta: boolean;
    readonly shift: boolean;
    readonly alt: boolean;
  };
  /** True while the user types text: single letters belong to it then. */
  readonly typing: boolean;
}

const DIGITS = "1-9";

/** What a key means to the shell. */
export function shellShortcut(press: KeyPress): Shortcut | null {
  const does = findShortcut([...ANYWHERE, ...TABS], press);
  return typeof does === "function" ? does(press.key) : does;
}

/** What a key does, by the rows of one place. */
export function findShortcut<Does>(rows: readonly ShortcutRow<Does>[], press: KeyPress): Does | null {
  return rows.find(({ chords }) => chords.some((chord) => isPressed(chord, press)))?.does ?? null;
}

function isPressed(chord: string, { key, modifiers: { ctrl, meta, shift, alt }, typing }: KeyPress): boolean {
  const held = chord.split("+");
  const wanted = held.pop() ?? "";
  const isHeld = (name: string) => held.includes(name);
  if ((ctrl || meta) !== isHeld("Mod") || alt !== isHeld("Alt")) return false;
  if (typing && wanted.length === 1 && !isHeld("Mod") && !isHeld("Alt")) return false;
  // A sign needs Shift on one keyboard and not on another; with a letter, Shift makes another key of it.
  if (shift !== isHeld("Shift") && (wanted.length > 1 || /\p{L}/u.test(wanted))) return false;
  return wanted === DIGITS ? /^[1-9]$/.test(key) : wanted.toLowerCase() === key.toLowerCase();
}
