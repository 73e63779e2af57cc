import type { DatabaseSync } from "node:sqlite";
import type { Entry } from "../../protocol/entry.ts";
import { fitText, searchableEntry } from "./searchable-entry.ts";

/**
 * Where keys start: new entries count upwards from here, older ones downwards, so that
 * the newest is always the highest, in whichever order they were indexed.
 */
const FIRST_KEY = 1_000_000_000_000;
const TITLE = "";

/** Adds entries to the index and removes them; always inside the caller's transaction. */
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
      addInherited: db.prepare(
        `INSERT OR IGNORE INTO search_backlog (session_key, before_position) SELECT key, next_position FROM session
         WHERE json_extract(origin, '$.sessionId') = ? AND origin IS NOT NULL AND inherited > 0`,
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

  /** `at`: the time of entries without their own. */
  entry(sessionKey: number, entry: Entry, at: string | null, place: "newer" | "older"): void {
    if (this.#keyOf(sessionKey, entry.entryId) !== null) return;
    const searchable = searchableEntry(entry);
    const key = this.#newKey(place);
    const { text } = searchable;
    this.#insert(key, { sessionKey, id: entry.entryId, kind: entry.type, at: searchable.at ?? at, text });
    for (const path of searchable.files) this.#sql.insertFile.run(sessionKey, path, key);
  }

  /** Everything stored of the session is indexed in small steps, later. */
  later(sessionKey: number): void {
    this.#sql.addBacklog.run(sessionKey);
  }

  /** The session is about to go: what others have inherited from it is found in those from now on. */
  releaseInherited(sessionId: string): void {
    this.#sql.addInherited.run(sessionId);
  }

  /** Entries that are not indexed yet are indexed in their later form. */
  revise(sessionKey: number, entry: Entry): void {
    const key = this.#keyOf(sessionKey, entry.entryId);
    if (key === null) return;
    const { text, files } = searchableEntry(entry);
    this.#sql.updateWords.run(text, key);
    for (const path of files) this.#sql.insertFile.run(sessionKey, path, key);
  }

  /** Removes a limited part of a session; the rest loses its owner with the session and is swept later. */
  remove(sessionKey: number, textsMax: number): void {
    this.#drop(this.#sql.keysOf.all(sessionKey, textsMax));
  }

  /** Removes a limited part of deleted sessions; returns the number of texts. */
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
