import type { Entry } from "../../protocol/entry.ts";
import { fitText, searchableEntry as searchable } from "../search/searchable-entry.ts";
import { wordsIn } from "../search/words.ts";

/** The entry of a title. */
export const TITLE = "";

/** What the index has of a title: a row of `search_text`, with `words` to be read as `words::tsvector`. Pure. */
export function searchableTitle(title: string) {
  const text = fitText(title);
  return { entry_id: TITLE, kind: "title", at: null, text, words: vectorOf(text) };
}

/** What the index has of an entry, and the files that it read or changed. Pure. */
export function searchableEntry(entry: Entry) {
  const { text, at, files } = searchable(entry);
  return { entry_id: entry.entryId, kind: entry.type, at, text, words: vectorOf(text), files };
}

/** The words of a text and their places, as PostgreSQL reads them: its own dictionaries cut texts in another way. */
function vectorOf(text: string): string {
  const places = new Map<string, number[]>();
  for (const [nth, { word }] of wordsIn(text).entries()) {
    const known = places.get(word);
    if (known) known.push(nth + 1);
    else places.set(word, [nth + 1]);
  }
  return Array.from(places, ([word, at]) => `'${word}':${at.join(",")}`).join(" ");
}
