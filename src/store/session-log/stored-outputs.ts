import type { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import type { OutputPiece, OutputRange } from "../../ports/session-log.ts";
import type { WholeOutput } from "../../protocol/shorten-entry.ts";
import { cutAt } from "../../protocol/shown-text.ts";

/** Limit of one text; the rest is counted and not kept. */
export const OUTPUT_CHARS_KEPT_MAX = 64 * 1024 * 1024;
/** A row of the table: a range is read without reading all of a long text. */
const PIECE_CHARS_MAX = 256 * 1024;
/** Means the tool call's own output; parts are numbered from 0. */
const OWN_OUTPUT = -1;

const Text = z.string();

/** Long texts in pieces, stored as JSON strings: a split surrogate pair survives that, but not SQLite's UTF-8. */
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

  /** Must be called in the transaction that stores the entry. */
  write(sessionKey: number, output: WholeOutput): void {
    const { entryId, start } = output;
    const place = placeOf(output.part);
    if (start === 0) this.#drop.run(sessionKey, entryId, place);
    for (const piece of piecesOf(output))
      this.#insert.run(sessionKey, entryId, place, piece.start, piece.chars, piece.json);
  }

  read(sessionKey: number, range: OutputRange): OutputPiece | null {
    const { entryId, from, charsMax } = range;
    const place = placeOf(range.part);
    const chars = this.#length.get(sessionKey, entryId, place)?.["chars"];
    if (typeof chars !== "number") return null;
    const pieces = this.#read.all(sessionKey, entryId, place, from + charsMax, from);
    return { content: contentOf(pieces, range), totalChars: chars };
  }
}

/** How the part of an entry is numbered in the table. */
export function placeOf(part: number | null): number {
  return part ?? OWN_OUTPUT;
}

/** The rows of a text, or of its continuation. Pure. */
export function piecesOf({ start, text }: WholeOutput) {
  const kept = cutAt(text, Math.max(0, OUTPUT_CHARS_KEPT_MAX - start));
  const pieces = [];
  for (let at = 0; at < kept.length; ) {
    const piece = cutAt(kept.slice(at, at + PIECE_CHARS_MAX + 1), PIECE_CHARS_MAX);
    pieces.push({ start: start + at, chars: piece.length, json: JSON.stringify(piece) });
    at += piece.length;
  }
  return pieces;
}

/** The part of a range that these rows contain. Pure. */
export function contentOf(rows: readonly Readonly<Record<string, unknown>>[], { from, charsMax }: OutputRange): string {
  const pieces = rows.map((row) => {
    const start = Number(row["start"]);
    return Text.parse(JSON.parse(String(row["json"]))).slice(Math.max(0, from - start), from + charsMax - start);
  });
  return pieces.join("");
}
