import { z } from "zod";
import { PageWriting } from "../../../src/sessions/transfer/export/html-code.ts";
import { htmlProse } from "../../../src/sessions/transfer/export/html-prose.ts";
import type { BlockNode, InlineNode } from "../../../src/ui/markdown/markdown-node.ts";
import { parseMarkdown } from "../../../src/ui/markdown/parse-blocks.ts";
import { BLOCK_CASES } from "../../markdown/block-cases.ts";
import { INLINE_CASES } from "../../markdown/inline-cases.ts";
import { LIST_CASES } from "../../markdown/list-cases.ts";
import { StreamReader } from "../../markdown/stream-blocks.ts";
import { rule, ruleSame } from "../engine/broken-rule.ts";
import { fuzzTarget } from "../engine/fuzz-target.ts";
import { mutateText, piecesOf, someCuts, someText } from "../engine/mutate-text.ts";

const CASES = [...BLOCK_CASES, ...LIST_CASES, ...INLINE_CASES]
  .map(([, text]) => text)
  .filter((text) => text.length < 120);
const WORDS = [
  ..."a¦foo¦ ¦  ¦    ¦- ¦* ¦1. ¦> ¦# ¦---¦***¦===¦```¦```js¦~~~¦`¦*¦**¦_¦__¦~~¦[foo]¦[foo]: /url¦[x](¦](javascript:alert(1))¦](/x)¦)¦![¦[¦]¦<div>¦<!--¦-->¦<script>¦<a href=x>¦<javascript:x>¦| a | b |¦|---|---|¦|¦- [ ] ¦\\¦&amp;¦&#106;¦http://x.y¦data:image/png;base64,AA==¦data:text/html,x¦\n¦\n¦\n\n¦\n> ¦\n- ¦\t¦\r\n¦\r".split(
    "¦",
  ),
];
const KINDS = new Set("paragraph heading code quote list table rule html".split(" "));
const Input = z.object({ text: z.string(), cuts: z.array(z.number()) });

/** Text of an agent's as what is shown: the same however it came, and never anything that acts. */
export const markdown = fuzzTarget({
  name: "markdown",
  weight: 0.5,
  shape: Input,
  make(source, corpus) {
    const known = source.isOneIn(4) && corpus.length > 0 ? source.pick(corpus).text : source.pick(CASES);
    const text = source.isOneIn(2) ? someText(source, WORDS, 14) : mutateText(source, known, WORDS);
    const whole = source.isOneIn(6) ? text + source.pick(["\n\n", "\n", ""]) + source.pick(CASES) : text;
    return { text: whole, cuts: someCuts(source, whole.length) };
  },
  check({ text, cuts }) {
    const reader = new StreamReader();
    for (const piece of piecesOf(text, cuts)) {
      reader.feed(piece);
      for (const block of reader.open) checkBlock(block);
    }
    reader.end();
    ruleSame(reader.open, [], "nothing stays open after the end");
    const whole = parseMarkdown(text);
    ruleSame(reader.settled, whole, "a message streamed in pieces ends as the whole one");
    for (const block of whole) checkBlock(block);
    checkHtml(htmlProse(text, new PageWriting("", Date.now)));
  },
});

function checkBlock(block: BlockNode): void {
  rule(KINDS.has(block.kind), "only known blocks reach the page", () => block);
  switch (block.kind) {
    case "paragraph":
    case "heading":
      for (const node of block.children) checkInline(node);
      break;
    case "quote":
      for (const node of block.children) checkBlock(node);
      break;
    case "list":
      for (const node of block.items.flatMap(({ children }) => children)) checkBlock(node);
      break;
    case "table":
      for (const node of [...block.header, ...block.rows.flat()].flat()) checkInline(node);
      break;
  }
}

function checkInline(node: InlineNode): void {
  if (node.kind === "link" && node.href !== null)
    rule(/^(?:https?:\/\/|mailto:)/.test(node.href), "links lead to pages and mail only", () => node);
  if (node.kind === "image")
    rule(/^data:image\/(?:png|jpeg|gif|webp);base64,/i.test(node.source), "images are bitmaps in the text", () => node);
  if ("children" in node) for (const inner of node.children) checkInline(inner);
}

const TAG =
  /<(?:\/?(?:p|pre|code|h[3-6]|blockquote|ul|ol|li|table|thead|tbody|tr|th|td|strong|em|del|span|hr|br|a|figure|figcaption)|p class="plain"|figure class="code"|span class="[a-z0-9_ -]+"|ol start="\d+"|span class="box"|t[hd] class="(?:right|center)"|a href="(?:https?|mailto):[^"<>]*" rel="noopener noreferrer nofollow")>/gi;

/** Without the tags that the export itself writes, nothing is left that could be one. */
function checkHtml(html: string): void {
  const rest = html.replace(TAG, "");
  rule(!/[<>"']/.test(rest), "no tag and no attribute of the text's own is exported", () => html);
}
