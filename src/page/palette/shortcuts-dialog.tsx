import { useLayoutEffect, useState } from "preact/hooks";
import { Icon } from "../../ui/icons/icon.tsx";
import { chordKeys, chordWords, isMac, pressedKey } from "../../ui/keys/chords.ts";
import { chordsOf, conflictOf, hasChangedKeys, isChanged, resetKeys, setChords } from "../../ui/keys/key-bindings.ts";
import type { KeyPress } from "../../ui/keys/shell-shortcut.ts";
import {
  ANYWHERE,
  IN_CHANGES,
  IN_INBOX,
  IN_SESSION,
  IN_TERMINAL,
  type ShortcutRow,
  TABS,
} from "../../ui/keys/shortcut-table.ts";
import { Dialog } from "../controls/dialog.tsx";
import type { Shell } from "../state/shell.ts";

type Row = ShortcutRow<unknown>;

/** The tables that keys are matched against, as text. */
const SECTIONS: readonly { readonly title: string; readonly rows: readonly Row[] }[] = [
  { title: "Anywhere", rows: ANYWHERE },
  { title: "Tabs", rows: TABS },
  { title: "In a session", rows: IN_SESSION },
  { title: "In changes", rows: IN_CHANGES },
  { title: "In the inbox", rows: IN_INBOX },
  { title: "In the terminal", rows: IN_TERMINAL },
];

/** The row that is being recorded, and what was wrong with the last keys. */
interface Recording {
  readonly row: Row;
  readonly words: string;
  /** The keys belong to another row. */
  readonly taken: { readonly chord: string; readonly from: Row } | null;
}

/** Every key, and a way to change it. Changes take effect at once, here and in other windows. */
export function ShortcutsDialog({ shell }: { shell: Shell }) {
  const [recording, setRecording] = useState<Recording | null>(null);
  useRecorder(recording, setRecording);
  const take = (row: Row, chord: string) => {
    setChords(row, [chord]);
    setRecording(null);
  };
  return (
    <Dialog title="Keyboard shortcuts" wide onClose={() => shell.closeDialog()}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long list scrolls, and what scrolls must be reachable by keyboard */}
      <div class="dialog-body shortcuts" tabIndex={0}>
        {SECTIONS.map(({ title, rows }) => (
          <section key={title} aria-label={title}>
            <h3>{title}</h3>
            <ul>
              {rows.map((row) => (
                <li key={row.id}>
                  {recording?.row.id === row.id ? (
                    <RecordingRow recording={recording} take={take} cancel={() => setRecording(null)} />
                  ) : (
                    <ShortcutLine row={row} change={() => setRecording({ row, words: "", taken: null })} />
                  )}
                </li>
              ))}
            </ul>
          </section>
        ))}
        <section aria-label="In the message field">
          <h3>In the message field</h3>
          <ul>
            {COMPOSER_KEYS.map(({ words, chords }) => (
              <li key={words}>
                {words}
                <Chords chords={chords} />
              </li>
            ))}
          </ul>
        </section>
        <p class="hint">Single-letter keys work when you are not typing.</p>
      </div>
      {hasChangedKeys() && (
        <footer class="dialog-foot">
          <button type="button" class="button" onClick={resetKeys}>
            Reset all keys
          </button>
        </footer>
      )}
    </Dialog>
  );
}

function ShortcutLine({ row, change }: { row: Row; change: () => void }) {
  const chords = chordsOf(row);
  return (
    <>
      {row.words}
      <span class="shortcut-end">
        <Chords chords={chords} />
        {isChanged(row) && (
          <button
            type="button"
            class="icon-button small"
            aria-label={`Reset keys: ${row.words}`}
            title={`Reset to ${row.chords.map((chord) => chordWords(chord)).join(" or ")}`}
            onClick={() => setChords(row, null)}
          >
            <Icon name="refresh" class="icon-sm" />
          </button>
        )}
        {typeof row.does !== "function" && (
          <button
            type="button"
            class="icon-button small"
            aria-label={`Change keys: ${row.words}`}
            title="Change keys"
            onClick={change}
          >
            <Icon name="edit" class="icon-sm" />
          </button>
        )}
      </span>
    </>
  );
}

interface RecordingRowProps {
  readonly recording: Recording;
  readonly take: (row: Row, chord: string) => void;
  readonly cancel: () => void;
}

function RecordingRow({ recording: { row, words, taken }, take, cancel }: RecordingRowProps) {
  return (
    <>
      {row.words}
      <span class="shortcut-end recording">
        <span role="status">{words || "Press the new keys"}</span>
        {taken && (
          <button
            type="button"
            class="button small"
            onClick={() => {
              setChords(
                taken.from,
                chordsOf(taken.from).filter((chord) => chord !== taken.chord),
              );
              take(row, taken.chord);
            }}
          >
            Reassign
          </button>
        )}
        <button type="button" class="button small ghost" onClick={cancel}>
          Cancel
        </button>
      </span>
    </>
  );
}

/** While recording, every key press is taken as the new chord; Esc cancels, Tab moves to the buttons. */
function useRecorder(recording: Recording | null, set: (next: Recording | null) => void): void {
  useLayoutEffect(() => {
    if (recording === null) return;
    const { row } = recording;
    const press = (event: KeyboardEvent) => {
      const { ctrlKey: ctrl, metaKey: meta, shiftKey: shift, altKey: alt, target } = event;
      const isPlain = !(ctrl || meta || alt);
      const onButton = target instanceof HTMLButtonElement && (event.key === "Enter" || event.key === " ");
      if (isPlain && (event.key === "Tab" || onButton)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      if (isPlain && event.key === "Escape") {
        set(null);
        return;
      }
      const made = newChord({ key: pressedKey(event), modifiers: { ctrl, meta, shift, alt } });
      if (made === null) return;
      if (made.refusal !== undefined) {
        set({ row, words: made.refusal, taken: null });
        return;
      }
      const from = conflictOf(row, made.chord);
      if (from === null) {
        setChords(row, [made.chord]);
        set(null);
      } else
        set({
          row,
          words: `${chordWords(made.chord)} is already used for “${from.words}”.`,
          taken: { chord: made.chord, from },
        });
    };
    addEventListener("keydown", press, true);
    return () => removeEventListener("keydown", press, true);
  }, [recording]);
}

function Chords({ chords }: { chords: readonly string[] }) {
  if (chords.length === 0) return <span class="chords">none</span>;
  return (
    <span class="chords">
      {chords.map((chord, at) => (
        <span key={chord}>
          {at > 0 && "or "}
          {chordKeys(chord, isMac()).map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </span>
      ))}
    </span>
  );
}

const MODIFIERS = ["Control", "Shift", "Alt", "Meta", "AltGraph", "CapsLock", "Fn", "Dead", "Process", "Unidentified"];
/** Keys that insert text, move the cursor or leave the field. */
const TAKEN = /^(?:Enter|Tab|Escape|Backspace|Delete| |Arrow.*|Home|End|Page.*)$/;
const EDITING = "CVXAZY";
/** Chords that browsers do not deliver to a page. */
const BROWSER = "TNWQ";

type NewChord =
  | { readonly chord: string; readonly refusal?: undefined }
  | { readonly chord?: undefined; readonly refusal: string };

/** The chord of a key press, or why it cannot be one; null while only modifiers are held. */
function newChord({ key, modifiers }: Pick<KeyPress, "key" | "modifiers">): NewChord | null {
  if (MODIFIERS.includes(key)) return null;
  const { ctrl, meta, shift, alt } = modifiers;
  const isLetter = /^\p{L}$/u.test(key);
  const isMod = ctrl || meta;
  const name = key === " " ? "Space" : isLetter ? key.toUpperCase() : key;
  const held = [isMod ? "Mod" : "", alt ? "Alt" : "", shift && (isLetter || key.length > 1) ? "Shift" : ""];
  const chord = [...held.filter((one) => one !== ""), name].join("+");
  const words = chordWords(chord);
  if (isMod && alt) return { refusal: `${words} types a character on some keyboards. Use Ctrl or Alt, not both.` };
  if (key === "+") return { refusal: "The plus key cannot be used. Choose another key." };
  if (!isMod && !alt && (TAKEN.test(key) || (isLetter && shift)))
    return { refusal: `${words} is needed for typing and navigation. Combine it with Ctrl or Alt.` };
  if (isMod && !shift && EDITING.includes(name)) return { refusal: `${words} edits text. Choose another key.` };
  if (isMod && BROWSER.includes(name)) return { refusal: `The browser reserves ${words}. Choose another key.` };
  if (/^[0-9]$/.test(key)) return { refusal: "Digits switch tabs. Choose another key." };
  return { chord };
}

/** What the keys of the message field do, for the sheet; `composerIntent` in the frame handles them. */
export const COMPOSER_KEYS: readonly { readonly words: string; readonly chords: readonly string[] }[] = [
  { words: "Send", chords: ["Enter"] },
  { words: "New line", chords: ["Shift+Enter"] },
  { words: "Steer the running turn (if supported)", chords: ["Mod+Enter"] },
  { words: "Edit last queued message, or recall an earlier one", chords: ["ArrowUp"] },
];
