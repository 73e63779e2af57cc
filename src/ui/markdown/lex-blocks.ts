import { Lexer, type Links, type Token, Tokenizer, type Tokens } from "marked";

/** Limit of nested inline markup; anything deeper is text, for the same reason as the depth of containers. */
const INLINE_DEPTH_MAX = 32;
/**
 * A longer run without a blank line is a dump, not prose. It is shown unparsed: marked's patterns are quadratic in
 * places.
 */
export const INLINE_CHARS_MAX = 16_384;
/**
 * Each marker may make marked and remend scan the rest of the run again, so a run with more of them is shown unparsed,
 * too.
 */
const INLINE_MARKERS_MAX = 1_000;
const MARKERS: ReadonlySet<number> = new Set([..."*_~`[]<\\"].map((marker) => marker.charCodeAt(0)));
/** The longest word that may be an email address. marked needs cubic time for it. */
const ADDRESS_CHARS_MAX = 320;
const INLINE_IMAGE_SOURCE = /\(data:image\/[^()\s]*\)/g;

/** Block structure of a source. Inline content is lexed on demand, because it is the expensive part. */
export interface LexedBlocks {
  readonly tokens: readonly Token[];
  readonly scope: LinkScope;
  /** The inline source of a leaf, by the array in which marked would have put its tokens. */
  inlineSource(slot: readonly Token[]): string;
  lexInline(source: string, scope: LinkScope): Token[];
}

/** Splits into blocks. The source must have `\n` line ends and start at a block. */
export function lexBlocks(source: string, definitions: LinkDefinitions): LexedBlocks {
  const scope = definitions.openScope();
  const lexer = new MarkdownLexer(scope);
  lexer.tokens.links = scope.links;
  lexer.blockTokens(source, lexer.tokens);
  const sources = new Map<readonly Token[], string>(lexer.inlineQueue.map((entry) => [entry.tokens, entry.src]));
  return {
    tokens: lexer.tokens,
    scope,
    inlineSource: (slot) => stripLines(sources.get(slot) ?? ""),
    lexInline(inline, inlineScope) {
      if (isDump(inline)) return [{ type: "text", raw: inline, text: inline }];
      lexer.tokens.links = inlineScope.links;
      return lexer.inlineTokens(inline, []);
    },
  };
}

class MarkdownLexer extends Lexer {
  #depth = 0;

  constructor(scope: LinkScope) {
    super({ gfm: true, tokenizer: new MarkdownTokenizer(() => scope.mayDefine()) });
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (this.#depth >= INLINE_DEPTH_MAX) return [{ type: "text", raw: source, text: source }];
    this.#depth += 1;
    try {
      return super.inlineTokens(source, tokens);
    } finally {
      this.#depth -= 1;
    }
  }
}

/** CommonMark drops the white space at both ends of a paragraph and at the start of its lines; marked leaves it to HTML. */
function stripLines(source: string): string {
  const stripped = source.trim();
  return stripped.includes("\n") ? stripped.replace(/\n[ \t]+/g, "\n") : stripped;
}

/** A run that is shown unparsed. Decided in one pass. */
export function isDump(source: string): boolean {
  if (hasTooManyMarkers(source) || hasLongAddress(source)) return true;
  return source.length > INLINE_CHARS_MAX && source.replace(INLINE_IMAGE_SOURCE, "").length > INLINE_CHARS_MAX;
}

function hasTooManyMarkers(source: string): boolean {
  if (source.length <= INLINE_MARKERS_MAX) return false;
  let markers = 0;
  for (let at = 0; at < source.length && markers <= INLINE_MARKERS_MAX; at += 1) {
    if (MARKERS.has(source.charCodeAt(at))) markers += 1;
  }
  return markers > INLINE_MARKERS_MAX;
}

function hasLongAddress(source: string): boolean {
  if (source.length <= ADDRESS_CHARS_MAX) return false;
  for (let at = source.indexOf("@"); at !== -1; at = source.indexOf("@", at + 1)) {
    const from = Math.max(0, at - ADDRESS_CHARS_MAX);
    if (at - from === ADDRESS_CHARS_MAX && !/\s/.test(source.slice(from, at))) return true;
  }
  return false;
}

/** Limit of nested containers; anything deeper is text. Unbounded, a line of ">" overflows the stack. */
const CONTAINER_DEPTH_MAX = 32;
/** Limit of one list or quote. The rest is a separate list or quote: marked reads such a block several times. */
const CONTAINER_CHARS_MAX = 16_384;
const CONTAINER_LINES_MAX = 1_000;
/** A link definition with its title. A longer one is text. */
const DEFINITION_CHARS_MAX = 4_096;
/** Columns of a table; a wider one is text. */
const TABLE_COLUMNS_MAX = 200;
/** Cells of a table. Short rows are padded with empty cells, so they count as full. */
const TABLE_CELLS_MAX = 5_000;
const QUOTE_START = /^ {0,3}>/;
const LIST_START = /^ {0,3}(?:[*+-]|\d{1,9}[.)])/;
const DEFINITION_START = /^ {0,3}\[/;
const BLANK_LINE = /\n[ \t]*\n/;
/** The start of a table's second line. */
const DELIMITER_START = /^ {0,3}(?:\| *)?:?-/;
/** Whichever comes first: the underline of a heading, or the blank line after which there is none. */
const SETEXT_OR_BLANK_LINE = /\n(?:( {0,3}[=-]+[ \t]*)(?:\n|$)|[ \t]*\n)/;
const HTML_START = /^ {0,3}</;

/** marked's tokenizer, without features that let one block reach into another and let a text nest without limit. */
class MarkdownTokenizer extends Tokenizer {
  readonly #mayDefine: () => boolean;
  #depth = 0;

  /** Definitions that `mayDefine` refuses are text. */
  constructor(mayDefine: () => boolean) {
    super();
    this.#mayDefine = mayDefine;
  }

  // Called at every block: anything that cannot be a quote or a list is rejected before its lines are counted.
  override blockquote(source: string): Tokens.Blockquote | undefined {
    if (!QUOTE_START.test(source)) return undefined;
    return this.#nested(() => super.blockquote(boundedLines(source)));
  }

  override list(source: string): Tokens.List | undefined {
    if (!LIST_START.test(source)) return undefined;
    return this.#nested(() => super.list(boundedLines(source)));
  }

  /** marked lets a definition's title span blank lines, against CommonMark: a stream could then never settle one. */
  override def(source: string): Tokens.Def | undefined {
    if (!DEFINITION_START.test(source) || !this.#mayDefine()) return undefined;
    const head = source.slice(0, DEFINITION_CHARS_MAX);
    const lines = head.length === source.length ? head : head.slice(0, head.lastIndexOf("\n") + 1);
    const blank = BLANK_LINE.exec(lines);
    return super.def(blank === null ? lines : lines.slice(0, blank.index + 1));
  }

  /** marked's own pattern backtracks over a long first line from every position: 40 ms for 120 kB. */
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

  /** The same backtracking for a heading without an underline nearby. */
  override lheading(source: string): Tokens.Heading | undefined {
    return SETEXT_OR_BLANK_LINE.exec(source)?.[1] !== undefined ? super.lheading(source) : undefined;
  }

  override html(source: string): Tokens.HTML | undefined {
    return HTML_START.test(source) ? super.html(source) : undefined;
  }

  /** Raw HTML is text here, so an `<a>` or `<pre>` must not disable links or references in what follows it. */
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

/** The lines up to the first blank one. No table extends further. */
function firstBlock(source: string): string {
  const blank = BLANK_LINE.exec(source);
  return blank === null ? source : source.slice(0, blank.index + 1);
}

/** The lines a list or quote may have, cut where a line starts at the margin if there is one nearby. */
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

type LinkDefinition = Links[string];

/** Link definitions of one message. Those over the limit are shown as text. */
const LINK_DEFINITIONS_MAX = 1_000;

/** The definitions of one lexer run: the ones it added and the labels it did not find. */
interface LinkScope {
  readonly links: Links;
  readonly defined: ReadonlyMap<string, LinkDefinition>;
  readonly missed: ReadonlySet<string>;
  /** Whether one more definition is within the limit. */
  mayDefine(): boolean;
}

/** The link reference definitions of the settled text. The first definition of a label wins, as in CommonMark. */
export class LinkDefinitions {
  readonly #known = new Map<string, LinkDefinition>();

  /** The lexer reads and writes a plain object; this one records lookups, so that later definitions can be applied. */
  openScope(): LinkScope {
    const defined = new Map<string, LinkDefinition>();
    const missed = new Set<string>();
    const lookUp = (label: string | symbol): LinkDefinition | undefined => {
      if (typeof label !== "string") return undefined;
      const found = this.#known.get(label) ?? defined.get(label);
      if (found === undefined) missed.add(label);
      return found;
    };
    const links = new Proxy<Links>(Object.create(null), {
      get: (_, label) => lookUp(label),
      getOwnPropertyDescriptor: (_, label) => {
        const value = lookUp(label);
        return value && { value, configurable: true, enumerable: true, writable: true };
      },
      set: (_, label, value: LinkDefinition) => {
        if (typeof label === "string") defined.set(label, value);
        return true;
      },
    });
    const mayDefine = (): boolean => this.#known.size + defined.size < LINK_DEFINITIONS_MAX;
    return { links, defined, missed, mayDefine };
  }

  /** Returns the labels that were not known before. */
  commit(defined: LinkScope["defined"]): string[] {
    const fresh = [...defined.keys()].filter((label) => !this.#known.has(label));
    for (const label of fresh) {
      const definition = defined.get(label);
      if (definition) this.#known.set(label, definition);
    }
    return fresh;
  }
}
