import { digitAt, movedSignAt } from "./chords.ts";
import { chordsOf } from "./key-bindings.ts";
import { ANYWHERE, type Shortcut, type ShortcutRow, TABS } from "./shortcut-table.ts";

/** A key press as both the shell's window and a frame can report it. */
export interface KeyPress {
  /** By `pressedKey`. */
  readonly key: string;
  /** The physical key, independent of the layout. */
  readonly code?: string | undefined;
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

/** The shell's action for a key. */
export function shellShortcut(press: KeyPress): Shortcut | null {
  const does = findShortcut([...ANYWHERE, ...TABS], press);
  return typeof does === "function" ? does(digitOf(press) ?? press.key) : does;
}

/** The action of a key in the rows of one place. */
export function findShortcut<Does>(rows: readonly ShortcutRow<Does>[], press: KeyPress): Does | null {
  return rows.find((row) => chordsOf(row).some((chord) => isPressed(chord, press)))?.does ?? null;
}

function isPressed(chord: string, press: KeyPress): boolean {
  const { key, modifiers, typing } = press;
  const { ctrl, meta, shift, alt } = modifiers;
  const held = chord.split("+");
  const wanted = held.pop() ?? "";
  const isHeld = (name: string) => held.includes(name);
  if ((ctrl || meta) !== isHeld("Mod") || alt !== isHeld("Alt")) return false;
  if (wanted === DIGITS) return digitOf(press) !== null;
  if (typing && wanted.length === 1 && !isHeld("Mod") && !isHeld("Alt")) return false;
  // A sign needs Shift on one keyboard and not on another; with a letter, Shift makes another key of it.
  if (shift !== isHeld("Shift") && (wanted.length > 1 || /\p{L}/u.test(wanted))) return false;
  if (wanted.toLowerCase() === key.toLowerCase()) return true;
  return held.length > 0 && press.code !== undefined && movedSignAt(press.code) === wanted;
}

/** 1 to 9: the typed digit, else the one on the key. */
function digitOf({ key, code = "", modifiers: { shift } }: KeyPress): string | null {
  if (/^[1-9]$/.test(key)) return key;
  const digit = shift ? null : digitAt(code);
  return digit === "0" ? null : digit;
}
