import { signal } from "@preact/signals";
import { z } from "zod/mini";
import { readKept, writeKept } from "../kept-json.ts";
import { chordKeys, chordWords, isMac } from "./chords.ts";
import { ANYWHERE, IN_CHANGES, IN_INBOX, IN_SESSION, IN_TERMINAL, type ShortcutRow, TABS } from "./shortcut-table.ts";

const KEYS_KEY = "liminal:keys";
const CHORD_CHARS_MAX = 40;
const CHORDS_MAX = 4;
const ROWS_MAX = 200;

const ChangedKeys = z
  .record(z.string(), z.array(z.string().check(z.maxLength(CHORD_CHARS_MAX))).check(z.maxLength(CHORDS_MAX)))
  .check(z.refine((changed) => Object.keys(changed).length <= ROWS_MAX));
type ChangedKeys = z.infer<typeof ChangedKeys>;

type Row = ShortcutRow<unknown>;

/** The user's own keys by row; other rows have the keys of the table. */
const changed = signal<ChangedKeys>(readKept(KEYS_KEY, ChangedKeys, {}));
// Frames and other windows share the storage and get this event on a change.
globalThis.addEventListener?.("storage", (event: Event) => {
  if (!("key" in event) || event.key === KEYS_KEY || event.key === null)
    changed.value = readKept(KEYS_KEY, ChangedKeys, {});
});

/** Places whose keys are matched together: a chord is unique in each. */
const PLACES: readonly (readonly Row[])[] = [
  [...ANYWHERE, ...TABS, ...IN_SESSION],
  [...ANYWHERE, ...TABS, ...IN_INBOX],
  IN_CHANGES,
  IN_TERMINAL,
];

/** The current keys of a row. */
export function chordsOf(row: Pick<Row, "id" | "chords">): readonly string[] {
  return changed.value[row.id] ?? row.chords;
}

export function isChanged({ id }: Pick<Row, "id">): boolean {
  return changed.value[id] !== undefined;
}

export function hasChangedKeys(): boolean {
  return Object.keys(changed.value).length > 0;
}

/** Sets the keys of a row; null restores those of the table. */
export function setChords({ id }: Pick<Row, "id">, chords: readonly string[] | null): void {
  const { [id]: _before, ...others } = changed.value;
  store(chords === null ? others : { ...others, [id]: [...chords] });
}

export function resetKeys(): void {
  store({});
}

function store(next: ChangedKeys): void {
  changed.value = next;
  writeKept(KEYS_KEY, next);
}

/** The row that already has this chord in the same place. */
export function conflictOf(row: Row, chord: string): Row | null {
  const rivals = PLACES.filter((place) => place.some(({ id }) => id === row.id)).flat();
  return rivals.find((rival) => rival.id !== row.id && chordsOf(rival).includes(chord)) ?? null;
}

function firstChord(id: string): string | undefined {
  const row = PLACES.flat().find((one) => one.id === id);
  return row && chordsOf(row)[0];
}

/** The first key of a row as text; empty if it has none. */
export function keyWords(id: string): string {
  const chord = firstChord(id);
  return chord === undefined ? "" : chordWords(chord);
}

/** The first key of a row, key by key. */
export function keysOf(id: string): readonly string[] {
  const chord = firstChord(id);
  return chord === undefined ? [] : chordKeys(chord, isMac());
}

/** The key of a row that also works while typing, as text. */
export function keyWhileTyping(id: string): string {
  const row = PLACES.flat().find((one) => one.id === id);
  const chord = row && chordsOf(row).find((one) => one.includes("Mod+") || one.includes("Alt+"));
  return chord === undefined ? "" : chordWords(chord);
}

/** For a tooltip: the action of a button, and its key. */
export function withKey(words: string, id: string): string {
  const key = keyWords(id);
  return key === "" ? words : `${words} (${key})`;
}

/** In the format of `aria-keyshortcuts`. */
export function ariaKeys(id: string): string | undefined {
  const chord = firstChord(id);
  if (chord === undefined) return undefined;
  const named = (mod: string) => chord.replace("Mod", mod);
  return chord.includes("Mod") ? `${named("Control")} ${named("Meta")}` : chord;
}
