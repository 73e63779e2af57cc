import { chordWords } from "../../ui/keys/chord-keys.ts";
import type { KeyPress } from "../../ui/keys/shell-shortcut.ts";

const MODIFIERS = ["Control", "Shift", "Alt", "Meta", "AltGraph", "CapsLock", "Fn", "Dead", "Process", "Unidentified"];
/** Keys that write, move or leave by themselves. */
const TAKEN = /^(?:Enter|Tab|Escape|Backspace|Delete| |Arrow.*|Home|End|Page.*)$/;
const EDITING = "CVXAZY";
/** What browsers do not hand to a page. */
const BROWSER = "TNWQ";

export type NewChord =
  | { readonly chord: string; readonly refusal?: undefined }
  | { readonly chord?: undefined; readonly refusal: string };

/** The chord a key press stands for, or why it cannot be one; null while only modifiers are held. */
export function newChord({ key, modifiers }: Pick<KeyPress, "key" | "modifiers">): NewChord | null {
  if (MODIFIERS.includes(key)) return null;
  const { ctrl, meta, shift, alt } = modifiers;
  const isLetter = /^\p{L}$/u.test(key);
  const isMod = ctrl || meta;
  const name = key === " " ? "Space" : isLetter ? key.toUpperCase() : key;
  const held = [isMod ? "Mod" : "", alt ? "Alt" : "", shift && (isLetter || key.length > 1) ? "Shift" : ""];
  const chord = [...held.filter((one) => one !== ""), name].join("+");
  const words = chordWords(chord);
  if (isMod && alt) return { refusal: `${words} types a sign on some keyboards. Hold Ctrl or Alt, not both.` };
  if (key === "+") return { refusal: "The plus key cannot be used. Choose another key." };
  if (!isMod && !alt && (TAKEN.test(key) || (isLetter && shift)))
    return { refusal: `${words} is needed for writing and moving. Hold Ctrl or Alt with it.` };
  if (isMod && !shift && EDITING.includes(name)) return { refusal: `${words} edits text. Choose another key.` };
  if (isMod && BROWSER.includes(name)) return { refusal: `The browser keeps ${words} for itself. Choose another key.` };
  if (/^[0-9]$/.test(key)) return { refusal: "Digits go to tabs. Choose another key." };
  return { chord };
}
