import { expect, test } from "bun:test";
import { MarkdownStream } from "../../src/ui/markdown/markdown-stream.ts";
import { parseMarkdown } from "../../src/ui/markdown/parse-blocks.ts";

const CHARS = 32_000;
/** How a page takes a text in. */
const PIECE_CHARS = 16_384;
/** Wall time says nothing here: the test measures CPU time. */
const TEST_MS_MAX = 60_000;
/**
 * Hostile text may cost this many times as much as prose of the same length. The worst of these costs 13 to 26 times as
 * much, depending on what has been compiled and on the processor's caches; without the limits it costs 60 times and more.
 */
const TIMES_PROSE_MAX = 40;
const PROSE = "Some **bold** words, `code` and a [link](https://example.org/a) in a sentence.\n\n";

const numbered = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join("");

const HOSTILE: readonly (readonly [string, string])[] = [
  ["tildes", "~".repeat(CHARS)],
  ["stars that open", "*a ".repeat(5_400)],
  ["two kinds of emphasis", "*a _b ".repeat(2_700)],
  ["links without end", "[a](".repeat(4_000)],
  ["a word that may become an address", `${"a.".repeat(1_000)}@`],
  ["backslashes", "\\".repeat(CHARS)],
  ["backslashes at line ends", "\\\n".repeat(8_000)],
  ["references and their definitions", numbered(800, (i) => `[a${i}]\n\n`) + numbered(800, (i) => `[a${i}]: /x\n\n`)],
  ["definitions", numbered(4_000, (i) => `[a${i}]: /x${i}\n`)],
  ["nested items", numbered(240, (i) => `${" ".repeat(i * 2)}- a\n`)],
  ["one item of many lines", `- a\n${"  b\n".repeat(CHARS / 4)}`],
  ["a quote with lazy lines", "> a\nb\n".repeat(CHARS / 6)],
  ["columns", `${"|a".repeat(5_000)}|\n${"|-".repeat(5_000)}|\n`],
  ["short rows of a wide table", `${"|a".repeat(1_900)}|\n${"|-".repeat(1_900)}|\n${"|b\n".repeat(2_500)}`],
  ["headings without blank lines", "a\n=\n".repeat(CHARS / 4)],
  ["paragraphs of one letter", "a\n\n".repeat(CHARS / 3)],
  ["line ends", "\n".repeat(CHARS)],
  ["rules", "---\n\n".repeat(CHARS / 5)],
];

function stream(text: string): void {
  const stream = new MarkdownStream();
  for (let from = 0; from < text.length; from += PIECE_CHARS) {
    stream.append(text.slice(from, from + PIECE_CHARS));
    stream.update(false);
  }
  stream.update(true);
}

/** The lesser of two runs: a busy machine only adds to it. */
function cpuOf(text: string): number {
  const runs = [1, 2].map(() => {
    const before = process.cpuUsage();
    stream(text);
    parseMarkdown(text);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.min(...runs);
}

test.each(HOSTILE)(
  "X-4 (S9) %s cost a bounded multiple of prose of the same length",
  (_, text) => {
    const prose = PROSE.repeat(CHARS / PROSE.length);
    // Before and after: what was compiled in between makes the second run cheaper than the text's own.
    const before = cpuOf(prose);
    const hostile = cpuOf(text);
    expect(hostile).toBeLessThan(Math.max(before, cpuOf(prose)) * TIMES_PROSE_MAX);
  },
  TEST_MS_MAX,
);

test("X-4 (S9) what is over a limit is shown as the text it is, with every character", () => {
  const definitions = numbered(1_500, (i) => `[a${i}]: /x${i}\n`);
  const columns = `${"|a".repeat(300)}|\n${"|-".repeat(300)}|`;
  const address = `${"a.".repeat(1_000)}@`;
  for (const text of [columns, address, "*a ".repeat(2_000).trim(), "~".repeat(2_000)]) {
    expect(parseMarkdown(`x${text}`)).toEqual([{ kind: "paragraph", children: [{ kind: "text", text: `x${text}` }] }]);
  }
  const shown = JSON.stringify(parseMarkdown(definitions));
  expect(shown).toContain("[a1000]: /x1000");
  expect(shown).toContain("[a1499]: /x1499");
  const items = parseMarkdown("- a\n".repeat(5_000)).flatMap((block) => (block.kind === "list" ? block.items : []));
  expect(items).toHaveLength(5_000);
});
