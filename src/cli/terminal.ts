import { visibleOneLine } from "../lib/visible-text.ts";

const ESCAPE = "\u001b[";
const RESET = `${ESCAPE}0m`;
/** The terminal's own palette: its theme decides what is readable on its background. */
const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
const GAP_COLUMNS = 2;
const INDENT = "  ";
/** A column that may be cut keeps at least this much, or moves to the next line. */
const CELL_COLUMNS_MIN = 12;
const ELLIPSIS = "…";
const ELLIPSIS_COLUMNS = 1;

export type Style = keyof typeof CODES;

type Environment = Readonly<Record<string, string | undefined>>;

/** How text is rendered at its destination. */
export interface Screen {
  /** Columns of the terminal; null in a pipe or a file, where nothing is cut. */
  readonly columns: number | null;
  readonly hasColour: boolean;
}

interface Stream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** FORCE_COLOR decides if set, then NO_COLOR; otherwise a terminal that is not "dumb" gets colours. */
export function screenOf(stream: Stream, env: Environment): Screen {
  const isTerminal = stream.isTTY === true;
  return { columns: isTerminal && stream.columns ? stream.columns : null, hasColour: hasColour(isTerminal, env) };
}

function hasColour(isTerminal: boolean, env: Environment): boolean {
  const { FORCE_COLOR: forced = "", NO_COLOR: refused = "", TERM: term } = env;
  if (forced !== "") return forced !== "0" && forced !== "false";
  return isTerminal && refused === "" && term !== "dumb";
}

/** Text with our own styles. Inserted text is made harmless first: agent text cannot control a terminal. */
export class Styled {
  readonly #pieces: readonly { readonly text: string; readonly style?: Style | undefined }[];

  private constructor(pieces: Styled["pieces"]) {
    this.#pieces = pieces;
  }

  static of(text: string, style?: Style): Styled {
    return new Styled([{ text: plain(text), style }]);
  }

  static join(texts: readonly Text[], separator = ""): Styled {
    const parts = texts.map((text) => (text instanceof Styled ? text : Styled.of(text)));
    return new Styled(
      parts.flatMap((part, index) => (index === 0 ? part.pieces : [{ text: separator }, ...part.pieces])),
    );
  }

  get pieces() {
    return this.#pieces;
  }

  /** One line of at most that many columns, with an ellipsis if something is missing. */
  shorten(columnsMax: number | null): Styled {
    const columns = sum(this.#pieces.map(({ text }) => Bun.stringWidth(text)));
    if (columnsMax === null || columns <= columnsMax) return this;
    let room = columnsMax - ELLIPSIS_COLUMNS;
    const kept = this.#pieces.map(({ text, style }) => {
      const piece = { text: beginning(text, room), style };
      room = piece.text === text ? room - Bun.stringWidth(text) : 0;
      return piece;
    });
    return new Styled([...kept, { text: ELLIPSIS }]);
  }

  /** A line that ends inside a style would colour the rest, so each line is styled separately. */
  render({ hasColour }: Pick<Screen, "hasColour">): string {
    return this.#pieces
      .map(({ text, style }) => {
        if (!hasColour || style === undefined) return text;
        return text.replace(/[^\n]+/g, (line) => `${ESCAPE}${CODES[style]}m${line}${RESET}`);
      })
      .join("");
  }
}

export type Text = string | Styled;

export function paint(style: Style | undefined, text: string): Styled {
  return Styled.of(text, style);
}

/** `styled` with text and styled text in it, in one piece. */
export function styled(strings: TemplateStringsArray, ...values: readonly Text[]): Styled {
  return Styled.join(strings.flatMap((string, index) => [string, values[index] ?? ""]));
}

/** Agent text without control sequences. Every line terminator becomes a line break. */
export function plain(text: string): string {
  return text
    .replace(/\r\n|[\r\v\f\u0085\u2028\u2029]/g, "\n")
    .replace(/\p{Cc}|\p{Bidi_Control}/gu, (sign) => (sign === "\n" || sign === "\t" ? sign : ""));
}

/** A text on one line. If it does not fit it ends with an ellipsis; without a limit it is complete. */
export function oneLine(text: string, columnsMax: number | null = null): string {
  const line = plain(visibleOneLine(text));
  return columnsMax === null ? line : shorten(line, columnsMax);
}

const GRAPHEMES = new Intl.Segmenter();

/** Counts columns, not characters: some take two, some none. */
function shorten(line: string, columnsMax: number): string {
  if (Bun.stringWidth(line) <= columnsMax) return line;
  return `${beginning(line, columnsMax - ELLIPSIS_COLUMNS).trimEnd()}${ELLIPSIS}`;
}

function beginning(line: string, columnsMax: number): string {
  let [kept, columns] = ["", 0];
  for (const { segment } of GRAPHEMES.segment(line)) {
    columns += Bun.stringWidth(segment);
    if (columns > columnsMax) break;
    kept += segment;
  }
  return kept;
}

/** Wraps words into lines of at most that many columns, indented except for the first. A longer word is not split. */
export function wrap(text: string, columnsMax: number | null, indent: string): string {
  if (columnsMax === null) return text;
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && Bun.stringWidth(`${indent}${line} ${word}`) > columnsMax) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${indent}`);
}

export interface Column {
  readonly title: string;
  /** Its cells may be cut to this many columns, with an ellipsis; without it they are always complete. */
  readonly columnsMin?: number;
  readonly style?: Style | ((cell: string) => Style | undefined);
}

/** For cells that are read, not copied. */
export const CUT = { columnsMin: CELL_COLUMNS_MIN } as const;

interface PlacedColumn extends Column {
  readonly index: number;
  readonly width: number;
}

/** One of the lines that a row takes. */
interface TableLine {
  readonly indent: string;
  readonly columns: readonly PlacedColumn[];
}

/**
 * Rows in columns, each cell one line. On a narrow terminal, columns that may be cut are; those that still do not fit
 * move to the next line, indented.
 */
export function table(columns: readonly Column[], cells: readonly (readonly string[])[], screen: Screen): Styled {
  const rows = cells.map((row) => row.map((cell) => oneLine(cell)));
  const placed = columns.map((column, index) => ({
    ...column,
    index,
    width: Math.max(...[column.title, ...rows.map((row) => row[index] ?? "")].map((cell) => Bun.stringWidth(cell))),
  }));
  const { columns: columnsMax } = screen;
  const lines =
    columnsMax === null
      ? [{ indent: "", columns: placed }]
      : brokenInto(placed, columnsMax).map((line) => fitted(line, columnsMax));
  const header = columns.map(({ title }) => title);
  return Styled.join([
    ...lines.map((line) => lineOf(line, header, true)),
    ...rows.flatMap((row) => lines.map((line) => lineOf(line, row, false))),
  ]);
}

/** A column without room at its minimum width starts the next line. */
function brokenInto(columns: readonly PlacedColumn[], columnsMax: number): readonly TableLine[] {
  const lines: { indent: string; columns: PlacedColumn[] }[] = [{ indent: "", columns: [] }];
  let room = columnsMax;
  for (const column of columns) {
    const least = Math.min(column.width, column.columnsMin ?? column.width);
    const line = lines.at(-1);
    if (line && (line.columns.length === 0 || least <= room)) line.columns.push(column);
    else {
      lines.push({ indent: INDENT, columns: [column] });
      room = columnsMax - INDENT.length;
    }
    room -= least + GAP_COLUMNS;
  }
  return lines;
}

/** Columns that may be cut shrink from the left: the last one has the longest text. */
function fitted({ indent, columns }: TableLine, columnsMax: number): TableLine {
  const room = columnsMax - indent.length - GAP_COLUMNS * (columns.length - 1);
  let excess = Math.max(0, sum(columns.map(({ width }) => width)) - room);
  const cut = columns.map((column) => {
    const spare = Math.min(excess, Math.max(0, column.width - (column.columnsMin ?? column.width)));
    excess -= spare;
    return { ...column, width: column.width - spare };
  });
  return { indent, columns: cut };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

function lineOf({ indent, columns }: TableLine, row: readonly string[], isHeader: boolean): Styled {
  const last = columns.findLastIndex(({ index }) => (row[index] ?? "") !== "");
  const cells = columns.map(({ index, width, columnsMin, style }, place) => {
    const whole = row[index] ?? "";
    const cell = columnsMin === undefined ? whole : shorten(whole, width);
    const given = typeof style === "function" ? style(whole) : style;
    const padding = place < last ? " ".repeat(width - Bun.stringWidth(cell) + GAP_COLUMNS) : "";
    return styled`${paint(isHeader ? "bold" : given, cell)}${padding}`;
  });
  return styled`${indent}${Styled.join(cells)}\n`;
}

/** Resolves with the first Ctrl-C or SIGTERM. Further ones are ignored. */
export function untilInterrupted(): Promise<"interrupted"> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve("interrupted"));
  });
}
