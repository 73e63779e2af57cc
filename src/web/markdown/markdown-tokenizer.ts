import { Tokenizer, type Tokens } from "marked";

/** Containers inside containers; what is nested deeper is text. Unbounded, a line of ">" overflows the stack. */
const CONTAINER_DEPTH_MAX = 32;
const DEFINITION_START = /^ {0,3}\[/;
const BLANK_LINE = /\n[ \t]*\n/;
/** How the second line of a table must begin. */
const DELIMITER_START = /^ {0,3}(?:\| *)?:?-/;
const SETEXT_LINE = /\n {0,3}[=-]+[ \t]*(?:\n|$)/;
const HTML_START = /^ {0,3}</;

/** marked's tokenizer, minus what lets one block reach into another and what lets a text nest without end. */
export class MarkdownTokenizer extends Tokenizer {
  #depth = 0;

  override blockquote(source: string): Tokens.Blockquote | undefined {
    return this.#nested(() => super.blockquote(source));
  }

  override list(source: string): Tokens.List | undefined {
    return this.#nested(() => super.list(source));
  }

  /** marked lets a definition's title run over blank lines, against CommonMark: a stream could then never settle one. */
  override def(source: string): Tokens.Def | undefined {
    if (!DEFINITION_START.test(source)) return undefined;
    const blank = BLANK_LINE.exec(source);
    return super.def(blank === null ? source : source.slice(0, blank.index + 1));
  }

  /** marked's own pattern walks back over a long first line from every place in it: 40 ms for 120 kB. */
  override table(source: string): Tokens.Table | undefined {
    const second = source.indexOf("\n") + 1;
    const end = source.indexOf("\n", second);
    const line = second === 0 ? "" : source.slice(second, end === -1 ? source.length : end);
    return DELIMITER_START.test(line) ? super.table(source) : undefined;
  }

  /** The same walk for a heading whose underline is nowhere in sight. */
  override lheading(source: string): Tokens.Heading | undefined {
    return SETEXT_LINE.test(source) ? super.lheading(source) : undefined;
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
