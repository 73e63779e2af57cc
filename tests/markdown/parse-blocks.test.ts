import { describe, expect, it } from "bun:test";
import { parseMarkdown } from "../../src/ui/markdown/parse-blocks.ts";
import { BLOCK_CASES } from "./block-cases.ts";
import { INLINE_CASES } from "./inline-cases.ts";
import { LIST_CASES } from "./list-cases.ts";
import { renderHtml } from "./render-html.ts";

describe("parseMarkdown", () => {
  for (const [section, markdown, html] of [...BLOCK_CASES, ...LIST_CASES, ...INLINE_CASES]) {
    it(`${section}: ${JSON.stringify(markdown)}`, () => {
      expect(renderHtml(parseMarkdown(markdown))).toBe(html);
    });
  }
});
