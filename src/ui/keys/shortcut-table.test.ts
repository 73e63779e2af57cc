import { describe, expect, test } from "bun:test";
import { composerIntent } from "../../frame/composer/message-field.tsx";
import { COMPOSER_KEYS } from "../../page/palette/shortcuts-dialog.tsx";
import { chordKeys, chordWords } from "./chords.ts";
import { findShortcut, type KeyPress, shellShortcut } from "./shell-shortcut.ts";
import { ANYWHERE, IN_CHANGES, IN_INBOX, IN_SESSION, IN_TERMINAL, type ShortcutRow, TABS } from "./shortcut-table.ts";

/** The key press of a chord, as a browser reports it. */
function pressOf(chord: string, typing = false): KeyPress {
  const held = chord.split("+");
  const key = (held.pop() ?? "").replace("1-9", "4");
  const modifiers = {
    ctrl: held.includes("Mod"),
    meta: false,
    shift: held.includes("Shift") || key === "?",
    alt: held.includes("Alt"),
  };
  return { key: key.length === 1 && !modifiers.shift ? key.toLowerCase() : key, modifiers, typing };
}

const PLACES: readonly (readonly [string, readonly ShortcutRow<unknown>[]])[] = [
  ["anywhere", [...ANYWHERE, ...TABS]],
  ["in a session", IN_SESSION],
  ["in changes", IN_CHANGES],
  ["in the inbox", IN_INBOX],
  ["in the terminal", IN_TERMINAL],
];

describe.each(PLACES)("X-15 the table of keys: %s", (_place, rows) => {
  test("every chord runs the action of its row, and no two rows share one", () => {
    for (const { does, chords } of rows)
      for (const chord of chords) expect(findShortcut(rows, pressOf(chord))).toBe(does);
    const all = rows.flatMap(({ chords }) => chords);
    expect(new Set(all).size).toBe(all.length);
  });
  test("every row has a description", () => {
    expect(rows.filter(({ words, chords }) => words === "" || chords.length === 0)).toEqual([]);
  });
});

test("X-15 a session's own keys and the shell's do not conflict, except for the composer, which both focus", () => {
  const shared = IN_SESSION.filter(({ chords }) => chords.some((chord) => shellShortcut(pressOf(chord)) !== null));
  expect(shared.map(({ does }) => does)).toEqual(["focus-composer"]);
  const both = IN_INBOX.filter(({ chords }) => chords.some((chord) => shellShortcut(pressOf(chord)) !== null));
  expect(both).toEqual([]);
});

test("X-15 actions needed while typing have a chord that works then; plain letters belong to the text", () => {
  const whileTyping = (does: string) =>
    [...ANYWHERE, ...TABS].some(
      (row) =>
        typeof row.does === "object" &&
        row.does.do === does &&
        row.chords.some((chord) => shellShortcut(pressOf(chord, true)) !== null),
    );
  for (const does of ["palette", "search", "overview", "next-waiting", "new-session", "settings", "shortcuts"])
    expect([does, whileTyping(does)]).toEqual([does, true]);
  for (const letter of ["o", "w", "n", "i", "/", "?"]) expect(shellShortcut(pressOf(letter, true))).toBeNull();
});

test("X-15 Cmd works like Ctrl, and a sign is the same with and without Shift", () => {
  const none = { ctrl: false, meta: false, shift: false, alt: false };
  expect(shellShortcut({ key: "k", modifiers: { ...none, meta: true }, typing: true })).toEqual({ do: "palette" });
  expect(shellShortcut({ key: "?", modifiers: none, typing: false })).toEqual({ do: "shortcuts" });
  expect(shellShortcut({ key: "W", modifiers: { ...none, shift: true }, typing: false })).toBeNull();
});

test("X-15 the sheet matches the keys of the message field", () => {
  const field = { text: "", queuedCount: 0, isRecalled: false, canSteer: true };
  const pressed = (chord: string, scene: Partial<typeof field> = {}) => {
    const { key, modifiers } = pressOf(chord);
    return composerIntent({ key, ...modifiers, isComposing: false }, { ...field, ...scene });
  };
  const done = COMPOSER_KEYS.flatMap(({ chords }) => chords.map((chord) => pressed(chord, { queuedCount: 1 })));
  expect(done).toEqual(["send", null, "steer", "edit-queued"]);
  expect(pressed("ArrowUp")).toBe("recall-older");
});

test("keys are named as on the platform's keyboard", () => {
  expect(chordKeys("Mod+Shift+F", false)).toEqual(["Ctrl", "Shift", "F"]);
  expect(chordKeys("Mod+Shift+F", true)).toEqual(["⌘", "⇧", "F"]);
  expect(chordKeys("Alt+Shift+ArrowLeft", false)).toEqual(["Alt", "Shift", "←"]);
  expect(chordWords("Mod+Shift+F", false)).toBe("Ctrl+Shift+F");
  expect(chordWords("Mod+Shift+F", true)).toBe("⇧⌘F");
  expect(chordWords("Alt+W", true)).toBe("⌥W");
});
