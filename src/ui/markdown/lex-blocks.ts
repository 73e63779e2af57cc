import { Lexer, type Token } from "marked";
import type { LinkDefinitions, LinkScope } from "./link-definitions.ts";
import { MarkdownTokenizer } from "./markdown-tokenizer.ts";

/** Emphasis inside emphasis inside links; deeper is text, for the same reason as the depth of containers. */
const INLINE_DEPTH_MAX = 32;
/** A longer run without a blank line is a dump, not prose. It is shown as it is: marked's patterns are quadratic in places. */
export const INLINE_CHARS_MAX = 16_384;
/** Each marker may make marked and remend look at the rest of the run again, so a run with more of them is shown as it is, too. */
const INLINE_MARKERS_MAX = 1_000;
const MARKERS: ReadonlySet<number> = new Set([..."*_~`[]<\\"].map((marker) => marker.charCodeAt(0)));
/** The longest word that may be an email address. marked needs time by its third power to find out. */
const ADDRESS_CHARS_MAX = 320;
const INLINE_IMAGE_SOURCE = /\(data:image\/[^()\s]*\)/g;

/** Block structure of a source. Inline content is lexed only when asked for: it is the dear part. */
export interface LexedBlocks {
  readonly tokens: readonly Token[];
  readonly scope: LinkScope;
  /** The inline source of a leaf, by the array in which marked would have put its tokens. */
  inlineSource(slot: readonly Token[]): string;
  lexInline(source: string, scope: LinkScope): Token[];
}

/** Splits into blocks. The source must have `\n` line ends and start where a block starts. */
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

/** A run that is shown as it is. Decided in one walk over the run. */
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
