import { Lexer, type Token } from "marked";
import type { LinkDefinitions, LinkScope } from "./link-definitions.ts";
import { MarkdownTokenizer } from "./markdown-tokenizer.ts";

/** Emphasis inside emphasis inside links; deeper is text, for the same reason as the depth of containers. */
const INLINE_DEPTH_MAX = 32;
/** A longer run without a blank line is a dump, not prose. It is shown as it is: marked's patterns are quadratic in places. */
export const INLINE_CHARS_MAX = 16_384;
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
  const lexer = new MarkdownLexer();
  const scope = definitions.openScope();
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

  constructor() {
    super({ gfm: true, tokenizer: new MarkdownTokenizer() });
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

/** A run that is shown as it is. */
export function isDump(source: string): boolean {
  return source.length > INLINE_CHARS_MAX && source.replace(INLINE_IMAGE_SOURCE, "").length > INLINE_CHARS_MAX;
}
