import type { DatabaseSync } from "node:sqlite";
import { stripVTControlCharacters } from "node:util";
import { entryTime, searchText, touchedFiles } from "../../presentation/entry-text.ts";
import type { Entry } from "../../protocol/entry.ts";

/**
 * Where keys begin: what is said from now on counts upwards from here, what was said before counts downwards, so that
 * the newest is always the highest, in whichever order it was read.
 */
const FIRST_KEY = 1_000_000_000_000;
const TITLE = "";

/** Puts what was said into the index and takes it out; always inside the transaction of whoever calls. */
export class SearchWriter {
  readonly #sql;

  constructor(db: DatabaseSync) {
    this.#sql = {
      newestKey: db.prepare("SELECT MAX(key) AS key FROM search_text"),
      oldestKey: db.prepare("SELECT MIN(key) AS key FROM search_text"),
      keyOf: db.prepare("SELECT key FROM search_text WHERE session_key = ? AND entry_id = ?"),
      insertText: db.prepare("INSERT INTO search_text (key, session_key, entry_id, kind, at) VALUES (?, ?, ?, ?, ?)"),
      insertWords: db.prepare("INSERT INTO search_index (rowid, text) VALUES (?, ?)"),
      updateWords: db.prepare("UPDATE search_index SET text = ? WHERE rowid = ?"),
      insertFile: db.prepare("INSERT OR IGNORE INTO search_file (session_key, path, text_key) VALUES (?, ?, ?)"),
      keysOf: db.prepare("SELECT key FROM search_text WHERE session_key = ? LIMIT ?"),
      addBacklog: db.prepare(
        `INSERT OR REPLACE INTO search_backlog (session_key, before_position) SELECT key, next_position FROM session
         WHERE key = ?`,
      ),
      ownerless: db.prepare("SELECT key FROM search_text WHERE session_key IS NULL LIMIT ?"),
      dropText: db.prepare("DELETE FROM search_text WHERE key = ?"),
      dropWords: db.prepare("DELETE FROM search_index WHERE rowid = ?"),
    };
  }

  title(sessionKey: number, title: string): void {
    const known = this.#keyOf(sessionKey, TITLE);
    if (known === null)
      this.#insert(this.#newKey("newer"), { sessionKey, id: TITLE, kind: "title", at: null, text: fitText(title) });
    else this.#sql.updateWords.run(fitText(title), known);
  }

  /** `at` is when something without a time of its own was said. */
  entry(sessionKey: number, entry: Entry, at: string | null, place: "newer" | "older"): void {
    if (this.#keyOf(sessionKey, entry.entryId) !== null) return;
    const searchable = searchableEntry(entry);
    const key = this.#newKey(place);
    const { text } = searchable;
    this.#insert(key, { sessionKey, id: entry.entryId, kind: entry.type, at: searchable.at ?? at, text });
    for (const path of searchable.files) this.#sql.insertFile.run(sessionKey, path, key);
  }

  /** All that is stored of the session is read in small steps, some time later. */
  later(sessionKey: number): void {
    this.#sql.addBacklog.run(sessionKey);
  }

  /** What is not in the index yet is read as it then stands. */
  revise(sessionKey: number, entry: Entry): void {
    const key = this.#keyOf(sessionKey, entry.entryId);
    if (key === null) return;
    const { text, files } = searchableEntry(entry);
    this.#sql.updateWords.run(text, key);
    for (const path of files) this.#sql.insertFile.run(sessionKey, path, key);
  }

  /** Takes out so much of a session; what is left loses its owner with the session and is swept later. */
  remove(sessionKey: number, textsMax: number): void {
    this.#drop(this.#sql.keysOf.all(sessionKey, textsMax));
  }

  /** Takes out so much of deleted sessions; how many texts that were. */
  sweep(textsMax: number): number {
    return this.#drop(this.#sql.ownerless.all(textsMax));
  }

  #drop(rows: readonly Record<string, unknown>[]): number {
    for (const row of rows) {
      const key = Number(row["key"]);
      this.#sql.dropWords.run(key);
      this.#sql.dropText.run(key);
    }
    return rows.length;
  }

  #insert(key: number, row: { sessionKey: number; id: string; kind: string; at: string | null; text: string }): void {
    this.#sql.insertText.run(key, row.sessionKey, row.id, row.kind, row.at);
    this.#sql.insertWords.run(key, row.text);
  }

  #newKey(place: "newer" | "older"): number {
    if (place === "newer") return Number(this.#sql.newestKey.get()?.["key"] ?? FIRST_KEY) + 1;
    return Number(this.#sql.oldestKey.get()?.["key"] ?? FIRST_KEY) - 1;
  }

  #keyOf(sessionKey: number, entryId: string): number | null {
    const row = this.#sql.keyOf.get(sessionKey, entryId);
    return row ? Number(row["key"]) : null;
  }
}

/** Of one entry so much is findable; what is longer keeps its beginning and its end. */
export const INDEXED_CHARS_MAX = 16_000;
const INDEXED_END_CHARS = 4_000;
const FILES_MAX = 200;
const PATH_CHARS_MAX = 4_096;
/** No text is told from our marks around a hit by these, and none is cut short by a zero. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these very characters are meant
const UNFIT = /[\u0000-\u0002]/g;

interface SearchableEntry {
  readonly text: string;
  readonly at: string | null;
  /** Files the entry says it read or changed. */
  readonly files: readonly string[];
}

/** What of an entry can be found. Pure. */
function searchableEntry(entry: Entry): SearchableEntry {
  return { text: fitText(searchText(entry)), at: entryTime(entry), files: fitPaths(touchedFiles(entry)) };
}

export function fitText(text: string): string {
  // A word in colour is found by its letters, not by those of its colour.
  const fit = stripVTControlCharacters(text).replace(UNFIT, " ");
  if (fit.length <= INDEXED_CHARS_MAX) return fit.toWellFormed();
  const start = fit.slice(0, INDEXED_CHARS_MAX - INDEXED_END_CHARS);
  return `${start}\n…\n${fit.slice(-INDEXED_END_CHARS)}`.toWellFormed();
}

function fitPaths(paths: readonly string[]): readonly string[] {
  const fit = paths.filter((path) => path !== "" && path.length <= PATH_CHARS_MAX);
  return [...new Set(fit.map((path) => path.replace(UNFIT, " ").toWellFormed()))].slice(0, FILES_MAX);
}
