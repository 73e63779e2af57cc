import { convertBlocks, convertInlines } from "./convert-tokens.ts";
import { type LexedBlocks, LinkDefinitions, lexBlocks } from "./lex-blocks.ts";
import type { BlockNode } from "./markdown-node.ts";

interface ParsedBlocks {
  readonly blocks: BlockNode[];
  /** Labels that are used and not defined yet: a later definition changes these blocks. */
  readonly missed: ReadonlySet<string>;
  /** Labels this source defined first. */
  readonly defined: readonly string[];
}

/** Parses a source that will not change any more and adds its definitions to the given ones. */
export function parseBlocks(source: string, definitions: LinkDefinitions): ParsedBlocks {
  const lexed = lexBlocks(source, definitions);
  const defined = definitions.commit(lexed.scope.defined);
  return { ...readBlocks(lexed, definitions), defined };
}

/** Parses a whole message at once: what a streamed message must look like in the end. */
export function parseMarkdown(text: string): BlockNode[] {
  return parseBlocks(text.replace(/\r\n?/g, "\n"), new LinkDefinitions()).blocks;
}

function readBlocks(lexed: LexedBlocks, definitions: LinkDefinitions): Pick<ParsedBlocks, "blocks" | "missed"> {
  const scope = definitions.openScope();
  const blocks = convertBlocks(lexed.tokens, (slot) =>
    convertInlines(lexed.lexInline(lexed.inlineSource(slot), scope)),
  );
  return { blocks, missed: scope.missed };
}
