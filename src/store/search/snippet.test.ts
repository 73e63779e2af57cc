import { describe, expect, it } from "bun:test";
import { fitText } from "./searchable-entry.ts";
import { HIT_END, HIT_START, markedExcerpt, snippetAround, snippetFromMarked } from "./snippets.ts";

describe("snippets", () => {
  it("[X-10] are pieces of plain text on one line, with what matched marked", () => {
    expect(snippetFromMarked(`<b>the\n  ${HIT_START}retry${HIT_END} limit</b>`)).toEqual([
      { text: "<b>the ", hit: false },
      { text: "retry", hit: true },
      { text: " limit</b>", hit: false },
    ]);
  });

  it("[X-10] stay short when a word does not, and keep the hit", () => {
    const pieces = snippetFromMarked(`${"x".repeat(5_000)} ${HIT_START}retry${HIT_END} ${"y".repeat(5_000)}`);
    expect(pieces.map(({ text }) => text).join("").length).toBeLessThan(400);
    expect(pieces.find(({ hit }) => hit)?.text).toBe("retry");
  });

  it("[X-10] are made around what was found in the text itself", () => {
    expect(snippetAround("全文検索機能", "検索")).toEqual([
      { text: "全文", hit: false },
      { text: "検索", hit: true },
      { text: "機能", hit: false },
    ]);
    expect(snippetAround("nothing here", "gone")).toEqual([{ text: "nothing here", hit: false }]);
  });

  it("[X-10] leaves the colours of a terminal out", () => {
    const coloured = `\u001b[1mbun ${HIT_START}test${HIT_END}\u001b[0m v1`;
    expect(snippetFromMarked(coloured).map(({ text }) => text)).toEqual(["bun ", "test", " v1"]);
    expect(snippetAround("\u001b[32m(pass)\u001b[0m retry", "retry").map(({ text }) => text)).toEqual([
      "(pass) ",
      "retry",
    ]);
    expect(fitText("\u001b[1mbun\u001b[0m test")).toBe("bun test");
  });
});

describe("markedExcerpt", () => {
  const marked = (text: string, ...terms: [words: string, isBeginning?: boolean][]) =>
    markedExcerpt(
      text,
      terms.map(([words, isBeginning = false]) => ({ words, isBeginning })),
    )
      .replaceAll(HIT_START, "[")
      .replaceAll(HIT_END, "]");

  it("[X-10] marks words in any case and without accents, beginnings, and rows of words as one", () => {
    expect(marked("The Café closes early.", ["cafe"], ["ear", true])).toBe("The [Café] closes [early].");
    expect(marked("closes early, early birds", ["closes early"])).toBe("[closes early], early birds");
    expect(marked("early early", ["early"])).toBe("[early] [early]");
    expect(marked("nothing of it", ["gone"])).toBe("nothing of it");
  });

  it("[X-10] of a long text shows where most of the words are, and marks that there is more", () => {
    const filler = "filler ".repeat(100);
    const text = `start retry ${filler}before the retry limit is met ${filler}end`;
    const excerpt = marked(text, ["retry"], ["limit"]);
    expect(excerpt).toStartWith("…");
    expect(excerpt).toEndWith("…");
    expect(excerpt).toContain("before the [retry] [limit] is met");
    expect(excerpt.split(" ").length).toBeLessThan(30);
    expect(marked(`retry ${filler}`, ["retry"])).toStartWith("[retry] filler");
    expect(marked(`${filler}retry.`, ["retry"])).toEndWith("[retry].");
  });
});
