import { describe, expect, it } from "bun:test";
import { fitText } from "./search-writer.ts";
import { HIT_END, HIT_START, snippetAround, snippetFromMarked } from "./sqlite-search-index.ts";

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
