import { Tokenizer, type Tokens } from "marked";

/** Containers inside containers; what is nested deeper is text. Unbounded, a line of ">" overflows the stack. */
const CONTAINER_DEPTH_MAX = 32;
/** Text and lines of one list or quote. What follows them is a list or quote of its own: marked reads such a block several times. */
const CONTAINER_CHARS_MAX = 16_384;
const CONTAINER_LINES_MAX = 1_000;
/** A link definition with its title. A longer one is text. */
const DEFINITION_CHARS_MAX = 4_096;
/** Columns of a table; a wider one is text. */
const TABLE_COLUMNS_MAX = 200;
/** Cells of a table. Short rows are filled up with empty cells, so they are counted as if full. */
const TABLE_CELLS_MAX = 5_000;
const QUOTE_START = /^ {0,3}>/;
const LIST_START = /^ {0,3}(?:[*+-]|\d{1,9}[.)])/;
const DEFINITION_START = /^ {0,3}\[/;
const BLANK_LINE = /\n[ \t]*\n/;
/** How the second line of a table must begin. */
const DELIMITER_START = /^ {0,3}(?:\| *)?:?-/;
/** What comes first: the underline of a heading, or the blank line after which there is none. */
const SETEXT_OR_BLANK_LINE = /\n(?:( {0,3}[=-]+[ \t]*)(?:\n|$)|[ \t]*\n)/;
const HTML_START = /^ {0,3}</;

/** marked's tokenizer, minus what lets one block reach into another and what lets a text nest without end. */
export class MarkdownTokenizer extends Tokenizer {
  readonly #mayDefine: () => boolean;
  #depth = 0;

  /** What `mayDefine` refuses is no definition but text. */
  constructor(mayDefine: () => boolean) {
    super();
    this.#mayDefine = mayDefine;
  }

  // Tried at every block: what cannot be a quote or a list is turned away before its lines are counted.
  override blockquote(source: string): Tokens.Blockquote | undefined {
    if (!QUOTE_START.test(source)) return undefined;
    return this.#nested(() => super.blockquote(boundedLines(source)));
  }

  override list(source: string): Tokens.List | undefined {
    if (!LIST_START.test(source)) return undefined;
    return this.#nested(() => super.list(boundedLines(source)));
  }

  /** marked lets a definition's title run over blank lines, against CommonMark: a stream could then never settle one. */
  override def(source: string): Tokens.Def | undefined {
    if (!DEFINITION_START.test(source) || !this.#mayDefine()) return undefined;
    const head = source.slice(0, DEFINITION_CHARS_MAX);
    const lines = head.length === source.length ? head : head.slice(0, head.lastIndexOf("\n") + 1);
    const blank = BLANK_LINE.exec(lines);
    return super.def(blank === null ? lines : lines.slice(0, blank.index + 1));
  }

  /** marked's own pattern walks back over a long first line from every place in it: 40 ms for 120 kB. */
  override table(source: string): Tokens.Table | undefined {
    const second = source.indexOf("\n") + 1;
    const end = source.indexOf("\n", second);
    const line = second === 0 ? "" : source.slice(second, end === -1 ? source.length : end);
    if (!DELIMITER_START.test(line)) return undefined;
    const columns = line.split("|", TABLE_COLUMNS_MAX + 3).length;
    if (columns > TABLE_COLUMNS_MAX + 2) return undefined; // one more at each side for the outer pipes
    const rows = firstBlock(source).split("\n", TABLE_CELLS_MAX + 1).length;
    return rows * columns > TABLE_CELLS_MAX ? undefined : super.table(source);
  }

  /** The same walk for a heading whose underline is nowhere in sight. */
  override lheading(source: string): Tokens.Heading | undefined {
    return SETEXT_OR_BLANK_LINE.exec(source)?.[1] !== undefined ? super.lheading(source) : undefined;
  }

  override html(source: string): Tokens.HTML | undefined {
    return HTML_START.test(source) ? super.html(source) : undefined;
  }

  /** Raw HTML is text here, so an `<a>` or `<pre>` must not switch off links or references in what follows it. */
  override tag(source: string): Tokens.Tag | undefined {
    const { inLink, inRawBlock } = this.lexer.state;
    const token = super.tag(source);
    this.lexer.state.inLink = inLink;
    this.lexer.state.inRawBlock = inRawBlock;
    return token;
  }

  #nested<T>(read: () => T | undefined): T | undefined {
    if (this.#depth >= CONTAINER_DEPTH_MAX) return undefined;
    this.#depth += 1;
    try {
      return read();
    } finally {
      this.#depth -= 1;
    }
  }
}

/** The lines up to the first blank one. No table reaches further. */
function firstBlock(source: string): string {
  const blank = BLANK_LINE.exec(source);
  return blank === null ? source : source.slice(0, blank.index + 1);
}

/** The lines a list or quote may have, cut where a line starts at the margin if one is in sight. */
function boundedLines(source: string): string {
  let end = 0;
  let margin = 0;
  for (let lines = 0; lines < CONTAINER_LINES_MAX; lines += 1) {
    const next = source.indexOf("\n", end) + 1;
    if ((next === 0 ? source.length : next) > CONTAINER_CHARS_MAX) break;
    if (next === 0) return source;
    end = next;
    if (/\S/.test(source.charAt(end))) margin = end;
  }
  return source.slice(0, margin || end);
}
