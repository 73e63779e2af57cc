import { INLINE_CHARS_MAX } from "./lex-blocks.ts";
import type { InlineNode } from "./markdown-node.ts";
import { patchText } from "./patch-sequence.ts";

/** Text of a dump in one box: layout shapes a box again when its text grows, so earlier text must be in others. */
const CHUNK_CHARS_MAX = 8_192;
/** A chunk ends after a space if there is one this near. */
const SPACE_NEAR_CHARS = 256;

/** The text of a paragraph that is too long to be parsed as markdown; null for any other. */
export function dumpText(children: readonly InlineNode[]): string | null {
  const [only] = children;
  if (children.length !== 1 || only?.kind !== "text") return null;
  return only.text.length > INLINE_CHARS_MAX ? only.text : null;
}

/** Fills a paragraph with a dump: the first part as its own text, so that a selection made while it was short survives. */
export function fillDump(paragraph: HTMLElement, text: string): HTMLElement {
  patchChunks(paragraph, [], cutChunks(text));
  return paragraph;
}

/** Changes a paragraph with one text to the dump it has grown into. */
export function patchDump(paragraph: HTMLElement, before: string, after: string): void {
  patchChunks(paragraph, before.length > INLINE_CHARS_MAX ? cutChunks(before) : [before], cutChunks(after));
}

function patchChunks(paragraph: HTMLElement, before: readonly string[], after: readonly string[]): void {
  for (const [index, text] of after.entries()) {
    const old = before[index];
    const shown = paragraph.childNodes[index];
    const node = shown instanceof HTMLElement ? shown.firstChild : shown;
    if (old === undefined || !(node instanceof Text)) paragraph.append(createChunk(text, index));
    else patchText(node, old, text);
  }
  for (let count = paragraph.childNodes.length; count > after.length; count -= 1) paragraph.lastChild?.remove();
}

function createChunk(text: string, index: number): Node {
  if (index === 0) return document.createTextNode(text);
  const chunk = document.createElement("span");
  chunk.className = "text-chunk";
  chunk.append(text);
  return chunk;
}

/** Where a text is cut depends on the text alone, not on how it arrived. */
export function cutChunks(text: string): string[] {
  const chunks: string[] = [];
  let from = 0;
  while (text.length - from > CHUNK_CHARS_MAX) {
    const space = text.lastIndexOf(" ", from + CHUNK_CHARS_MAX - 1);
    const isNear = space > from + CHUNK_CHARS_MAX - SPACE_NEAR_CHARS;
    const to = isNear ? space + 1 : wholeCharacter(text, from + CHUNK_CHARS_MAX);
    chunks.push(text.slice(from, to));
    from = to;
  }
  return [...chunks, text.slice(from)];
}

/** A cut that does not split a surrogate pair. */
export function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return code >= 0xd800 && code <= 0xdbff ? at - 1 : at;
}
