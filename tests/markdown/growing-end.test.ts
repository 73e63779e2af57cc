import { describe, expect, it } from "bun:test";
import { renderHtml } from "./render-html.ts";
import { StreamReader } from "./stream-blocks.ts";

/** What a reader sees when the message has come this far. */
function shown(text: string): string {
  const reader = new StreamReader();
  for (const character of text) reader.feed(character);
  return renderHtml([...reader.settled, ...reader.open]);
}

/** Every state between the two lengths, without repeats. */
function states(text: string): string[] {
  const reader = new StreamReader();
  const seen: string[] = [];
  for (const character of text) {
    reader.feed(character);
    const html = renderHtml([...reader.settled, ...reader.open]);
    if (seen.at(-1) !== html) seen.push(html);
  }
  return seen;
}

describe("the growing end of a message", () => {
  it("renders emphasis, code and strikethrough before they are closed", () => {
    expect(shown("a **bo")).toBe("<p>a <strong>bo</strong></p>");
    expect(shown("a *em")).toBe("<p>a <em>em</em></p>");
    expect(shown("a `co")).toBe("<p>a <code>co</code></p>");
    expect(shown("a ~~de")).toBe("<p>a <del>de</del></p>");
    expect(shown("- x\n- y **bo")).toBe("<ul><li>x</li><li>y <strong>bo</strong></li></ul>");
    expect(shown("> a **b\n> c")).toBe("<blockquote><p>a <strong>b\nc</strong></p></blockquote>");
  });

  it("never spells out a marker that turns into markup", () => {
    const all = states("Some **bold**, *em*, `code`, ~~gone~~ and [link](https://a.b/c) text.");
    for (const html of all) expect(html.replace(/<[^>]*>/g, "")).not.toMatch(/[*`~[\]()]/);
  });

  it("shows a link before its address, and keeps the emphasis around it", () => {
    expect(shown("see [the do")).toBe('<p>see <a href="…">the do</a></p>');
    expect(shown("see [docs](https://exa")).toBe('<p>see <a href="…">docs</a></p>');
    expect(shown("**see [docs](https://exa")).toBe('<p><strong>see <a href="…">docs</a></strong></p>');
    expect(shown("![shot](data:image/png;base64,iVBO")).toBe('<p><a href="…">shot</a></p>');
  });

  it("leaves brackets and stars alone that are no markup", () => {
    expect(shown("call items[0")).toBe("<p>call items[0</p>");
    expect(shown("a note[^1")).toBe("<p>a note[^1</p>");
    expect(shown("x = 2 ** 3 and more ")).toBe("<p>x = 2 ** 3 and more</p>");
    expect(shown("snake_case_na")).toBe("<p>snake_case_na</p>");
  });

  it("holds a line of markers back until its meaning is clear", () => {
    expect(states("text\n---\n")).toEqual(["<p>t</p>", "<p>te</p>", "<p>tex</p>", "<p>text</p>", "<h2>text</h2>"]);
    expect(states("a\n\n- b")).toEqual(["<p>a</p>", "<p>a</p>\n<ul><li>b</li></ul>"]);
    expect(states("```ts\nx")).toEqual([
      "",
      '<pre><code class="language-ts"></code></pre>',
      '<pre><code class="language-ts">x</code></pre>',
    ]);
    expect(states("- [ ] do")).toEqual([
      "",
      "<ul><li></li></ul>",
      "<ul><li>[ ] d</li></ul>",
      "<ul><li>[ ] do</li></ul>",
    ]);
  });

  it("is a table from the first line on", () => {
    const rows = states("| a | b |\n|---|---:|\n| 1 | **2** |");
    expect(rows.filter((html) => html !== "" && !html.startsWith("<table>"))).toEqual([]);
    expect(rows.at(-1)).toBe(
      '<table><tr><th>a</th><th align="right">b</th></tr><tr><td>1</td><td align="right"><strong>2</strong></td></tr></table>',
    );
  });

  it("guesses nothing once a block has ended", () => {
    expect(shown("a **b\n\n")).toBe("<p>a **b</p>");
    expect(shown("# a **b\n")).toBe("<h1>a **b</h1>");
  });
});
