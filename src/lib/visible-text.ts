/** Everything that some reader treats as a line end; a terminal, a page and a shell disagree on it. */
const LINE_END = "\\r\\n|[\\n\\r\\v\\f\\u0085\\u2028\\u2029]";
/** Emoji join their parts with invisible characters, which is harmless there. */
const EMOJI =
  "\\p{Extended_Pictographic}\\p{Emoji_Modifier}?\\ufe0f?(?:\\u200d\\p{Extended_Pictographic}\\p{Emoji_Modifier}?\\ufe0f?)*";
/** Control, format, private, unassigned and half characters, spaces that are not the plain one, and blank glyphs. */
const UNSEEN =
  "[\\p{Cc}\\p{Cf}\\p{Co}\\p{Cn}\\p{Cs}\\p{Default_Ignorable_Code_Point}\\u2800\\u{1d159}]|(?! )\\p{White_Space}";
/** More spaces than this in a row could push text out of view: they are counted instead. */
const SPACES_SHOWN_MAX = 40;
/** More of one sign in a row than this are counted. */
const SIGNS_SHOWN_MAX = 3;
/** More blank lines in a row than this are counted. */
const BLANK_LINES_SHOWN_MAX = 3;
const TOKEN = new RegExp(`(${LINE_END})|(${EMOJI})|(${UNSEEN})|( {${SPACES_SHOWN_MAX + 1},})`, "gu");
const LINE_END_SIGN = "⏎";
const PLAIN_LINE = /^[\t\x20-\x7e]*$/;

/** Text unchanged, or a sign for an invisible character. */
export interface VisiblePiece {
  readonly kind: "text" | "sign";
  readonly text: string;
}

/** One line with its number, or several blank ones at once. */
export type VisibleLine =
  | { readonly kind: "line"; readonly number: number; readonly pieces: readonly VisiblePiece[] }
  | { readonly kind: "blank"; readonly number: number; readonly words: string };
type TextLine = Extract<VisibleLine, { kind: "line" }>;

/** Text as the user has to see it before deciding: every line end ends a line, and nothing is invisible. */
export function visibleLines(text: string): readonly VisibleLine[] {
  const lines: VisibleLine[] = [];
  let blank: TextLine[] = [];
  let pieces = new Pieces();
  let number = 0;
  const endLine = (end: string) => {
    number += 1;
    const line: TextLine = { kind: "line", number, pieces: pieces.all };
    const { isBlank } = pieces;
    const sign = end.replace(/\n$/, "");
    if (sign !== "") pieces.add({ kind: "sign", text: codesOf(sign) });
    pieces = new Pieces();
    if (isBlank) blank.push(line);
    else {
      lines.push(...folded(blank), line);
      blank = [];
    }
  };
  for (const { token, end } of tokensOf(text)) {
    if (end === null) pieces.add(token);
    else endLine(end);
  }
  // The text after the last line end is a line only if it is not empty.
  if (pieces.all.length > 0 || number === 0) endLine("");
  return [...lines, ...folded(blank)];
}

/** How many lines the text has for its reader. */
export function countLines(text: string): number {
  const ends = [...text.matchAll(new RegExp(LINE_END, "gu"))];
  const last = ends.at(-1);
  return ends.length + (last === undefined || last.index + last[0].length < text.length ? 1 : 0);
}

/** The text of one line: line ends in it become signs, like everything else that is invisible. */
export function visiblePieces(text: string): readonly VisiblePiece[] {
  const pieces = new Pieces();
  for (const { token, end } of tokensOf(text))
    pieces.add(end === null ? token : { kind: "sign", text: end === "\n" ? LINE_END_SIGN : codesOf(end) });
  return pieces.all;
}

/** A line of a file: tabs and spaces are kept, every other invisible character is shown as a sign. */
export function sourcePieces(line: string): readonly VisiblePiece[] {
  if (PLAIN_LINE.test(line)) return [{ kind: "text", text: line }];
  const pieces = new Pieces();
  let from = 0;
  for (const match of line.matchAll(TOKEN)) {
    const [whole, , emoji] = match;
    if (emoji !== undefined || /^[\t ]+$/.test(whole)) continue;
    if (match.index > from) pieces.add({ kind: "text", text: line.slice(from, match.index) });
    pieces.add({ kind: "sign", text: codesOf(whole) });
    from = match.index + whole.length;
  }
  if (from < line.length) pieces.add({ kind: "text", text: line.slice(from) });
  return pieces.all;
}

/** For a row, a title or a notification: a text of several lines never looks like one line. */
export function visibleOneLine(text: string): string {
  return visiblePieces(text.trim())
    .map((piece) =>
      piece.kind === "text" ? piece.text : piece.text === LINE_END_SIGN ? ` ${piece.text} ` : bracketed(piece),
    )
    .join("")
    .replace(/ {2,}/g, " ");
}

/** For a terminal: each line after its number and a bar, so that agent text never looks like ours. */
export function visibleBlock(text: string, indent: string): string {
  const lines = visibleLines(text);
  const width = String(countLines(text)).length;
  return lines
    .map((line) => {
      const words = line.kind === "blank" ? `(${line.words})` : line.pieces.map(bracketed).join("");
      return `${indent}${String(line.number).padStart(width)} │ ${words}`.trimEnd();
    })
    .join("\n");
}

function bracketed({ kind, text }: VisiblePiece): string {
  return kind === "text" || text === "⇥" ? text : `<${text}>`;
}

class Pieces {
  readonly all: VisiblePiece[] = [];
  #repeated = 0;

  /** Nothing visible without signs. */
  get isBlank(): boolean {
    return this.all.every(({ kind, text }) => kind === "sign" || text.trim() === "");
  }

  add(piece: VisiblePiece): void {
    const last = this.all.at(-1);
    if (piece.kind === "text") {
      if (last?.kind === "text") this.all[this.all.length - 1] = { kind: "text", text: last.text + piece.text };
      else this.all.push(piece);
      return;
    }
    const base = last?.kind === "sign" ? last.text.replace(/ ×\d+$/, "") : null;
    this.#repeated = base === piece.text ? this.#repeated + 1 : 1;
    if (this.#repeated <= SIGNS_SHOWN_MAX) this.all.push(piece);
    else {
      const seen = this.#repeated === SIGNS_SHOWN_MAX + 1 ? SIGNS_SHOWN_MAX : 1;
      this.all.splice(-seen, seen, { kind: "sign", text: `${piece.text} ×${this.#repeated}` });
    }
  }
}

interface Token {
  readonly token: VisiblePiece;
  /** The line end that this is, or null. */
  readonly end: string | null;
}

function* tokensOf(text: string): Generator<Token> {
  let from = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, end, emoji, unseen] = match;
    if (match.index > from) yield { token: { kind: "text", text: text.slice(from, match.index) }, end: null };
    from = match.index + whole.length;
    if (end !== undefined) yield { token: { kind: "text", text: "" }, end };
    else if (emoji !== undefined) yield { token: { kind: "text", text: emoji }, end: null };
    else
      yield {
        token: { kind: "sign", text: unseen === undefined ? `${whole.length} spaces` : signOf(unseen) },
        end: null,
      };
  }
  if (from < text.length) yield { token: { kind: "text", text: text.slice(from) }, end: null };
}

function folded(blank: readonly TextLine[]): readonly VisibleLine[] {
  const first = blank[0];
  if (first === undefined || blank.length <= BLANK_LINES_SHOWN_MAX) return blank;
  const signs = new Set(
    blank.flatMap(({ pieces }) => pieces.flatMap(({ kind, text }) => (kind === "sign" ? [text] : []))),
  );
  const inside = signs.size === 0 ? "" : ` with ${[...signs].slice(0, SIGNS_SHOWN_MAX).join(", ")}`;
  return [{ kind: "blank", number: first.number, words: `${blank.length} blank lines${inside}` }];
}

function signOf(char: string): string {
  return char === "\t" ? "⇥" : codesOf(char);
}

function codesOf(text: string): string {
  return [...text]
    .map((char) => `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`)
    .join(" ");
}
