import type { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import type { OutputPiece, OutputRange } from "../../ports/session-log.ts";
import type { WholeOutput } from "../../protocol/shorten-entry.ts";
import { cutAt } from "../../protocol/shown-text.ts";

/** Of one text; what comes after is counted and not kept. */
export const OUTPUT_CHARS_KEPT_MAX = 64 * 1024 * 1024;
/** A row of the table: a range is read without reading all of a long text. */
const PIECE_CHARS_MAX = 256 * 1024;
/** Stands for the tool call's own output; parts are numbered from 0. */
const OWN_OUTPUT = -1;

const Text = z.string();

/** Long texts in pieces. They lie as JSON strings: half a character at a piece's end survives that, and not SQLite's UTF-8. */
export class StoredOutputs {
  readonly #insert;
  readonly #drop;
  readonly #read;
  readonly #length;

  constructor(db: DatabaseSync) {
    this.#insert = db.prepare(
      "INSERT OR REPLACE INTO output_piece (session_key, entry_id, part, start, chars, json) VALUES (?, ?, ?, ?, ?, ?)",
    );
    this.#drop = db.prepare("DELETE FROM output_piece WHERE session_key = ? AND entry_id = ? AND part = ?");
    this.#read = db.prepare(
      `SELECT start, json FROM output_piece
       WHERE session_key = ? AND entry_id = ? AND part = ? AND start < ? AND start + chars > ? ORDER BY start`,
    );
    this.#length = db.prepare(
      "SELECT max(start + chars) AS chars FROM output_piece WHERE session_key = ? AND entry_id = ? AND part = ?",
    );
  }

  /** To be called in the transaction that stores the entry. */
  write(sessionKey: number, { entryId, part, start, text }: WholeOutput): void {
    const place = part ?? OWN_OUTPUT;
    if (start === 0) this.#drop.run(sessionKey, entryId, place);
    const kept = cutAt(text, Math.max(0, OUTPUT_CHARS_KEPT_MAX - start));
    for (let at = 0; at < kept.length; ) {
      const piece = cutAt(kept.slice(at, at + PIECE_CHARS_MAX + 1), PIECE_CHARS_MAX);
      this.#insert.run(sessionKey, entryId, place, start + at, piece.length, JSON.stringify(piece));
      at += piece.length;
    }
  }

  read(sessionKey: number, { entryId, part, from, charsMax }: OutputRange): OutputPiece | null {
    const place = part ?? OWN_OUTPUT;
    const chars = this.#length.get(sessionKey, entryId, place)?.["chars"];
    if (typeof chars !== "number") return null;
    const to = from + charsMax;
    const content = this.#read.all(sessionKey, entryId, place, to, from).map((row) => {
      const start = Number(row["start"]);
      return Text.parse(JSON.parse(String(row["json"]))).slice(Math.max(0, from - start), to - start);
    });
    return { content: content.join(""), totalChars: chars };
  }
}
