import { describe, expect, it } from "bun:test";
import { parseMarkdown } from "../../src/ui/markdown/parse-blocks.ts";
import { BLOCK_CASES } from "./block-cases.ts";
import { INLINE_CASES } from "./inline-cases.ts";
import { LIST_CASES } from "./list-cases.ts";
import { RandomText } from "./random-text.ts";
import { renderHtml } from "./render-html.ts";
import { StreamReader, streamBlocks } from "./stream-blocks.ts";

const COMPOSITIONS = 3_000;
const FRAGMENT_TEXTS = 6_000;
const CASES = [...BLOCK_CASES, ...LIST_CASES, ...INLINE_CASES].map(([, markdown]) => markdown);

function expectEqualWhenStreamed(chunks: readonly string[]): void {
  const text = chunks.join("");
  expect({ chunks, blocks: streamBlocks(chunks) }).toEqual({ chunks, blocks: parseMarkdown(text) });
}

describe("a streamed message ends as the whole message parses", () => {
  it("for every case, character by character", () => {
    for (const text of CASES) expectEqualWhenStreamed([...text]);
  });

  it("for every case, cut at every place into two", () => {
    for (const text of CASES) {
      for (let cut = 1; cut < text.length; cut += 1) expectEqualWhenStreamed([text.slice(0, cut), text.slice(cut)]);
    }
  });

  it("for random compositions of the cases", () => {
    const random = new RandomText("compositions");
    for (let run = 0; run < COMPOSITIONS; run += 1) expectEqualWhenStreamed(random.split(random.composition(CASES, 8)));
  });

  it("for random sequences of markers", () => {
    const random = new RandomText("markers");
    for (let run = 0; run < FRAGMENT_TEXTS; run += 1) expectEqualWhenStreamed(random.split(random.fragments(30)));
  });
});

describe("MarkdownStream", () => {
  it("settles a block as soon as nothing can change it and never gives it again", () => {
    const reader = new StreamReader();
    const settled = [
      "# Title\n\n",
      "First **para",
      "graph**.\n\n",
      "- item\n",
      "- item\n\n",
      "Second",
      " paragraph\n\n",
    ].map((chunk) => reader.feed(chunk).settled.map(({ kind }) => kind));
    expect(settled).toEqual([[], ["heading"], [], ["paragraph"], [], ["list"], []]);
  });

  it("looks only at the end: the open blocks stay few, however long the message", () => {
    const reader = new StreamReader();
    const random = new RandomText("blocks");
    for (let run = 0; run < 2_000; run += 1)
      reader.feed(`Paragraph ${run} with **bold** and \`code\`.\n\n${random.pick(["- a\n- b\n\n", "# h\n\n", ""])}`);
    expect(reader.open.length).toBeLessThanOrEqual(2);
    expect(reader.settled.length).toBeGreaterThan(2_000);
  });

  it("grows an open code block by the new text alone, in one and the same node", () => {
    const reader = new StreamReader();
    reader.feed("```ts\nline 1\n");
    const [code] = reader.open;
    const growth = ["line", " 2\n", "``", "x\n"].map((chunk) => reader.feed(chunk).codeGrowth);
    expect(growth).toEqual(["\nline", " 2", "", "\n``x"]);
    expect(reader.open[0]).toBe(code);
    expect(reader.feed("```\nafter").settled).toEqual([{ kind: "code", language: "ts", text: "line 1\nline 2\n``x" }]);
    expect(reader.settled[0]).toBe(code);
  });

  it("brings a late definition to the blocks that asked for it and to no others", () => {
    const reader = new StreamReader();
    for (const block of ["See [docs].", "Nothing here.", "> and [Docs][] again", "End."]) reader.feed(`${block}\n\n`);
    const { rewritten } = reader.feed("[docs]: https://example.com\n\nmore");
    expect(rewritten.map(({ index }) => index)).toEqual([0, 2]);
    expect(renderHtml(reader.settled)).toBe(
      '<p>See <a href="https://example.com/">docs</a>.</p>\n<p>Nothing here.</p>\n<blockquote><p>and <a href="https://example.com/">Docs</a> again</p></blockquote>\n<p>End.</p>',
    );
  });

  it("joins a line end that was cut between its two characters", () => {
    expect(streamBlocks(["a\r", "\nb\r", "\n\r", "\nc\r"])).toEqual(parseMarkdown("a\r\nb\r\n\r\nc\r"));
  });

  it("shows text that nests without end, and stays alive", () => {
    for (const text of [
      ">".repeat(20_000),
      "- ".repeat(20_000),
      "[".repeat(20_000),
      "*a ".repeat(6_000),
      "`".repeat(20_001),
    ]) {
      expect(streamBlocks([text.slice(0, 10_000), text.slice(10_000)])).toEqual(parseMarkdown(text));
    }
  });
});
